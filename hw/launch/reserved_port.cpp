// The order matters: bound before SO_REUSEADDR, so that the port was nobody's before.
#include "hw/launch/reserved_port.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "hw/udp/internet_socket.hpp"

namespace holdfast::hw {

namespace {

constexpr const char* kRaiseLimit =
    "; ulimit -n is to be raised, a launcher takes two or three for each process and one or two "
    "for each of its rails";

}  // namespace

Status ReservedPort::reserve(Kind kind, const IpAddress& ip) {
  const bool udp = kind == Kind::udp;
  const UdpEndpoint wanted{ip, 0};
  const int type = (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC;
  socket_ = Descriptor(::socket(family_of(wanted), type, 0));
  const SocketName name(wanted);
  const int yes = 1;
  bool is_ours = socket_.is_open() && ::bind(socket_.get(), &name.any, name.size) == 0 &&
                 ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0;
  if (is_ours) port_ = local_name(socket_.get()).port;
  if (is_ours && udp) {
    const SocketName itself(UdpEndpoint{ip, port_});
    is_ours = ::connect(socket_.get(), &itself.any, itself.size) == 0;
  }
  if (is_ours) return Status::ok();
  return Status::error(std::string("cannot reserve a ") + (udp ? "UDP" : "TCP") + " port on " +
                       text_of(ip) + ": " + std::strerror(errno) +
                       (errno == EMFILE ? kRaiseLimit : ""));
}

}  // namespace holdfast::hw
