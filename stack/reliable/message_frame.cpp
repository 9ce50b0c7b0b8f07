// Encoding and decoding of message frames by the table of offsets in the header.
#include "stack/reliable/message_frame.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"
#include "stack/base/random.hpp"
#include "stack/checksum/crc32c.hpp"
#include "stack/checksum/crc32c_short.hpp"

namespace holdfast::reliable {

namespace {

// Offsets, as the table has them. Of every frame, and of all but acknowledgements:
constexpr std::size_t kMagicAt = 0, kVersionAt = 2, kTypeAt = 3, kSenderAt = 4, kPacketAt = 8;
// Of those with data or a request, and of a grant:
constexpr std::size_t kMessageAt = 12;
// Of `eager` and `request`, `fragment` and `data`, and of both:
constexpr std::size_t kContextAt = 16, kTagAt = 20, kBytesAt = 28, kVirtualFragmentAt = 36;
constexpr std::size_t kVirtualFragmentOfPartAt = 16, kOffsetAt = 20, kPartBytesAt = 28,
                      kFragmentBytesAt = 32, kIndexAt = 36, kPartZerosAt = 37, kPartZeros = 3;
constexpr std::size_t kPayloadChecksumAt = 40, kHeaderChecksumAt = 44;
// Of an acknowledgement:
constexpr std::size_t kAllBeforeAt = 8, kWhichAt = 12, kCreditAt = 14, kMaskAt = 16,
                      kLastPacketAt = 24, kRailOfPacketAt = 28, kHeardByThenAt = 29, kDelayAt = 30;
constexpr unsigned kBeforeIt = 64, kOfFragments = 128;  // added to the rail
// Of a grant, of `probe` and `answer`, and of all that have a seal:
constexpr std::size_t kUptoAt = 16, kFinalAt = 24, kHeardOfGrantAt = 25;
constexpr std::size_t kZeros6At = 26, kZeros6 = 6;
constexpr std::size_t kZeros4At = 12, kStampAt = 16, kHeardAt = 24, kRailAt = 25, kLeftAt = 26,
                      kFailedAt = 27, kLeavingsAt = 28, kLastZerosAt = 29, kLastZeros = 3;
constexpr std::size_t kSealAt = 32;
constexpr std::size_t kSealZerosAt = 36, kSealZeros = 12;

// A header while it is written, all zero at first, in the words in which its checksum reads it: a
// load of what more than one store has written waits until they have left the processor, and that
// took a short message's header as long as its checksum.
class HeaderWords {
 public:
  template <std::size_t kAt, class Integer>
  void put(Integer value) {
    static_assert(std::is_unsigned_v<Integer> && kAt + sizeof value <= kMessageHeaderBytes);
    constexpr std::size_t kWord = kAt / sizeof(Word);
    constexpr unsigned kShift = kAt % sizeof(Word) * 8;
    words_[kWord] |= Word{value} << kShift;
    if constexpr (kShift + 8 * sizeof value > 8 * sizeof(Word))
      words_[kWord + 1] |= Word{value} >> (8 * sizeof(Word) - kShift);
  }
  void store(std::byte* to) const { store(to, std::make_index_sequence<kWords>()); }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kWords = kMessageHeaderBytes / sizeof(Word);

  // One by one: for a loop or a copy the compiler would keep them in memory, and read that.
  template <std::size_t... kWord>
  void store(std::byte* to, std::index_sequence<kWord...>) const {
    (store_le(to + kWord * sizeof(Word), words_[kWord]), ...);
  }

