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

sockaddr_in to_socket_name(UdpEndpoint endpoint);

// What a socket is bound to.
UdpEndpoint local_name(int socket);

// "127.0.0.1:4000"
std::string text_of(UdpEndpoint endpoint);

// "cannot bind UDP socket 127.0.0.1:4000: Address already in use"; errno says why.
Status socket_failure(const char* what, const char* protocol, UdpEndpoint endpoint);

// The stamp that the kernel has put on what recvmsg has read (SO_TIMESTAMPNS), in nanoseconds of
// the wall clock; absent if it has put none.
std::optional<std::int64_t> arrival_stamp(msghdr& header);

}  // namespace holdfast::hw
