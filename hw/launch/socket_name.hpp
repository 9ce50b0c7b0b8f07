// Names of IPv4 sockets, to the system and back, and as people write them.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "hw/udp/udp_address.hpp"

namespace holdfast::hw {

inline sockaddr_in name_of(UdpEndpoint endpoint) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(endpoint.ipv4);
  name.sin_port = htons(endpoint.port);
  return name;
}

inline UdpEndpoint endpoint_of(const sockaddr_in& name) {
  return {ntohl(name.sin_addr.s_addr), ntohs(name.sin_port)};
}

// Our side of it.
inline UdpEndpoint local_name(int socket) {
  sockaddr_in name{};
  socklen_t size = sizeof name;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size);
  return endpoint_of(name);
}

inline std::string text_of(UdpEndpoint endpoint) {
  const in_addr address{htonl(endpoint.ipv4)};
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return std::string(text.data()) + ":" + std::to_string(endpoint.port);
}

}  // namespace holdfast::hw
