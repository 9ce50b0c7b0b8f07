// Addresses of the UDP and TCP fabrics: an IP address and a port, both most significant byte first
// as on the wire. 6 bytes are version 4, 18 bytes version 6. Link-local addresses of version 6 are
// none: they mean something only beside an interface of one machine, and addresses travel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "stack/fabric.hpp"

namespace holdfast::hw {

// Of version 4 or 6.
class IpAddress {
 public:
  using V6 = std::array<std::uint8_t, 16>;  // as on the wire

  // Version 4, in the processor's byte order.
  constexpr IpAddress(std::uint32_t v4) : is_v6_(false) {
    for (std::size_t i = 0; i < 4; ++i) {
      bytes_[i] = static_cast<std::uint8_t>(v4 >> (24 - 8 * i) & 0xff);
    }
  }
  constexpr IpAddress(const V6& v6) : bytes_(v6), is_v6_(true) {}

  constexpr bool is_v6() const { return is_v6_; }
  // As on the wire: 4 or 16 bytes.
  constexpr std::span<const std::uint8_t> bytes() const {
    return std::span(bytes_).first(is_v6_ ? 16 : 4);
  }
  // "Every address of this machine": a place to listen at, none to send to.
  constexpr bool is_any() const { return bytes_ == V6{}; }
  // 127.0.0.0/8 or ::1: of this machine only.
  constexpr bool is_loopback() const {
    return is_v6_ ? bytes_ == V6{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1} : bytes_[0] == 127;
  }
  // fe80::/10
  constexpr bool is_link_local() const {
    return is_v6_ && bytes_[0] == 0xfe && (bytes_[1] & 0xc0) == 0x80;
  }

  friend constexpr bool operator==(const IpAddress&, const IpAddress&) = default;

 private:
  V6 bytes_{};  // version 4 uses the first four; the others are zero
  bool is_v6_;
};

constexpr std::uint32_t kLoopback = 0x7f00'0001;  // 127.0.0.1
constexpr IpAddress kLoopbackV6(IpAddress::V6{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});

struct UdpEndpoint {
  IpAddress ip = kLoopback;
  std::uint16_t port = 0;  // in the processor's byte order

  friend constexpr bool operator==(const UdpEndpoint&, const UdpEndpoint&) = default;
};

constexpr Address to_address(const UdpEndpoint& endpoint) {
  Address address;
  for (const std::uint8_t byte : endpoint.ip.bytes())
    address.bytes[address.size++] = std::byte{byte};
  address.bytes[address.size++] = static_cast<std::byte>(endpoint.port >> 8);
  address.bytes[address.size++] = static_cast<std::byte>(endpoint.port & 0xff);
  return address;
}

// Absent if the bytes are not an address of these fabrics.
constexpr std::optional<UdpEndpoint> to_udp_endpoint(const Address& address) {
  if (address.size != 6 && address.size != 18) return std::nullopt;
  const std::size_t ip_bytes = address.size - 2u;
  IpAddress::V6 bytes{};
  for (std::size_t i = 0; i < ip_bytes; ++i) {
    bytes[i] = std::to_integer<std::uint8_t>(address.bytes[i]);
  }
  const std::uint32_t v4 = std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
                           std::uint32_t{bytes[2]} << 8 | bytes[3];
  const UdpEndpoint endpoint{
      ip_bytes == 4 ? IpAddress(v4) : IpAddress(bytes),
      static_cast<std::uint16_t>(std::to_integer<unsigned>(address.bytes[ip_bytes]) << 8 |
                                 std::to_integer<unsigned>(address.bytes[ip_bytes + 1]))};
  if (endpoint.port == 0 || endpoint.ip.is_link_local()) return std::nullopt;
  return endpoint;
}

}  // namespace holdfast::hw
