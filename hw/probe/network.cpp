// SIOCGIF* for what every device has, ethtool for the rate, getifaddrs for addresses.
#include "hw/probe/network.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

#include "hw/descriptor.hpp"

namespace holdfast::hw {
namespace {

ifreq request_for(const std::string& name) {
  ifreq request{};
  name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  return request;
}

std::string ipv4_text(const ifaddrs& entry) {
  sockaddr_in address{}, mask{};
  std::memcpy(&address, entry.ifa_addr, sizeof address);
  if (entry.ifa_netmask != nullptr) std::memcpy(&mask, entry.ifa_netmask, sizeof mask);
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  return std::string(text.data()) + "/" + std::to_string(std::popcount(mask.sin_addr.s_addr));
}

std::string ipv6_text(const ifaddrs& entry) {
  sockaddr_in6 address{}, mask{};
  std::memcpy(&address, entry.ifa_addr, sizeof address);
  if (entry.ifa_netmask != nullptr) std::memcpy(&mask, entry.ifa_netmask, sizeof mask);
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
  int prefix = 0;
  for (const std::uint8_t byte : mask.sin6_addr.s6_addr) prefix += std::popcount(byte);
  return std::string(text.data()) + "/" + std::to_string(prefix);
}

// "a/24, b/64" by device.
std::map<std::string, std::string> addresses() {
  std::map<std::string, std::string> result;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return result;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    std::string text;
    if (entry->ifa_addr->sa_family == AF_INET) text = ipv4_text(*entry);
    if (entry->ifa_addr->sa_family == AF_INET6) text = ipv6_text(*entry);
    if (text.empty()) continue;
    std::string& line = result[entry->ifa_name];
    line += (line.empty() ? "" : ", ") + text;
  }
  return result;
}

void add_rate(FactGroup& device, int socket, ifreq request) {
  // ethtool_link_settings and the words of link modes behind it. The first call asks how many words
  // there are, the second one has room for them.
  alignas(ethtool_link_settings) std::array<std::byte, 4096> answer{};
  auto* const settings = reinterpret_cast<ethtool_link_settings*>(answer.data());
  request.ifr_data = reinterpret_cast<char*>(answer.data());
  settings->cmd = ETHTOOL_GLINKSETTINGS;
  bool told = ::ioctl(socket, SIOCETHTOOL, &request) == 0;
  if (told && settings->link_mode_masks_nwords < 0) {
    const int words = -settings->link_mode_masks_nwords;
    settings->cmd = ETHTOOL_GLINKSETTINGS;
    settings->link_mode_masks_nwords = static_cast<std::int8_t>(words);
    told = ::ioctl(socket, SIOCETHTOOL, &request) == 0;
  }
  if (told && settings->speed != 0 &&
      settings->speed != static_cast<std::uint32_t>(SPEED_UNKNOWN)) {
    device.add("rate", std::int64_t{settings->speed}, "Mb/s");
  } else {
    device.add_unknown("rate", "its driver does not say");
  }
}

void add_hardware_address(FactGroup& device, const ifreq& request) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(request.ifr_hwaddr.sa_data);
  char text[18];
  std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[0], bytes[1], bytes[2],
                bytes[3], bytes[4], bytes[5]);
  device.add("hardware_address", std::string(text));
}

}  // namespace

FactGroup probe_network() {
  FactGroup network{"network", {}, {}};
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) {
    network.add_unknown("devices", std::string("no socket: ") + std::strerror(errno));
    return network;
  }
  const std::map<std::string, std::string> address_of = addresses();
  struct if_nameindex* names = ::if_nameindex();
  const std::unique_ptr<struct if_nameindex, decltype(&::if_freenameindex)> owner(
      names, ::if_freenameindex);
  for (; names != nullptr && names->if_index != 0; ++names) {
    FactGroup device{names->if_name, {}, {}};
    ifreq request = request_for(device.name);
    if (::ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0) continue;  // it has just gone
    const auto flags = static_cast<unsigned>(static_cast<unsigned short>(request.ifr_flags));
    device.add("up", (flags & IFF_UP) != 0 && (flags & IFF_RUNNING) != 0);
    device.add("loopback", (flags & IFF_LOOPBACK) != 0);
    if (::ioctl(socket.get(), SIOCGIFMTU, &request) == 0)
      device.add("mtu", std::int64_t{request.ifr_mtu}, "bytes");
    add_rate(device, socket.get(), request_for(device.name));
    if (::ioctl(socket.get(), SIOCGIFHWADDR, &request) == 0) add_hardware_address(device, request);
    const auto found = address_of.find(device.name);
    device.add("addresses", found == address_of.end() ? std::string("none") : found->second);
    network.parts.push_back(std::move(device));
  }
  return network;
}

}  // namespace holdfast::hw
