// What sockets of UDP and of TCP have in common: how endpoints are named to the kernel and to
// people, and when what was read had arrived.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

#include "hw/udp/udp_address.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

// An endpoint as the kernel has it; without one the size is zero.
struct SocketName {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  };
  socklen_t size = 0;

  SocketName() : v6{} {}
  explicit SocketName(const UdpEndpoint& endpoint);
};

// Of a name of AF_INET or AF_INET6.
UdpEndpoint endpoint_of(const SocketName& name);

// AF_INET or AF_INET6
int family_of(const UdpEndpoint& endpoint);

// What a socket is bound to.
UdpEndpoint local_name(int socket);

// "127.0.0.1:4000", "[::1]:4000"
std::string text_of(const UdpEndpoint& endpoint);
std::string text_of(const IpAddress& address);

// Reads an address of this machine, "10.0.0.1" or "fd00::1". Returns what is wrong with it, as the
// end of a sentence that begins with what it is; empty: nothing.
std::string parse_ip(const std::string& text, IpAddress& address);

// "cannot bind UDP socket 127.0.0.1:4000: Address already in use"; errno says why.
Status socket_failure(const char* what, const char* protocol, const UdpEndpoint& endpoint);

// What the kernel says beside what recvmsg has read.
struct ReceiveNotes {
  std::optional<std::int64_t> wall_ns;  // when it arrived (SO_TIMESTAMPNS), of the wall clock
  std::uint16_t segment_bytes = 0;      // it is several datagrams of that size, the last one may be
                                        // shorter (UDP_GRO); 0: it is one
};
ReceiveNotes read_notes(msghdr& header);

}  // namespace holdfast::hw
