// Each fabric knows its own addresses; they differ in length or in how they begin.
#include "hw/launch/job_address.hpp"

#include "hw/shm/shm_address.hpp"
#include "hw/udp/internet_socket.hpp"
#include "hw/udp/udp_address.hpp"

namespace holdfast::hw {

namespace {

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

}  // namespace

bool is_address_of(JobFabric fabric, const Address& address) {
  switch (fabric) {
    case JobFabric::udp:
    case JobFabric::tcp:
      return to_udp_endpoint(address).has_value();
    case JobFabric::shm:
      return to_shm_name(address).has_value();
  }
  return false;
}

std::string text_of(const Address& address) {
  if (const auto endpoint = to_udp_endpoint(address)) return text_of(*endpoint);
  if (const auto name = to_shm_name(address)) return *name;
  return hexadecimal(std::span(address.bytes).first(address.size));
}

}  // namespace holdfast::hw
