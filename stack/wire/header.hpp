// The header of every control frame: its fields, and how they lie on the wire (specification,
// section 2; the table of offsets is in frame.hpp). Inline, because the simulator does little else
// than write and read headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/base/bytes.hpp"
#include "stack/base/ids.hpp"

namespace holdfast {

constexpr std::uint16_t kFrameMagic = 0x4648;
constexpr std::uint8_t kFrameVersion = 3;
constexpr std::size_t kHeaderBytes = 48;
constexpr std::size_t kSealBytes = 16;
constexpr std::size_t kFrameBytesMin = kHeaderBytes + kSealBytes;
constexpr std::size_t kFrameBytesMax = 512;  // of a control frame

enum class FrameType : std::uint8_t {
  heartbeat = 1,        // no body: "I am alive, and this is the digest of what I believe"
  observe = 2,          // no body: "I observe you from now on; answer with a heartbeat"
  notice = 3,           // news, to be acknowledged
  acknowledgement = 4,  // no runs: the notice (after, upto] has been merged
  difference = 5,       // everything the sender believes beyond the initial view
  join = 6,             // a difference from one who has just started; always answered
};

enum class SealAlgorithm : std::uint8_t { none = 0, siphash128 = 1, blake2b = 2 };

struct Header {
  FrameType type = FrameType::heartbeat;
  SealAlgorithm seal = SealAlgorithm::none;
  std::uint32_t job = 0;
  ProcessId sender;
  Incarnation sender_incarnation;
  ProcessId receiver;
  Incarnation receiver_incarnation;
  std::uint64_t sequence = 0;
  std::uint64_t digest = 0;

  friend bool operator==(const Header&, const Header&) = default;
};

enum class DecodeStatus : std::uint8_t {
  ok,
  too_short,
  bad_magic,
  bad_version,
  bad_length,  // the length field is not the frame's, or the body does not fill it
  bad_type,
  bad_seal_algorithm,
  bad_padding,  // a field that must be zero is not
  bad_body,     // counts, states or ranges out of bounds
};

namespace header_at {
// Offsets, as the table in frame.hpp has them.
constexpr std::size_t kMagic = 0, kVersion = 2, kType = 3, kLength = 4, kSeal = 6, kZero1 = 7,
                      kJob = 8, kSender = 12, kSenderIncarnation = 16, kReceiver = 20,
                      kReceiverIncarnation = 24, kZero4 = 28, kSequence = 32, kDigest = 40;
}  // namespace header_at

// Writes the header of a frame of `length` bytes; `at` must hold kHeaderBytes.
inline void encode_header(const Header& header, std::size_t length, std::byte* at) {
  store_le<std::uint16_t>(at + header_at::kMagic, kFrameMagic);
  store_le<std::uint8_t>(at + header_at::kVersion, kFrameVersion);
  store_le<std::uint8_t>(at + header_at::kType, static_cast<std::uint8_t>(header.type));
  store_le<std::uint16_t>(at + header_at::kLength, static_cast<std::uint16_t>(length));
  store_le<std::uint8_t>(at + header_at::kSeal, static_cast<std::uint8_t>(header.seal));
  store_le<std::uint8_t>(at + header_at::kZero1, 0);
  store_le<std::uint32_t>(at + header_at::kJob, header.job);
  store_le<std::uint32_t>(at + header_at::kSender, header.sender.value);
  store_le<std::uint32_t>(at + header_at::kSenderIncarnation, header.sender_incarnation.value);
  store_le<std::uint32_t>(at + header_at::kReceiver, header.receiver.value);
  store_le<std::uint32_t>(at + header_at::kReceiverIncarnation, header.receiver_incarnation.value);
  store_le<std::uint32_t>(at + header_at::kZero4, 0);
  store_le<std::uint64_t>(at + header_at::kSequence, header.sequence);
  store_le<std::uint64_t>(at + header_at::kDigest, header.digest);
}

// The wire version that a frame says it has; of frames that have at least a header's length.
inline std::uint8_t version_of(std::span<const std::byte> frame) {
  return load_le<std::uint8_t>(frame.data() + header_at::kVersion);
}

// The header of a frame: length, magic, version, type, kind of seal and zeros are checked, nothing
// after the header.
[[nodiscard]] inline DecodeStatus decode_header(std::span<const std::byte> frame, Header& header) {
  if (frame.size() < kFrameBytesMin) return DecodeStatus::too_short;
  const std::byte* const at = frame.data();
  if (load_le<std::uint16_t>(at + header_at::kMagic) != kFrameMagic) return DecodeStatus::bad_magic;
  if (version_of(frame) != kFrameVersion) return DecodeStatus::bad_version;
  if (load_le<std::uint16_t>(at + header_at::kLength) != frame.size() ||
      frame.size() > kFrameBytesMax) {
    return DecodeStatus::bad_length;
  }
  const auto type = load_le<std::uint8_t>(at + header_at::kType);
  if (type < static_cast<std::uint8_t>(FrameType::heartbeat) ||
      type > static_cast<std::uint8_t>(FrameType::join)) {
    return DecodeStatus::bad_type;
  }
  const auto seal = load_le<std::uint8_t>(at + header_at::kSeal);
  if (seal > static_cast<std::uint8_t>(SealAlgorithm::blake2b)) {
    return DecodeStatus::bad_seal_algorithm;
  }
  if (load_le<std::uint8_t>(at + header_at::kZero1) != 0 ||
      load_le<std::uint32_t>(at + header_at::kZero4) != 0) {
    return DecodeStatus::bad_padding;
  }
  header.type = static_cast<FrameType>(type);
  header.seal = static_cast<SealAlgorithm>(seal);
  header.job = load_le<std::uint32_t>(at + header_at::kJob);
  header.sender = {load_le<std::uint32_t>(at + header_at::kSender)};
  header.sender_incarnation = {load_le<std::uint32_t>(at + header_at::kSenderIncarnation)};
  header.receiver = {load_le<std::uint32_t>(at + header_at::kReceiver)};
  header.receiver_incarnation = {load_le<std::uint32_t>(at + header_at::kReceiverIncarnation)};
  header.sequence = load_le<std::uint64_t>(at + header_at::kSequence);
  header.digest = load_le<std::uint64_t>(at + header_at::kDigest);
  return DecodeStatus::ok;
}

}  // namespace holdfast
