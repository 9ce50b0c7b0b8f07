// Addresses of the verbs fabric: where a queue pair is. 22 bytes, most significant byte first as in
// the headers on the wire: GID 16, LID 2 (0 on Ethernet), queue pair number 4.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "stack/fabric.hpp"

namespace holdfast::hw {

struct VerbsEndpoint {
  std::array<std::byte, 16> gid{};
  std::uint16_t lid = 0;
  std::uint32_t queue_pair = 0;  // 2 … 2^24 - 2: 0 and 1 are for management, the last for multicast

  friend bool operator==(const VerbsEndpoint&, const VerbsEndpoint&) = default;
};

constexpr std::uint8_t kVerbsAddressBytes = 22;

constexpr bool is_queue_pair(std::uint32_t number) {
  return number > 1 && number < 0xff'ffff;
}

constexpr Address to_address(const VerbsEndpoint& endpoint) {
  Address address;
  std::copy(endpoint.gid.begin(), endpoint.gid.end(), address.bytes.begin());
  const std::uint64_t rest = std::uint64_t{endpoint.lid} << 32 | endpoint.queue_pair;
  for (std::size_t i = 0; i < 6; ++i) {
    address.bytes[16 + i] = static_cast<std::byte>(rest >> (40 - 8 * i) & 0xff);
  }
  address.size = kVerbsAddressBytes;
  return address;
}

// What the bytes say, whatever the queue pair's number: 0 where only the port is known. Absent if
// they cannot be of this fabric.
constexpr std::optional<VerbsEndpoint> to_verbs_port(const Address& address) {
  if (address.size != kVerbsAddressBytes) return std::nullopt;
  VerbsEndpoint endpoint;
  std::copy(address.bytes.begin(), address.bytes.begin() + 16, endpoint.gid.begin());
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    rest = rest << 8 | std::to_integer<std::uint64_t>(address.bytes[16 + i]);
  }
  endpoint.lid = static_cast<std::uint16_t>(rest >> 32);
  endpoint.queue_pair = static_cast<std::uint32_t>(rest);
  return endpoint;
}

// Absent if the bytes are not an address of this fabric.
constexpr std::optional<VerbsEndpoint> to_verbs_endpoint(const Address& address) {
  const std::optional<VerbsEndpoint> endpoint = to_verbs_port(address);
  if (!endpoint || !is_queue_pair(endpoint->queue_pair)) return std::nullopt;
  return endpoint;
}

}  // namespace holdfast::hw
