// Names and notes of sockets.
#include "hw/udp/internet_socket.hpp"

#include <arpa/inet.h>
#include <netinet/udp.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace holdfast::hw {

namespace {

IpAddress address_of(const in6_addr& v6) {
  IpAddress::V6 bytes;
  std::memcpy(bytes.data(), &v6, bytes.size());
  return bytes;
}

}  // namespace

SocketName::SocketName(const UdpEndpoint& endpoint) : v6{} {
  const std::span<const std::uint8_t> ip = endpoint.ip.bytes();
  if (endpoint.ip.is_v6()) {
    v6.sin6_family = AF_INET6;
    std::memcpy(&v6.sin6_addr, ip.data(), ip.size());
    v6.sin6_port = htons(endpoint.port);
    size = sizeof v6;
  } else {
    v4.sin_family = AF_INET;
    std::memcpy(&v4.sin_addr, ip.data(), ip.size());
    v4.sin_port = htons(endpoint.port);
    size = sizeof v4;
  }
}

int family_of(const UdpEndpoint& endpoint) {
  return endpoint.ip.is_v6() ? AF_INET6 : AF_INET;
}

UdpEndpoint endpoint_of(const SocketName& name) {
  if (name.any.sa_family == AF_INET6) {
    return {address_of(name.v6.sin6_addr), ntohs(name.v6.sin6_port)};
  }
  return {ntohl(name.v4.sin_addr.s_addr), ntohs(name.v4.sin_port)};
}

UdpEndpoint local_name(int socket) {
  SocketName name;
  name.size = sizeof name.v6;
  ::getsockname(socket, &name.any, &name.size);
  return endpoint_of(name);
}

std::string text_of(const IpAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(address.is_v6() ? AF_INET6 : AF_INET, address.bytes().data(), text.data(),
              text.size());
  return text.data();
}

std::string text_of(const UdpEndpoint& endpoint) {
  const std::string ip = text_of(endpoint.ip);
  return (endpoint.ip.is_v6() ? "[" + ip + "]" : ip) + ":" + std::to_string(endpoint.port);
}

std::string parse_ip(const std::string& text, IpAddress& address) {
  in_addr v4{};
  in6_addr v6{};
  const std::string without_scope = text.substr(0, text.find('%'));
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) {
    address = ntohl(v4.s_addr);
  } else if (::inet_pton(AF_INET6, without_scope.c_str(), &v6) == 1) {
    address = address_of(v6);
    if (address.is_link_local() || without_scope != text) {
      return "is good beside one interface of one machine only, and this one is told to others; "
             "expected an address that is the same everywhere";
    }
    if (IN6_IS_ADDR_V4MAPPED(&v6)) return "is an IPv4 address in disguise; expected it as a.b.c.d";
  } else {
    return "is no IPv4 or IPv6 address";
  }
  return "";
}

Status socket_failure(const char* what, const char* protocol, const UdpEndpoint& endpoint) {
  const std::string why = std::strerror(errno);
  return Status::error(std::string(what) + " " + protocol + " socket " + text_of(endpoint) + ": " +
                       why);
}

ReceiveNotes read_notes(msghdr& header) {
  ReceiveNotes notes;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMPNS) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
      notes.wall_ns = std::int64_t{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec;
    } else if (part->cmsg_level == SOL_UDP && part->cmsg_type == UDP_GRO) {
      int bytes = 0;
      std::memcpy(&bytes, CMSG_DATA(part), sizeof bytes);
      notes.segment_bytes = static_cast<std::uint16_t>(bytes);
    }
  }
  return notes;
}

}  // namespace holdfast::hw
