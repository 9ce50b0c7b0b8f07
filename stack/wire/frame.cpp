// Encoding and decoding by the table of offsets in the header.
#include "stack/wire/frame.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast {

namespace {

// Offsets of the header's fields, as the table in the header file has them.
constexpr std::size_t kMagicAt = 0, kVersionAt = 2, kTypeAt = 3, kLengthAt = 4, kSealAt = 6,
                      kZero1At = 7, kJobAt = 8, kSenderAt = 12, kSenderIncarnationAt = 16,
                      kReceiverAt = 20, kReceiverIncarnationAt = 24, kZero4At = 28,
                      kSequenceAt = 32, kDigestAt = 40;

// Offsets within the body.
constexpr std::size_t kAfterAt = 0, kUptoAt = 8, kFlagsAt = 16, kCountAt = 18;
constexpr std::uint16_t kAnswerWanted = 1, kSenderJoining = 2, kMoreFollows = 4,
                        kNamesBroadcast = 8, kAllFlags = 15;

// Offsets within the name of a broadcast.
constexpr std::size_t kStarterAt = 0, kStarterIncarnationAt = 4, kNumberAt = 8, kCubeAt = 12,
                      kZeros3At = 13;

bool has_body(FrameType type) {
  return type >= FrameType::notice;
}

bool may_name_broadcast(FrameType type) {
  return type == FrameType::notice || type == FrameType::acknowledgement;
}

// The part of a body before its runs.
std::size_t fixed_bytes(const Body& body) {
  return Body::kFixedBytes + (body.broadcast.named() ? Body::kBroadcastBytes : 0);
}

void encode_broadcast(const Broadcast& broadcast, std::byte* at) {
  store_le<std::uint32_t>(at + kStarterAt, broadcast.starter.value);
  store_le<std::uint32_t>(at + kStarterIncarnationAt, broadcast.incarnation.value);
  store_le<std::uint32_t>(at + kNumberAt, broadcast.number);
  store_le<std::uint8_t>(at + kCubeAt, broadcast.cube);
  std::fill_n(at + kZeros3At, 3, std::byte{0});
}

DecodeStatus decode_broadcast(const std::byte* at, std::uint32_t processes, Broadcast& broadcast) {
  broadcast.starter = {load_le<std::uint32_t>(at + kStarterAt)};
  broadcast.incarnation = {load_le<std::uint32_t>(at + kStarterIncarnationAt)};
  broadcast.number = load_le<std::uint32_t>(at + kNumberAt);
  broadcast.cube = load_le<std::uint8_t>(at + kCubeAt);
  for (std::size_t i = 0; i < 3; ++i) {
    if (load_le<std::uint8_t>(at + kZeros3At + i) != 0) return DecodeStatus::bad_padding;
  }
  const bool valid = broadcast.starter.value < processes && broadcast.cube < kCubesMax;
  return valid ? DecodeStatus::ok : DecodeStatus::bad_body;
}

void encode_run(const Run& run, std::byte* at) {
  store_le<std::uint32_t>(at, run.first.value);
  store_le<std::uint32_t>(at + 4, run.incarnation.value);
  store_le<std::uint16_t>(at + 8, run.count);
  store_le<std::uint8_t>(at + 10, static_cast<std::uint8_t>(run.state));
  store_le<std::uint8_t>(at + 11, 0);
}

bool decode_run(const std::byte* at, std::uint32_t processes, Run& run) {
  run.first = {load_le<std::uint32_t>(at)};
  run.incarnation = {load_le<std::uint32_t>(at + 4)};
  run.count = load_le<std::uint16_t>(at + 8);
  const auto state = load_le<std::uint8_t>(at + 10);
  if (state > static_cast<std::uint8_t>(kLastMemberState)) return false;
  run.state = static_cast<MemberState>(state);
  return run.count > 0 && std::uint64_t{run.first.value} + run.count <= processes &&
         load_le<std::uint8_t>(at + 11) == 0;
}

}  // namespace

std::size_t encode_frame(const Header& header, const Body& body, std::span<std::byte> to) {
  std::size_t length = kFrameBytesMin;
  if (has_body(header.type)) length += fixed_bytes(body) + body.runs.size() * kRunBytes;
  HOLDFAST_ASSERT(length <= to.size() && length <= kFrameBytesMax);
  std::byte* const at = to.data();
  store_le<std::uint16_t>(at + kMagicAt, kFrameMagic);
  store_le<std::uint8_t>(at + kVersionAt, kFrameVersion);
  store_le<std::uint8_t>(at + kTypeAt, static_cast<std::uint8_t>(header.type));
  store_le<std::uint16_t>(at + kLengthAt, static_cast<std::uint16_t>(length));
  store_le<std::uint8_t>(at + kSealAt, static_cast<std::uint8_t>(header.seal));
  store_le<std::uint8_t>(at + kZero1At, 0);
  store_le<std::uint32_t>(at + kJobAt, header.job);
  store_le<std::uint32_t>(at + kSenderAt, header.sender.value);
  store_le<std::uint32_t>(at + kSenderIncarnationAt, header.sender_incarnation.value);
  store_le<std::uint32_t>(at + kReceiverAt, header.receiver.value);
  store_le<std::uint32_t>(at + kReceiverIncarnationAt, header.receiver_incarnation.value);
  store_le<std::uint32_t>(at + kZero4At, 0);
  store_le<std::uint64_t>(at + kSequenceAt, header.sequence);
  store_le<std::uint64_t>(at + kDigestAt, header.digest);
  if (has_body(header.type)) {
    std::byte* const body_at = at + kHeaderBytes;
    store_le<std::uint64_t>(body_at + kAfterAt, body.after);
    store_le<std::uint64_t>(body_at + kUptoAt, body.upto);
    const int flags =
        (body.answer_wanted ? kAnswerWanted : 0) | (body.sender_joining ? kSenderJoining : 0) |
        (body.more_follows ? kMoreFollows : 0) | (body.broadcast.named() ? kNamesBroadcast : 0);
    store_le<std::uint16_t>(body_at + kFlagsAt, static_cast<std::uint16_t>(flags));
    store_le<std::uint16_t>(body_at + kCountAt, static_cast<std::uint16_t>(body.runs.size()));
    if (body.broadcast.named()) {
      HOLDFAST_ASSERT(may_name_broadcast(header.type));
      encode_broadcast(body.broadcast, body_at + Body::kFixedBytes);
    }
    std::byte* run_at = body_at + fixed_bytes(body);
    for (const Run& run : body.runs) {
      encode_run(run, run_at);
      run_at += kRunBytes;
    }
  }
  std::fill_n(at + length - kSealBytes, kSealBytes, std::byte{0});
  return length;
}

