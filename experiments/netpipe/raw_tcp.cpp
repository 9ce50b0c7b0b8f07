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

Status failure(const char* what, const hw::UdpEndpoint& at) {
  return hw::socket_failure(what, "TCP", at);
}

Status listen_at(const hw::UdpEndpoint& local, hw::Descriptor& listener) {
  listener = hw::Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const hw::SocketName name{local};
  if (!listener.is_open() || ::bind(listener.get(), &name.any, name.size) != 0 ||
      ::listen(listener.get(), 1) != 0) {
    return failure("cannot listen at", local);
  }
  return Status::ok();
}

Status connect_to(const hw::UdpEndpoint& other, hw::Descriptor& connected) {
  connected = hw::Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const hw::SocketName name{other};
  if (!connected.is_open() || ::connect(connected.get(), &name.any, name.size) != 0)
    return failure("cannot connect to", other);
  return Status::ok();
}

}  // namespace

Status open_raw_tcp(const Places& places, bool sleeps, RawPair& opened) {
  hw::Descriptor listener;
  std::array<hw::Descriptor, 2> both;
  Status status = places.at(1, [&] { return listen_at(places.address(1, 0), listener); });
  hw::UdpEndpoint to;
  if (status.is_ok()) {
    to = hw::local_name(listener.get());
    status = places.at(0, [&] { return connect_to(to, both[0]); });
  }
  if (!status.is_ok()) return status;
  both[1] = hw::Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!both[1].is_open()) return failure("cannot accept at", to);
  for (std::size_t i = 0; i < 2; ++i) {
    const int on = 1;
    ::setsockopt(both[i].get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    opened.ends[i] = std::make_unique<RawTcpEnd>(std::move(both[i]), sleeps);
  }
  return Status::ok();
}

}  // namespace holdfast::netpipe
