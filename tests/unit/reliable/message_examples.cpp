// The tables of section 13, by hand.
#include "message_examples.hpp"

namespace holdfast::reliable {

void put(Frame& frame, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) frame[at + i] = std::byte(value >> (8 * i) & 0xff);
}

namespace {

// CRC-32C by its definition (RFC 3720, 12.1), a bit at a time.
std::uint32_t crc_of(const Frame& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
  }
  return ~crc;
}

Frame begun(Type type, std::size_t payload = 0) {
  Frame frame(48 + payload);
  put(frame, 0, 0x4d48, 2);
  put(frame, 2, 3, 1);
  put(frame, 3, static_cast<std::uint64_t>(type), 1);
  put(frame, 4, kSender.value, 4);
  for (std::size_t i = 0; i < payload; ++i) frame[48 + i] = std::byte(0xc0 + i % 16);
  return frame;
}

// `eager` or `request`, 10 bytes of 1000.
Frame start_by_hand(Type type) {
  const bool eager = type == Type::eager;
  Frame frame = begun(type, eager ? 10 : 0);
  put(frame, 8, 0xa1a2a3a4, 4);
  put(frame, 12, 0xb1b2b3b4, 4);
  put(frame, 16, 0xc1c2c3c4, 4);
  put(frame, 20, 0x1122334455667788, 8);
  put(frame, 28, 1000, 8);
  put(frame, 36, 0xd1d2d3d4, 4);
  put(frame, 40, eager ? 0xe1e2e3e4 : 0, 4);
  check_in(frame);
  return frame;
}

MessageHeader start(Type type) {
  MessageHeader header;
  header.type = type;
  header.sender = kSender;
  header.packet = 0xa1a2a3a4;
  header.message = 0xb1b2b3b4;
  header.context = 0xc1c2c3c4;
  header.tag = 0x1122334455667788;
  header.bytes = 1000;
  header.virtual_fragment = 0xd1d2d3d4;
  header.payload_checksum = type == Type::eager ? 0xe1e2e3e4 : 0;
  return header;
}

// `fragment` or `data`: the last of three fragments of 100 bytes, which has 7.
Frame part_by_hand(Type type) {
  Frame frame = begun(type, 7);
  put(frame, 8, 0xa1a2a3a4, 4);
  put(frame, 12, 0xb1b2b3b4, 4);
  put(frame, 16, 0xd1d2d3d4, 4);
  put(frame, 20, 0x0102030405060708, 8);
  put(frame, 28, 207, 4);
  put(frame, 32, 100, 4);
  put(frame, 36, 2, 1);
  put(frame, 40, 0xe1e2e3e4, 4);
  check_in(frame);
  return frame;
}

MessageHeader part(Type type) {
  MessageHeader header;
  header.type = type;
  header.sender = kSender;
  header.packet = 0xa1a2a3a4;
  header.message = 0xb1b2b3b4;
  header.virtual_fragment = 0xd1d2d3d4;
  header.offset = 0x0102030405060708;
  header.bytes = 207;
  header.fragment_bytes = 100;
  header.index = 2;
  header.payload_checksum = 0xe1e2e3e4;
  return header;
}

Frame acknowledgement_by_hand() {
  Frame frame = begun(Type::acknowledgement);
  put(frame, 8, 0xfffffffe, 4);
  put(frame, 12, 0x1234, 2);
  put(frame, 14, 0xabcd, 2);
  put(frame, 16, 0x8000000000000005, 8);
  put(frame, 24, 0xa1a2a3a4, 4);
  put(frame, 28, 128 + 64 + 7, 1);
  put(frame, 29, 0x83, 1);
  put(frame, 30, 0xfedc, 2);
  check_in(frame);
  return frame;
}

MessageHeader acknowledgement() {
  MessageHeader header;
  header.type = Type::acknowledgement;
  header.sender = kSender;
  header.all_before = 0xfffffffe;
  header.of_fragments = true;
  header.before_it = true;
  header.virtual_fragment = 0x1234;  // the rest of its number is not sent
  header.credit = 0xabcd;
  header.mask = 0x8000000000000005;
  header.packet = 0xa1a2a3a4;
  header.rail = 7;
  header.heard = 0x83;
  header.delay_us = 0xfedc;
  return header;
}

Frame grant_by_hand() {
  Frame frame = begun(Type::grant);
  put(frame, 8, 0xa1a2a3a4, 4);
  put(frame, 12, 0xb1b2b3b4, 4);
  put(frame, 16, 0x0102030405060708, 8);
  put(frame, 24, 1, 1);
  put(frame, 25, 0x83, 1);
  check_in(frame);
  return frame;
}

MessageHeader grant() {
  MessageHeader header;
  header.type = Type::grant;
  header.sender = kSender;
  header.packet = 0xa1a2a3a4;
  header.message = 0xb1b2b3b4;
  header.upto = 0x0102030405060708;
  header.final = true;
  header.heard = 0x83;
  return header;
}

Frame probe_by_hand(Type type) {
  Frame frame = begun(type);
  put(frame, 8, 0xa1a2a3a4, 4);
  put(frame, 16, 0x0102030405060708, 8);
  put(frame, 24, 0x83, 1);
  put(frame, 25, 5, 1);
  put(frame, 26, type == Type::probe ? 0x61 : 0, 1);
  put(frame, 27, type == Type::probe ? 0x41 : 0, 1);
  put(frame, 28, type == Type::probe ? 0x97 : 0, 1);
  check_in(frame);
  return frame;
}

MessageHeader probe(Type type) {
  MessageHeader header;
  header.type = type;
  header.sender = kSender;
  header.packet = 0xa1a2a3a4;
  header.stamp = 0x0102030405060708;
  header.heard = 0x83;
  header.rail = 5;
  header.left = type == Type::probe ? 0x61 : 0;
  header.failed = type == Type::probe ? 0x41 : 0;
  header.leavings = type == Type::probe ? 0x97 : 0;
  return header;
}

}  // namespace

std::vector<Example> examples() {
  return {{start_by_hand(Type::eager), start(Type::eager)},
          {start_by_hand(Type::request), start(Type::request)},
          {part_by_hand(Type::fragment), part(Type::fragment)},
          {part_by_hand(Type::data), part(Type::data)},
          {acknowledgement_by_hand(), acknowledgement()},
          {grant_by_hand(), grant()},
          {probe_by_hand(Type::probe), probe(Type::probe)},
          {probe_by_hand(Type::answer), probe(Type::answer)}};
}

void check_in(Frame& frame) {
  const bool seal = std::to_integer<int>(frame[3]) >= 5;
  const std::size_t at = seal ? 32 : 44;
  Frame covered(20);
  put(covered, 0, kJob, 4);
  put(covered, 4, kSender.value, 4);
  put(covered, 8, kSenderLife.value, 4);
  put(covered, 12, kReceiver.value, 4);
  put(covered, 16, kReceiverLife.value, 4);
  covered.insert(covered.end(), frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(at));
  put(frame, at, crc_of(covered), 4);
}

Example example(Type type) {
  return examples()[static_cast<std::size_t>(type) - 1];
}

}  // namespace holdfast::reliable