  std::array<Word, kWords> words_{};
};

// Of a fixed length, so that it is a few words and no loop.
template <std::size_t kBytes>
bool all_zero(const std::byte* at) {
  static constexpr std::array<std::byte, kBytes> kZeros{};
  return std::memcmp(at, kZeros.data(), kBytes) == 0;
}

void encode_start(const MessageHeader& header, HeaderWords& to) {
  to.put<kPacketAt>(header.packet);
  to.put<kMessageAt>(header.message);
  to.put<kContextAt>(header.context);
  to.put<kTagAt>(header.tag);
  to.put<kBytesAt>(header.bytes);
  to.put<kVirtualFragmentAt>(header.virtual_fragment);
  const bool eager = header.type == MessageFrameType::eager;
  to.put<kPayloadChecksumAt>(eager ? header.payload_checksum : std::uint32_t{0});
}

MessageDecodeStatus decode_start(const std::byte* at, std::size_t payload, MessageHeader& header) {
  header.packet = load_le<std::uint32_t>(at + kPacketAt);
  header.message = load_le<std::uint32_t>(at + kMessageAt);
  header.context = load_le<std::uint32_t>(at + kContextAt);
  header.tag = load_le<std::uint64_t>(at + kTagAt);
  header.bytes = load_le<std::uint64_t>(at + kBytesAt);
  header.virtual_fragment = load_le<std::uint32_t>(at + kVirtualFragmentAt);
  header.payload_checksum = load_le<std::uint32_t>(at + kPayloadChecksumAt);
  if (header.type == MessageFrameType::request) {
    return header.payload_checksum == 0 ? MessageDecodeStatus::ok : MessageDecodeStatus::bad_fields;
  }
  const bool fits = payload <= header.bytes && (payload > 0 || header.bytes == 0);
  return fits ? MessageDecodeStatus::ok : MessageDecodeStatus::bad_length;
}

void encode_part(const MessageHeader& header, HeaderWords& to) {
  HOLDFAST_ASSERT(header.index < kFragmentsMax);
  HOLDFAST_ASSERT(header.bytes <= std::numeric_limits<std::uint32_t>::max());
  to.put<kPacketAt>(header.packet);
  to.put<kMessageAt>(header.message);
  to.put<kVirtualFragmentOfPartAt>(header.virtual_fragment);
  to.put<kOffsetAt>(header.offset);
  to.put<kPartBytesAt>(static_cast<std::uint32_t>(header.bytes));
  to.put<kFragmentBytesAt>(header.fragment_bytes);
  to.put<kIndexAt>(header.index);
  to.put<kPayloadChecksumAt>(header.payload_checksum);
}

MessageDecodeStatus decode_part(const std::byte* at, std::size_t payload, MessageHeader& header) {
  header.packet = load_le<std::uint32_t>(at + kPacketAt);
  header.message = load_le<std::uint32_t>(at + kMessageAt);
  header.virtual_fragment = load_le<std::uint32_t>(at + kVirtualFragmentOfPartAt);
  header.offset = load_le<std::uint64_t>(at + kOffsetAt);
  header.bytes = load_le<std::uint32_t>(at + kPartBytesAt);
  header.fragment_bytes = load_le<std::uint32_t>(at + kFragmentBytesAt);
  header.index = load_le<std::uint8_t>(at + kIndexAt);
  header.payload_checksum = load_le<std::uint32_t>(at + kPayloadChecksumAt);
  const std::uint64_t all = std::uint64_t{kFragmentsMax} * header.fragment_bytes;
  const std::uint64_t before = std::uint64_t{header.index} * header.fragment_bytes;
  const bool valid = header.index < kFragmentsMax && header.bytes <= all && before < header.bytes &&
                     header.offset <= std::numeric_limits<std::uint64_t>::max() - header.bytes &&
                     all_zero<kPartZeros>(at + kPartZerosAt);
  if (!valid) return MessageDecodeStatus::bad_fields;
  const std::uint64_t due = std::min<std::uint64_t>(header.fragment_bytes, header.bytes - before);
  return payload == due ? MessageDecodeStatus::ok : MessageDecodeStatus::bad_length;
}

void encode_acknowledgement(const MessageHeader& header, HeaderWords& to) {
  const std::uint32_t distance = header.message - header.all_before;
  HOLDFAST_ASSERT(header.of_fragments || distance <= std::numeric_limits<std::uint16_t>::max());
  HOLDFAST_ASSERT(header.rail < kMessageRailsMax);
  const std::uint32_t which = header.of_fragments ? header.virtual_fragment : distance;
  const unsigned of = header.of_fragments ? kOfFragments : 0;
  const unsigned before = header.of_fragments && header.before_it ? kBeforeIt : 0;
  to.put<kAllBeforeAt>(header.all_before);
  to.put<kWhichAt>(static_cast<std::uint16_t>(which));
  to.put<kCreditAt>(header.credit);
  to.put<kMaskAt>(header.mask);
  to.put<kLastPacketAt>(header.packet);
  to.put<kRailOfPacketAt>(static_cast<std::uint8_t>(header.rail | of | before));
  to.put<kHeardByThenAt>(header.heard);
  to.put<kDelayAt>(header.delay_us);
}

MessageDecodeStatus decode_acknowledgement(const std::byte* at, MessageHeader& header) {
  header.all_before = load_le<std::uint32_t>(at + kAllBeforeAt);
  const auto which = load_le<std::uint16_t>(at + kWhichAt);
  header.credit = load_le<std::uint16_t>(at + kCreditAt);
  header.mask = load_le<std::uint64_t>(at + kMaskAt);
  header.packet = load_le<std::uint32_t>(at + kLastPacketAt);
  const unsigned rail = load_le<std::uint8_t>(at + kRailOfPacketAt);
  header.of_fragments = (rail & kOfFragments) != 0;
  header.before_it = (rail & kBeforeIt) != 0;
  (header.of_fragments ? header.virtual_fragment : header.message) =
      header.of_fragments ? which : header.all_before + which;
  header.rail = static_cast<std::uint8_t>(rail & ~(kOfFragments | kBeforeIt));
  header.heard = load_le<std::uint8_t>(at + kHeardByThenAt);
  header.delay_us = load_le<std::uint16_t>(at + kDelayAt);
  const bool valid = header.rail < kMessageRailsMax && (header.of_fragments || !header.before_it);
  return valid ? MessageDecodeStatus::ok : MessageDecodeStatus::bad_fields;
}

void encode_grant(const MessageHeader& header, HeaderWords& to) {
  to.put<kPacketAt>(header.packet);
  to.put<kMessageAt>(header.message);
  to.put<kUptoAt>(header.upto);
  to.put<kFinalAt>(static_cast<std::uint8_t>(header.final ? 1 : 0));
  to.put<kHeardOfGrantAt>(header.heard);
}

MessageDecodeStatus decode_grant(const std::byte* at, MessageHeader& header) {
  header.packet = load_le<std::uint32_t>(at + kPacketAt);
  header.message = load_le<std::uint32_t>(at + kMessageAt);
  header.upto = load_le<std::uint64_t>(at + kUptoAt);
  const auto final = load_le<std::uint8_t>(at + kFinalAt);
  header.final = final == 1;
  header.heard = load_le<std::uint8_t>(at + kHeardOfGrantAt);
  const bool valid = final <= 1 && all_zero<kZeros6>(at + kZeros6At);
  return valid ? MessageDecodeStatus::ok : MessageDecodeStatus::bad_fields;
}

void encode_probe(const MessageHeader& header, HeaderWords& to) {
  HOLDFAST_ASSERT(header.rail < kMessageRailsMax);
  to.put<kPacketAt>(header.packet);
  to.put<kStampAt>(header.stamp);
  to.put<kHeardAt>(header.heard);
  to.put<kRailAt>(header.rail);
  const bool asks = header.type == MessageFrameType::probe;
  to.put<kLeftAt>(asks ? header.left : std::uint8_t{0});
  to.put<kFailedAt>(asks ? header.failed : std::uint8_t{0});
  to.put<kLeavingsAt>(asks ? header.leavings : std::uint8_t{0});
}

MessageDecodeStatus decode_probe(const std::byte* at, MessageHeader& header) {
  header.packet = load_le<std::uint32_t>(at + kPacketAt);
  header.stamp = load_le<std::uint64_t>(at + kStampAt);
  header.heard = load_le<std::uint8_t>(at + kHeardAt);
  header.rail = load_le<std::uint8_t>(at + kRailAt);
  header.left = load_le<std::uint8_t>(at + kLeftAt);
  header.failed = load_le<std::uint8_t>(at + kFailedAt);
  header.leavings = load_le<std::uint8_t>(at + kLeavingsAt);
  const bool says = header.left != 0 || header.leavings != 0;
  const bool valid =
      header.rail < kMessageRailsMax && load_le<std::uint32_t>(at + kZeros4At) == 0 &&
      (header.failed & ~header.left) == 0 && (header.type == MessageFrameType::probe || !says) &&
      all_zero<kLastZeros>(at + kLastZerosAt);
  return valid ? MessageDecodeStatus::ok : MessageDecodeStatus::bad_fields;
}

MessageDecodeStatus decode_fields(const std::byte* at, std::size_t payload, MessageHeader& header) {
  switch (header.type) {
    case MessageFrameType::eager:
    case MessageFrameType::request:
      return decode_start(at, payload, header);
    case MessageFrameType::fragment:
    case MessageFrameType::data:
      return decode_part(at, payload, header);
    case MessageFrameType::acknowledgement:
      return decode_acknowledgement(at, header);
    case MessageFrameType::grant:
      return decode_grant(at, header);
    case MessageFrameType::probe:
    case MessageFrameType::answer:
      return decode_probe(at, header);
  }
  return MessageDecodeStatus::bad_type;
}

// ok, too_short, bad_magic, bad_version or bad_type, in this order.
MessageDecodeStatus check_beginning(std::span<const std::byte> frame) {
  if (frame.size() < kMessageHeaderBytes) return MessageDecodeStatus::too_short;
  const std::byte* const at = frame.data();
  if (load_le<std::uint16_t>(at + kMagicAt) != kMessageMagic) return MessageDecodeStatus::bad_magic;
  if (load_le<std::uint8_t>(at + kVersionAt) != kMessageVersion)
    return MessageDecodeStatus::bad_version;
  const auto type = load_le<std::uint8_t>(at + kTypeAt);
  const bool known = type >= static_cast<std::uint8_t>(MessageFrameType::eager) &&
                     type <= static_cast<std::uint8_t>(MessageFrameType::answer);
  return known ? MessageDecodeStatus::ok : MessageDecodeStatus::bad_type;
}

// Where a frame's own checksum lies: behind all that it is of.
std::size_t checksum_at(MessageFrameType type) {
  return has_seal(type) ? kSealAt : kHeaderChecksumAt;
}

std::uint32_t checksum_of(const std::byte* at, MessageFrameType type, ConnectionSeed connection) {
  return has_seal(type) ? short_crc32c<kSealAt>(at, connection.header)
                        : short_crc32c<kHeaderChecksumAt>(at, connection.header);
}

bool verifies(const std::byte* at, MessageFrameType type, ConnectionSeed connection) {
  return load_le<std::uint32_t>(at + checksum_at(type)) == checksum_of(at, type, connection) &&
         (!has_seal(type) || all_zero<kSealZeros>(at + kSealZerosAt));
}

}  // namespace

ConnectionSeed connection_seed(std::uint32_t job, ProcessId sender, Incarnation sender_incarnation,
                               ProcessId receiver, Incarnation receiver_incarnation) {
  const std::array<std::uint32_t, 5> meant{job, sender.value, sender_incarnation.value,
                                           receiver.value, receiver_incarnation.value};
  std::array<std::byte, sizeof meant> before;
  for (std::size_t i = 0; i < meant.size(); ++i)
    store_le(before.data() + i * sizeof meant[i], meant[i]);
  const auto life = [](ProcessId process, Incarnation incarnation) {
    return std::uint64_t{process.value} << 32 | incarnation.value;
  };
  const std::uint64_t from = mix64(mix64(job) ^ life(sender, sender_incarnation));
  return {crc32c(before), mix64(from ^ life(receiver, receiver_incarnation))};
}

std::uint64_t payload_seed(ConnectionSeed connection, std::uint32_t message,
                           std::uint64_t offset_in_message) {
  return mix64(mix64(connection.payload ^ message) ^ offset_in_message);
}

ProcessId sender_of_message_frame(std::span<const std::byte> frame) {
  if (check_beginning(frame) != MessageDecodeStatus::ok) return kNoProcess;
  return {load_le<std::uint32_t>(frame.data() + kSenderAt)};
}

MessageFrameType type_of_message_frame(std::span<const std::byte> frame) {
  return static_cast<MessageFrameType>(load_le<std::uint8_t>(frame.data() + kTypeAt));
}

std::span<const std::byte> first_message_frame(std::span<const std::byte> datagram) {
  const bool more = datagram.size() > kMessageHeaderBytes &&
                    check_beginning(datagram) == MessageDecodeStatus::ok &&
                    type_of_message_frame(datagram) == MessageFrameType::acknowledgement;
  return more ? datagram.first(kMessageHeaderBytes) : datagram;
}

void encode_message_header(const MessageHeader& header, ConnectionSeed connection, std::byte* at) {
  HeaderWords words;
  words.put<kMagicAt>(kMessageMagic);
  words.put<kVersionAt>(kMessageVersion);
  words.put<kTypeAt>(static_cast<std::uint8_t>(header.type));
  words.put<kSenderAt>(header.sender.value);
  switch (header.type) {
    case MessageFrameType::eager:
    case MessageFrameType::request:
      encode_start(header, words);
      break;
    case MessageFrameType::fragment:
    case MessageFrameType::data:
      encode_part(header, words);
      break;
    case MessageFrameType::acknowledgement:
      encode_acknowledgement(header, words);
      break;
    case MessageFrameType::grant:
      encode_grant(header, words);
      break;
    case MessageFrameType::probe:
    case MessageFrameType::answer:
      encode_probe(header, words);
      break;
  }
  words.store(at);
  store_le(at + checksum_at(header.type), checksum_of(at, header.type, connection));
}

void set_payload_checksum(std::uint32_t checksum, ConnectionSeed connection, std::byte* at) {
  store_le(at + kPayloadChecksumAt, checksum);
  store_le(at + kHeaderChecksumAt, short_crc32c<kHeaderChecksumAt>(at, connection.header));
}

MessageDecodeStatus decode_message_header(std::span<const std::byte> frame,
                                          ConnectionSeed connection, bool sealed,
                                          MessageHeader& header) {
  const std::size_t of_header = std::min(frame.size(), kMessageHeaderBytes);
  return decode_message_header(frame.first(of_header), frame.size() - of_header, connection, sealed,
                               header);
}

MessageDecodeStatus decode_message_header(std::span<const std::byte> beginning, std::size_t payload,
                                          ConnectionSeed connection, bool sealed,
                                          MessageHeader& header) {
  const MessageDecodeStatus status = check_beginning(beginning);
  if (status != MessageDecodeStatus::ok) return status;
  const std::byte* const at = beginning.data();
  const auto type = static_cast<MessageFrameType>(load_le<std::uint8_t>(at + kTypeAt));
  if (payload > 0 && !has_payload(type)) return MessageDecodeStatus::bad_length;
  const bool verified = (sealed && has_seal(type)) || verifies(at, type, connection);
  if (!verified) return MessageDecodeStatus::bad_checksum;
  header = {};
  header.type = type;
  header.sender = {load_le<std::uint32_t>(at + kSenderAt)};
  if (header.sender == kNoProcess) return MessageDecodeStatus::bad_fields;
  return decode_fields(at, payload, header);
}

}  // namespace holdfast::reliable
