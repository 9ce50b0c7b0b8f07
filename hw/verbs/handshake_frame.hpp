// What two fabrics say to each other to make a connection: PROTOCOL 11.2. 72 bytes in one datagram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/verbs/verbs_address.hpp"

namespace holdfast::hw {

// What the other end must know of a queue pair to be joined to it.
struct QueuePairFacts {
  std::uint32_t number = 0;          // as in VerbsEndpoint
  std::uint32_t first_sequence = 0;  // of its first packet; below 2^24
  std::uint8_t packet_size = 0;      // 1 … 5: 256 … 4096 bytes, the most that its port takes
  std::uint8_t reads_served = 0;     // at one time; at least 1

  friend bool operator==(const QueuePairFacts&, const QueuePairFacts&) = default;
};

enum class Says : std::uint8_t { asking = 1, linked, ready, gone };

struct HandshakeFrame {
  Says says = Says::asking;
  VerbsEndpoint sender;       // its datagram queue pair
  std::uint64_t attempt = 0;  // the sender's, drawn at random; never 0
  std::uint64_t order = 0;    // of the sender's attempts: a later one has a greater
  std::uint64_t heard = 0;    // the receiver's, as the sender has heard it; 0: it has not
  QueuePairFacts pair;        // the sender's; nothing where it is gone

  friend bool operator==(const HandshakeFrame&, const HandshakeFrame&) = default;
};

constexpr std::size_t kHandshakeBytes = 72;

std::array<std::byte, kHandshakeBytes> encode(const HandshakeFrame& frame);
// Absent if these bytes are no such frame.
std::optional<HandshakeFrame> decode_handshake(std::span<const std::byte> bytes);

}  // namespace holdfast::hw
