// Addresses of the UDP fabric: six bytes, the IPv4 address and the port, both most significant byte
// first as on the wire.
#pragma once

#include <cstdint>
#include <optional>

#include "stack/fabric.hpp"

namespace holdfast::hw {

constexpr std::uint32_t kLoopback = 0x7f00'0001;  // 127.0.0.1

// Both in the processor's byte order.
struct UdpEndpoint {
  std::uint32_t ipv4 = kLoopback;
  std::uint16_t port = 0;

  friend bool operator==(UdpEndpoint, UdpEndpoint) = default;
};

constexpr Address to_address(UdpEndpoint endpoint) {
  Address address;
  for (std::size_t i = 0; i < 4; ++i) {
    address.bytes[i] = static_cast<std::byte>(endpoint.ipv4 >> (24 - 8 * i) & 0xff);
  }
  address.bytes[4] = static_cast<std::byte>(endpoint.port >> 8);
  address.bytes[5] = static_cast<std::byte>(endpoint.port & 0xff);
  address.size = 6;
  return address;
}

// Absent if the bytes are not an address of this fabric.
constexpr std::optional<UdpEndpoint> to_udp_endpoint(const Address& address) {
  if (address.size != 6) return std::nullopt;
  UdpEndpoint endpoint{0, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    endpoint.ipv4 = endpoint.ipv4 << 8 | std::to_integer<std::uint32_t>(address.bytes[i]);
  }
  endpoint.port = static_cast<std::uint16_t>(std::to_integer<unsigned>(address.bytes[4]) << 8 |
                                             std::to_integer<unsigned>(address.bytes[5]));
  if (endpoint.port == 0) return std::nullopt;
  return endpoint;
}

}  // namespace holdfast::hw
