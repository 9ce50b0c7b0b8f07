// How the socket of the UDP fabric is opened: once, with everything that may fail.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "hw/udp/udp_fabric.hpp"

namespace holdfast::hw {

namespace {

std::string text_of(UdpEndpoint endpoint) {
  const in_addr address{htonl(endpoint.ipv4)};
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return std::string(text.data()) + ":" + std::to_string(endpoint.port);
}

Status failure(const char* what, UdpEndpoint endpoint) {
  return Status::error(std::string(what) + " UDP socket " + text_of(endpoint) + ": " +
                       std::strerror(errno));
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

Status UdpFabric::open(const UdpOptions& options, std::unique_ptr<UdpFabric>& opened) {
  HOLDFAST_ASSERT(options.frame_bytes_max >= 1 && options.frame_bytes_max <= 65'507);
  HOLDFAST_ASSERT(options.send_depth >= 1 && options.receive_depth >= 1 && options.peers_max >= 1);
  Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return failure("cannot create", options.local);
  if (options.share_port && !set_option(socket.get(), SO_REUSEADDR, 1)) {
    return failure("cannot share the port of", options.local);
  }
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(options.local.ipv4);
  name.sin_port = htons(options.local.port);
  socklen_t size = sizeof name;
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0) {
    return failure("cannot bind", options.local);
  }
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return failure("cannot ask the name of", options.local);
  }
  if (!set_option(socket.get(), SO_TIMESTAMPNS, 1)) {
    return failure("cannot have times of arrival from", options.local);
  }
  size_buffer(socket.get(), SO_RCVBUFFORCE, SO_RCVBUF, options.receive_buffer_bytes);
  size_buffer(socket.get(), SO_SNDBUFFORCE, SO_SNDBUF, options.send_buffer_bytes);

  Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event nothing{};
  if (!epoll.is_open() || ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, socket.get(), &nothing) != 0) {
    return failure("cannot watch", options.local);
  }
  const UdpEndpoint local{options.local.ipv4, ntohs(name.sin_port)};
  opened.reset(new UdpFabric(options, std::move(socket), std::move(epoll), local));
  return Status::ok();
}

}  // namespace holdfast::hw
