// The frames that carry messages (specification, section 13): what lies where, encoding, decoding.
// Control frames, which carry beliefs, are in stack/wire/frame.hpp.
//
// A message is cut into virtual fragments of up to 64 fragments each (Shipman, Graham, Bosilca:
// Network Fault Tolerance in Open MPI, section 3.3); a frame carries one fragment, and an
// acknowledgement says of one virtual fragment which of its fragments have arrived, or which
// messages have. No frame names memory: only numbers that the receiver looks up.
//
// All frames begin alike. Offsets in bytes, little-endian:
//
//    0  magic 2, version 1, type 1
//    4  sender 4              process
//    8  packet 4              counts the frames from this sender to this receiver on this rail, but
//                             not its acknowledgements, which are not acknowledged
//
// `eager` (a message's first fragment) and `request` (of a rendezvous; no payload follows):
//   12  message 4             counts the messages from this sender to this receiver
//   16  context 4, tag 8      what it is matched by, beside its sender
//   28  bytes 8               of the whole message
//   36  virtual fragment 4    counts those of this sender to this receiver
//
// `fragment` (another one of an eager message) and `data` (of one that was granted):
//   12  message 4, virtual fragment 4
//   20  offset 8              of the virtual fragment in its message
//   28  bytes 4               of the virtual fragment
//   32  fragment bytes 4      of each of its fragments but the last
//   36  index 1               of this fragment in it, 0 … 63
//   37  zero 3
//
// These four end with
//   40  payload checksum 4    of what follows the header; 0 where checksums are off
//   44  header checksum 4     CRC-32C of who is meant (below) and the 44 bytes before it
// and the payload, which is the rest of the frame.
//
// `acknowledgement`:
//    8  all before 4          every message below this one has arrived whole
//   12  which 2               whose mask follows: a virtual fragment, its number modulo 2^16, or
//                             how far the message of bit 0 is from `all before`
//   14  credit 2              KiB of eager data given back since the beginning, modulo 2^16
//   16  mask 8                bit i: fragment i of it has arrived; or message i of those has, whole
//   24  packet 4              the latest of those that have come on `rail`
//   28  rail 1                which rail; +64: all of the message before the virtual fragment has
//                             arrived; +128: the mask is of a virtual fragment
//   29  heard 1               bit r: something came on rail r lately
//   30  delay 2               µs from that packet's arrival to this frame, at most 65535
// `grant`:
//    8  packet 4, message 4
//   16  upto 8                so many bytes of the message may be sent
//   24  final 1               1: no more will be granted, the receiver wants no more of it
//   25  heard 1, zero 6
// `probe` and `answer` (to a probe, its stamp repeated):
//    8  packet 4, zero 4
//   16  stamp 8
//   24  heard 1, rail 1
//   26  left 1, failed 1      of a probe: bit r: its sender sends nothing on rail r; and its own
//                             network took that rail from it
//   28  leavings 1            of a probe: counts how often its sender has left one, modulo 256
//   29  zero 3; of an answer 6, from 26 on
// These four end with
//   32  seal 16               keyed, or CRC-32C of who is meant and the 32 bytes before it, then
//                             twelve zeros
//
// A frame is a datagram, but for an acknowledgement, which another frame may follow in the same
// one: whatever it is, each of them is checked by itself.
//
// Who is meant needs no bytes: the job, sender, its incarnation, receiver and its incarnation, 4
// bytes each, come before the header in its checksum, as if they had been sent; the payload's
// checksum and the key come from them too. So a frame of another connection does not verify.
//
// Beside stack/wire, whose frames are sealed or bare, because these need a checksum of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/base/ids.hpp"
#include "stack/reliable/number_order.hpp"

namespace holdfast::reliable {

constexpr std::uint16_t kMessageMagic = 0x4d48;
constexpr std::uint8_t kMessageVersion = 3;
constexpr std::size_t kMessageHeaderBytes = 48;  // of every frame; only four types have a payload
constexpr unsigned kFragmentsMax = 64;           // of a virtual fragment
constexpr unsigned kMessageRailsMax = 8;         // bits of `heard`, `left` and `failed`

enum class MessageFrameType : std::uint8_t {
  eager = 1,
  request = 2,
  fragment = 3,
  data = 4,
  acknowledgement = 5,
  grant = 6,
  probe = 7,
  answer = 8,
};

// The fields of any message frame; those that its type does not have are zero.
struct MessageHeader {
  MessageFrameType type = MessageFrameType::eager;
  ProcessId sender;
  std::uint32_t packet = 0;
  std::uint32_t message = 0;           // of an acknowledgement of messages: that of bit 0
  std::uint32_t virtual_fragment = 0;  // of an acknowledgement: modulo 2^16, or 0
  std::uint32_t context = 0;
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;   // of the message; of `fragment` and `data`: of the virtual fragment
  std::uint64_t offset = 0;  // of the virtual fragment in its message
  std::uint32_t fragment_bytes = 0;
  std::uint8_t index = 0;
  std::uint32_t payload_checksum = 0;
  std::uint32_t all_before = 0;
  bool of_fragments = false;  // the mask is of virtual_fragment, else of `message` and what follows
  bool before_it = false;     // all of the message before virtual_fragment has arrived
  std::uint16_t credit = 0;
  std::uint64_t mask = 0;
  std::uint8_t rail = 0;
  std::uint8_t heard = 0;
  std::uint8_t left = 0;
  std::uint8_t failed = 0;
  std::uint8_t leavings = 0;
  std::uint16_t delay_us = 0;
  std::uint64_t upto = 0;
  bool final = false;
  std::uint64_t stamp = 0;

