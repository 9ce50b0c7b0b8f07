// send and recv, and nothing else.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "experiments/netpipe/raw_ends.hpp"
#include "hw/descriptor.hpp"
#include "hw/udp/internet_socket.hpp"

namespace holdfast::netpipe {
namespace {

class RawTcpEnd final : public OrderedEnd {
 public:
  RawTcpEnd(hw::Descriptor socket, bool sleeps) : socket_(std::move(socket)), sleeps_(sleeps) {}

 private:
  void send(std::span<const std::byte> message) override {
    Patience patience(name_);
    while (!message.empty()) {
      const ssize_t sent =
          ::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      advance(message, sent, POLLOUT, patience);
    }
  }

  void receive(std::span<std::byte> message) override {
    Patience patience(name_);
    while (!message.empty()) {
      const ssize_t got = ::recv(socket_.get(), message.data(), message.size(), MSG_DONTWAIT);
      if (got == 0) throw EndFailed(name_ + ": the connection has ended");
      advance(message, got, POLLIN, patience);
    }
  }

  template <class Bytes>
  void advance(Bytes& message, ssize_t done, short wanted, Patience& patience) {
    if (done > 0) {
      message = message.subspan(static_cast<std::size_t>(done));
      return;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
      throw EndFailed(name_ + ": " + std::strerror(errno));
    patience.look_in_vain(sleeps_);
    pollfd ready{socket_.get(), wanted, 0};
    if (sleeps_) ::poll(&ready, 1, 1000);
  }

  std::string name_ = "raw TCP";
  hw::Descriptor socket_;
  bool sleeps_;
};

Status failure(const char* what) {
  return hw::socket_failure(what, "TCP", {});
}

}  // namespace

Status open_raw_tcp(bool sleeps, RawPair& opened) {
  const hw::Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const hw::SocketName any_port{hw::UdpEndpoint{}};
  if (!listener.is_open() || ::bind(listener.get(), &any_port.any, any_port.size) != 0 ||
      ::listen(listener.get(), 1) != 0) {
    return failure("cannot listen at");
  }
  const hw::SocketName name(hw::local_name(listener.get()));
  std::array<hw::Descriptor, 2> both{
      hw::Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), hw::Descriptor()};
  if (!both[0].is_open() || ::connect(both[0].get(), &name.any, name.size) != 0)
    return failure("cannot connect to");
  both[1] = hw::Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!both[1].is_open()) return failure("cannot accept at");
  for (std::size_t i = 0; i < 2; ++i) {
    const int on = 1;
    ::setsockopt(both[i].get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    opened.ends[i] = std::make_unique<RawTcpEnd>(std::move(both[i]), sleeps);
  }
  return Status::ok();
}

}  // namespace holdfast::netpipe
