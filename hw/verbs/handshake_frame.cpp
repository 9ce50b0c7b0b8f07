// Length, magic, version and check are looked at before any field; then each field by itself.
#include "hw/verbs/handshake_frame.hpp"

#include <algorithm>

#include "stack/base/bytes.hpp"
#include "stack/base/random.hpp"

namespace holdfast::hw {

namespace {

constexpr std::uint32_t kMagic = 0x5248'4648;  // "HFHR"
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kCheckOffset = 64;

// PROTOCOL 11.3.
std::uint64_t check_of(const std::byte* bytes) {
  std::uint64_t check = 0;
  for (std::size_t i = 0; i < kCheckOffset; i += 8)
    check = mix64(check ^ load_le<std::uint64_t>(bytes + i));
  return check;
}

bool is_sound(const QueuePairFacts& pair) {
  return is_queue_pair(pair.number) && pair.first_sequence < 1u << 24 && pair.packet_size >= 1 &&
         pair.packet_size <= 5 && pair.reads_served >= 1;
}

bool is_sound(const HandshakeFrame& frame) {
  if (frame.says < Says::asking || frame.says > Says::gone) return false;
  if (frame.attempt == 0 || !is_queue_pair(frame.sender.queue_pair)) return false;
  if (frame.heard == 0 && frame.says != Says::asking) return false;
  return frame.says == Says::gone ? frame.pair == QueuePairFacts{} : is_sound(frame.pair);
}

}  // namespace

std::array<std::byte, kHandshakeBytes> encode(const HandshakeFrame& frame) {
  std::array<std::byte, kHandshakeBytes> bytes{};
  store_le(&bytes[0], kMagic);
  store_le(&bytes[4], kVersion);
  store_le(&bytes[5], static_cast<std::uint8_t>(frame.says));
  store_le(&bytes[6], frame.pair.packet_size);
  store_le(&bytes[7], frame.pair.reads_served);
  std::copy(frame.sender.gid.begin(), frame.sender.gid.end(), &bytes[8]);
  store_le(&bytes[24], frame.sender.lid);
  store_le(&bytes[28], frame.sender.queue_pair);
  store_le(&bytes[32], frame.attempt);
  store_le(&bytes[40], frame.order);
  store_le(&bytes[48], frame.heard);
  store_le(&bytes[56], frame.pair.number);
  store_le(&bytes[60], frame.pair.first_sequence);
  store_le(&bytes[kCheckOffset], check_of(bytes.data()));
  return bytes;
}

std::optional<HandshakeFrame> decode_handshake(std::span<const std::byte> bytes) {
  if (bytes.size() != kHandshakeBytes || load_le<std::uint32_t>(&bytes[0]) != kMagic ||
      load_le<std::uint8_t>(&bytes[4]) != kVersion ||
      load_le<std::uint64_t>(&bytes[kCheckOffset]) != check_of(bytes.data()) ||
      load_le<std::uint16_t>(&bytes[26]) != 0) {
    return std::nullopt;
  }
  HandshakeFrame frame;
  frame.says = static_cast<Says>(load_le<std::uint8_t>(&bytes[5]));
  frame.pair.packet_size = load_le<std::uint8_t>(&bytes[6]);
  frame.pair.reads_served = load_le<std::uint8_t>(&bytes[7]);
  std::copy_n(&bytes[8], frame.sender.gid.size(), frame.sender.gid.begin());
  frame.sender.lid = load_le<std::uint16_t>(&bytes[24]);
  frame.sender.queue_pair = load_le<std::uint32_t>(&bytes[28]);
  frame.attempt = load_le<std::uint64_t>(&bytes[32]);
  frame.order = load_le<std::uint64_t>(&bytes[40]);
  frame.heard = load_le<std::uint64_t>(&bytes[48]);
  frame.pair.number = load_le<std::uint32_t>(&bytes[56]);
  frame.pair.first_sequence = load_le<std::uint32_t>(&bytes[60]);
  if (!is_sound(frame)) return std::nullopt;
  return frame;
}

}  // namespace holdfast::hw
