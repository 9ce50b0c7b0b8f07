// Each fabric knows its own addresses; they differ in length or in how they begin.
#include "hw/launch/job_address.hpp"

#include <arpa/inet.h>

#include <array>
#include <span>

#include "hw/shm/shm_address.hpp"
#include "hw/udp/internet_socket.hpp"
#include "hw/udp/udp_address.hpp"
#include "hw/verbs/verbs_address.hpp"

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

// As ibv_devinfo writes it.
std::string text_of_gid(const std::array<std::byte, 16>& gid) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET6, gid.data(), text.data(), text.size());
  return text.data();
}

}  // namespace

bool is_address_of(JobFabric fabric, const Address& address) {
  switch (fabric) {
    case JobFabric::udp:
    case JobFabric::tcp:
      return to_udp_endpoint(address).has_value();
    case JobFabric::shm:
      return to_shm_name(address).has_value();
    case JobFabric::verbs:
      return to_verbs_endpoint(address).has_value();
  }
  return false;
}

std::string text_of(const Address& address) {
  if (const auto name = to_shm_name(address)) return *name;
  if (const auto port = to_verbs_port(address)) {
    return "GID " + text_of_gid(port->gid) +
           (port->lid == 0 ? "" : ", LID " + std::to_string(port->lid)) +
           (port->queue_pair == 0 ? "" : ", queue pair " + std::to_string(port->queue_pair));
  }
  if (const auto endpoint = to_udp_endpoint(address)) return text_of(*endpoint);
  return hexadecimal(std::span(address.bytes).first(address.size));
}

}  // namespace holdfast::hw
