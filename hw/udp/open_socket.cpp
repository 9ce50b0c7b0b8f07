// How the socket of the UDP fabric is opened: once, with everything that may fail. And those of its
// peers, without which it does.
#include "hw/udp/open_socket.hpp"

#include <fcntl.h>
#include <netinet/udp.h>
#include <sys/epoll.h>

#include <algorithm>

#include "hw/udp/internet_socket.hpp"
#include "hw/udp/udp_fabric.hpp"

namespace holdfast::hw {

namespace {

Status failure(const char* what, const UdpOptions& options) {
  return socket_failure(what, "UDP", options.local);
}

bool set_option(int socket, int name, int value) {
  return ::setsockopt(socket, SOL_SOCKET, name, &value, sizeof value) == 0;
}

// Beyond the administrator's limit if we may, else as large as allowed; never an error.
void size_buffer(int socket, int name_forced, int name, std::uint32_t bytes) {
  const int value = static_cast<int>(std::min<std::uint32_t>(bytes, 1u << 30));
  if (!set_option(socket, name_forced, value)) set_option(socket, name, value);
}

}  // namespace

Descriptor open_connected(const IpAddress& from, const SocketName& peer,
                          std::uint32_t buffer_bytes) {
  Descriptor socket(::socket(peer.any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const SocketName name({from, 0});
  if (!socket.is_open() || ::bind(socket.get(), &name.any, name.size) != 0 ||
      ::connect(socket.get(), &peer.any, peer.size) != 0) {
    return {};
  }
  size_buffer(socket.get(), SO_SNDBUFFORCE, SO_SNDBUF, buffer_bytes);
  return socket;
}

Status UdpFabric::open(const UdpOptions& options, std::unique_ptr<UdpFabric>& opened) {
  HOLDFAST_ASSERT(options.frame_bytes_max >= 1 && options.frame_bytes_max <= 65'507);
  HOLDFAST_ASSERT(options.send_depth >= 1 && options.receive_depth >= 1 && options.peers_max >= 1);
  Descriptor socket(
      ::socket(family_of(options.local), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return failure("cannot create", options);
  if (options.share_port && !set_option(socket.get(), SO_REUSEADDR, 1)) {
    return failure("cannot share the port of", options);
  }
  const SocketName name(options.local);
  if (::bind(socket.get(), &name.any, name.size) != 0) return failure("cannot bind", options);
  if (!set_option(socket.get(), SO_TIMESTAMPNS, 1)) {
    return failure("cannot have times of arrival from", options);
  }
  // Datagrams that came together are handed over together; a kernel that cannot hands them over one
  // by one.
  const int on = 1;
  (void)::setsockopt(socket.get(), SOL_UDP, UDP_GRO, &on, sizeof on);
  size_buffer(socket.get(), SO_RCVBUFFORCE, SO_RCVBUF, options.receive_buffer_bytes);
  size_buffer(socket.get(), SO_SNDBUFFORCE, SO_SNDBUF, options.send_buffer_bytes);

  Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.is_open()) return failure("cannot watch", options);
  const UdpEndpoint local = local_name(socket.get());
  std::unique_ptr<PortWatch> port;
  if (Status status = PortWatch::open(options.port, local, epoll, port); !status.is_ok())
    return status;
  opened.reset(new UdpFabric(options, std::move(socket), std::move(epoll), std::move(port), local));
  return Status::ok();
}

}  // namespace holdfast::hw