DecodeStatus decode_header(std::span<const std::byte> frame, Header& header) {
  if (frame.size() < kFrameBytesMin) return DecodeStatus::too_short;
  const std::byte* const at = frame.data();
  if (load_le<std::uint16_t>(at + kMagicAt) != kFrameMagic) return DecodeStatus::bad_magic;
  if (load_le<std::uint8_t>(at + kVersionAt) != kFrameVersion) return DecodeStatus::bad_version;
  if (load_le<std::uint16_t>(at + kLengthAt) != frame.size() || frame.size() > kFrameBytesMax) {
    return DecodeStatus::bad_length;
  }
  const auto type = load_le<std::uint8_t>(at + kTypeAt);
  if (type < static_cast<std::uint8_t>(FrameType::heartbeat) ||
      type > static_cast<std::uint8_t>(FrameType::join)) {
    return DecodeStatus::bad_type;
  }
  const auto seal = load_le<std::uint8_t>(at + kSealAt);
  if (seal > static_cast<std::uint8_t>(SealAlgorithm::blake2b)) {
    return DecodeStatus::bad_seal_algorithm;
  }
  if (load_le<std::uint8_t>(at + kZero1At) != 0 || load_le<std::uint32_t>(at + kZero4At) != 0) {
    return DecodeStatus::bad_padding;
  }
  header.type = static_cast<FrameType>(type);
  header.seal = static_cast<SealAlgorithm>(seal);
  header.job = load_le<std::uint32_t>(at + kJobAt);
  header.sender = {load_le<std::uint32_t>(at + kSenderAt)};
  header.sender_incarnation = {load_le<std::uint32_t>(at + kSenderIncarnationAt)};
  header.receiver = {load_le<std::uint32_t>(at + kReceiverAt)};
  header.receiver_incarnation = {load_le<std::uint32_t>(at + kReceiverIncarnationAt)};
  header.sequence = load_le<std::uint64_t>(at + kSequenceAt);
  header.digest = load_le<std::uint64_t>(at + kDigestAt);
  return DecodeStatus::ok;
}

DecodeStatus decode_body(std::span<const std::byte> frame, FrameType type, std::uint32_t processes,
                         std::span<Run> runs, Body& body) {
  const std::size_t bytes = frame.size() - kFrameBytesMin;
  body = Body{};
  if (!has_body(type)) return bytes == 0 ? DecodeStatus::ok : DecodeStatus::bad_length;
  if (bytes < Body::kFixedBytes) return DecodeStatus::bad_length;
  const std::byte* const at = frame.data() + kHeaderBytes;
  const auto flags = load_le<std::uint16_t>(at + kFlagsAt);
  const auto count = load_le<std::uint16_t>(at + kCountAt);
  if (flags > kAllFlags) return DecodeStatus::bad_padding;
  const bool names_broadcast = (flags & kNamesBroadcast) != 0;
  const std::size_t fixed = Body::kFixedBytes + (names_broadcast ? Body::kBroadcastBytes : 0);
  if (bytes != fixed + std::size_t{count} * kRunBytes || count > runs.size()) {
    return DecodeStatus::bad_length;
  }
  body.after = load_le<std::uint64_t>(at + kAfterAt);
  body.upto = load_le<std::uint64_t>(at + kUptoAt);
  body.answer_wanted = (flags & kAnswerWanted) != 0;
  body.sender_joining = (flags & kSenderJoining) != 0;
  body.more_follows = (flags & kMoreFollows) != 0;
  if (body.after > body.upto) return DecodeStatus::bad_body;
  if (names_broadcast) {
    if (!may_name_broadcast(type)) return DecodeStatus::bad_body;
    const DecodeStatus named = decode_broadcast(at + Body::kFixedBytes, processes, body.broadcast);
    if (named != DecodeStatus::ok) return named;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!decode_run(at + fixed + i * kRunBytes, processes, runs[i])) {
      return DecodeStatus::bad_body;
    }
  }
  body.runs = runs.first(count);
  return DecodeStatus::ok;
}

}  // namespace holdfast
