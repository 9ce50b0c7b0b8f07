// Names and stamps of sockets.
#include "hw/udp/internet_socket.hpp"

#include <arpa/inet.h>
#include <time.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace holdfast::hw {

sockaddr_in to_socket_name(UdpEndpoint endpoint) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(endpoint.ipv4);
  name.sin_port = htons(endpoint.port);
  return name;
}

UdpEndpoint local_name(int socket) {
  sockaddr_in name{};
  socklen_t size = sizeof name;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size);
  return {ntohl(name.sin_addr.s_addr), ntohs(name.sin_port)};
}

std::string text_of(UdpEndpoint endpoint) {
  const in_addr address{htonl(endpoint.ipv4)};
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return std::string(text.data()) + ":" + std::to_string(endpoint.port);
}

Status socket_failure(const char* what, const char* protocol, UdpEndpoint endpoint) {
  const std::string why = std::strerror(errno);
  return Status::error(std::string(what) + " " + protocol + " socket " + text_of(endpoint) + ": " +
                       why);
}

std::optional<std::int64_t> arrival_stamp(msghdr& header) {
  std::optional<std::int64_t> wall_ns;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
    wall_ns = std::int64_t{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec;
  }
  return wall_ns;
}

}  // namespace holdfast::hw
