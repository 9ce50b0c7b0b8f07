// Interfaces in the order in which the kernel names them.
#include "hw/launch/local_ip.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "hw/udp/internet_socket.hpp"

namespace holdfast::hw {

namespace {

struct Network {
  IpAddress ip = kLoopback;
  std::size_t bits = 0;  // of it, the first ones, that all of its addresses have
};

bool is_in(const Network& network, const IpAddress& ip) {
  if (ip.is_v6() != network.ip.is_v6()) return false;
  for (std::size_t bit = 0; bit < network.bits; ++bit) {
    const unsigned mask = 0x80u >> bit % 8;
    if (((ip.bytes()[bit / 8] ^ network.ip.bytes()[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

// Absent: of another family, or link-local.
std::optional<IpAddress> ip_of(const sockaddr* name) {
  if (name == nullptr) return std::nullopt;
  if (name->sa_family == AF_INET) {
    return IpAddress(ntohl(reinterpret_cast<const sockaddr_in*>(name)->sin_addr.s_addr));
  }
  if (name->sa_family != AF_INET6) return std::nullopt;
  IpAddress::V6 bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6*>(name)->sin6_addr, bytes.size());
  const IpAddress ip(bytes);
  return ip.is_link_local() ? std::nullopt : std::optional(ip);
}

std::optional<IpAddress> first_in(const Network& network) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return std::nullopt;
  std::optional<IpAddress> found;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next) {
    if ((one->ifa_flags & IFF_UP) == 0) continue;
    const auto ip = ip_of(one->ifa_addr);
    if (ip && is_in(network, *ip)) found = ip;
  }
  ::freeifaddrs(all);
  return found;
}

std::string find_in_network(std::string_view text, std::size_t slash, IpAddress& ip) {
  Network network;
  if (std::string wrong = parse_ip(std::string(text.substr(0, slash)), network.ip);
      !wrong.empty()) {
    return wrong;
  }
  const std::size_t bits_max = 8 * network.ip.bytes().size();
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + slash + 1, end, network.bits);
  if (parsed.ec != std::errc{} || parsed.ptr != end || network.bits < 1 ||
      network.bits > bits_max) {
    return "is no network; expected 1 to " + std::to_string(bits_max) +
           " after the slash, as in 10.1.0.0/16 or fd00::/64";
  }
  const auto found = first_in(network);
  if (!found) return "is a network in which this machine has no address that is up";
  ip = *found;
  return "";
}

}  // namespace

std::string find_local_ip(const std::string& text, IpAddress& ip) {
  if (const std::size_t slash = text.find('/'); slash != std::string::npos) {
    return find_in_network(text, slash, ip);
  }
  if (std::string wrong = parse_ip(text, ip); !wrong.empty()) return wrong;
  return ip.is_any() ? "is every address of a machine; expected one of them" : "";
}

}  // namespace holdfast::hw
