// The order matters: bound before SO_REUSEADDR, so that the port was nobody's before.
#include "hw/launch/reserved_port.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace holdfast::hw {

Status ReservedPort::reserve(Kind kind) {
  const bool udp = kind == Kind::udp;
  socket_ = Descriptor(::socket(AF_INET, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  auto* address = reinterpret_cast<sockaddr*>(&name);
  const int yes = 1;
  if (!socket_.is_open() || ::bind(socket_.get(), address, size) != 0 ||
      ::getsockname(socket_.get(), address, &size) != 0 ||
      ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      (udp && ::connect(socket_.get(), address, size) != 0)) {
    return Status::error(std::string("cannot reserve a ") + (udp ? "UDP" : "TCP") +
                         " port on 127.0.0.1: " + std::strerror(errno));
  }
  port_ = ntohs(name.sin_port);
  return Status::ok();
}

}  // namespace holdfast::hw