  // A grant of nothing, of whatever message: the connection is over.
  bool is_refusal() const { return type == MessageFrameType::grant && final && upto == 0; }

  friend bool operator==(const MessageHeader&, const MessageHeader&) = default;
};

enum class MessageDecodeStatus : std::uint8_t {
  ok,
  too_short,  // for a header
  bad_magic,
  bad_version,
  bad_type,
  bad_length,    // not the payload that its type and its fields say
  bad_checksum,  // of the header, for this connection
  bad_fields,    // counts, ranges or zeros
};

// Which connection and direction a frame belongs to, as it goes into its checksums: the same for
// sender and receiver. `header` differs for certain if one of the five numbers does, whatever its
// value; if several do, both members are different but for one case in 2^32 and in 2^64.
struct ConnectionSeed {
  std::uint32_t header = 0;   // CRC-32C of who is meant: what the header's goes on from
  std::uint64_t payload = 0;  // the five numbers, mixed

  friend bool operator==(ConnectionSeed, ConnectionSeed) = default;
};
ConnectionSeed connection_seed(std::uint32_t job, ProcessId sender, Incarnation sender_incarnation,
                               ProcessId receiver, Incarnation receiver_incarnation);

// What the checksum of a payload begins with: a fragment in the wrong place does not verify. Of one
// connection and message each offset has another value for certain, and of one connection and
// offset each message.
std::uint64_t payload_seed(ConnectionSeed connection, std::uint32_t message,
                           std::uint64_t offset_in_message);

// The field for a checksum of 32 or 64 bits: of the latter both halves.
constexpr std::uint32_t payload_checksum_field(std::uint64_t checksum) {
  return static_cast<std::uint32_t>(checksum ^ checksum >> 32);
}

// Who says to have sent a frame, so that its connection can be looked up; kNoProcess if it is too
// short, or of another magic, version or type. Nothing else has been checked then.
ProcessId sender_of_message_frame(std::span<const std::byte> frame);

// Of a frame for which that is a process.
MessageFrameType type_of_message_frame(std::span<const std::byte> frame);

// The first of those in a datagram, which is the whole of it unless another one follows. No more
// has been checked of it then than by sender_of_message_frame.
std::span<const std::byte> first_message_frame(std::span<const std::byte> datagram);

// Writes kMessageHeaderBytes at `at`, with the header's checksum, or for types with a seal the one
// in the seal's place; a keyed seal is written over it by whoever has the key. Fields that the type
// does not have are not looked at.
void encode_message_header(const MessageHeader& header, ConnectionSeed connection, std::byte* at);
// Into a header of a type with payload that has been written, whose own checksum follows.
void set_payload_checksum(std::uint32_t checksum, ConnectionSeed connection, std::byte* at);

// Checks length, magic, version, type, checksum (unless `sealed`: then whoever has the key has
// verified the frame, if its type has a seal), then every field against the others; not the
// payload's checksum. On failure `header` is unspecified.
[[nodiscard]] MessageDecodeStatus decode_message_header(std::span<const std::byte> frame,
                                                        ConnectionSeed connection, bool sealed,
                                                        MessageHeader& header);
// Likewise of a frame whose payload lies elsewhere: `beginning` is no more than its header.
[[nodiscard]] MessageDecodeStatus decode_message_header(std::span<const std::byte> beginning,
                                                        std::size_t payload_bytes,
                                                        ConnectionSeed connection, bool sealed,
                                                        MessageHeader& header);

constexpr bool has_payload(MessageFrameType type) {
  return type == MessageFrameType::eager || type == MessageFrameType::fragment ||
         type == MessageFrameType::data;
}
// Acknowledgement, grant, probe, answer.
constexpr bool has_seal(MessageFrameType type) {
  return type >= MessageFrameType::acknowledgement;
}

}  // namespace holdfast::reliable
