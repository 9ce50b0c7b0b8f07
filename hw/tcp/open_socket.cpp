// Options, bind, listen, accept and connect; nothing here blocks.
#include "hw/tcp/open_socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "hw/listener_rest.hpp"
#include "hw/udp/internet_socket.hpp"

namespace holdfast::hw {

namespace {

// What is sent and not acknowledged for so long is given up with the connection, so that a network
// that comes back is found by a new connection and not by the old one's ever longer pauses.
constexpr int kUnacknowledgedMs = 2'000;

// Who only hears notices after a while that the other machine has died. One probe that is not
// answered within the interval is enough, as the limit above holds for probes, too.
constexpr int kKeepIdleS = 10, kKeepIntervalS = 5;

bool set_option(const Descriptor& socket, int level, int name, int value) {
  return ::setsockopt(socket.get(), level, name, &value, sizeof value) == 0;
}

Descriptor make_socket(const UdpEndpoint& end) {
  return Descriptor(::socket(family_of(end), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Whatever one of these the kernel does not have, connections work without.
void set_connection_options(const Descriptor& socket) {
  set_option(socket, SOL_SOCKET, SO_TIMESTAMPNS, 1);
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMs);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdleS);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, kKeepIntervalS);
}

bool bind_to(const Descriptor& socket, const UdpEndpoint& end) {
  const SocketName name(end);
  return ::bind(socket.get(), &name.any, name.size) == 0;
}

bool bind_where(const Descriptor& socket, const UdpEndpoint& local, LeavesFrom from) {
  if (from == LeavesFrom::own_port) {
    return set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1) &&
           set_option(socket, SOL_SOCKET, SO_REUSEPORT, 1) && bind_to(socket, local);
  }
  // The port is chosen when both ends are known, so as many can be had as for an unbound socket.
  // The address is not left to the kernel, which would choose it by the way that it knows to the
  // other side: that may be another rail's.
  set_option(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
  return bind_to(socket, {local.ip, 0});
}

}  // namespace

Descriptor open_listener(const UdpEndpoint& local) {
  Descriptor listener = make_socket(local);
  // Who comes back finds connections of its earlier life still being taken down.
  const bool listens = listener.is_open() && set_option(listener, SOL_SOCKET, SO_REUSEADDR, 1) &&
                       bind_to(listener, local) && ::listen(listener.get(), SOMAXCONN) == 0;
  // Only now, for our connections that leave from its port: with this at bind() a second listener
  // could have the same port, and neither would know.
  if (listens) set_option(listener, SOL_SOCKET, SO_REUSEPORT, 1);
  return listens ? std::move(listener) : Descriptor();
}

Accepted accept_one(const Descriptor& listener) {
  for (;;) {
    SocketName from;
    from.size = sizeof from.v6;
    Descriptor socket(
        ::accept4(listener.get(), &from.any, &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.is_open()) {
      set_connection_options(socket);
      return {std::move(socket), endpoint_of(from)};
    }
    if (errno != EINTR && errno != ECONNABORTED) return {{}, {}, is_exhausted(errno)};
  }
}

Begun begin_connection(const UdpEndpoint& local, const UdpEndpoint& to, LeavesFrom from) {
  Descriptor socket = make_socket(to);
  if (!socket.is_open()) return {};
  set_connection_options(socket);
  const SocketName name(to);
  if (bind_where(socket, local, from)) {
    if (::connect(socket.get(), &name.any, name.size) == 0) return {std::move(socket), true};
    if (errno == EINPROGRESS) return {std::move(socket), false};
  }
  if (from == LeavesFrom::own_port) return begin_connection(local, to, LeavesFrom::any_port);
  return {};
}

}  // namespace holdfast::hw
