// Non-blocking connect and send; see the header.
#include "hw/tcp/outgoing.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "hw/tcp/framing.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::hw {

namespace {

// Between two attempts to reach somebody who is not there.
constexpr Duration kAgain = milliseconds(20);

// What is sent and not acknowledged for so long is given up with the connection, so that a network
// that comes back is found by a new connection and not by the old one's ever longer pauses.
constexpr int kUnacknowledgedMs = 2'000;

}  // namespace

bool Outgoing::connect(Time now) {
  if (now < again_) return false;
  again_ = now + kAgain;
  Descriptor socket(::socket(family_of(to_), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return false;
  const int yes = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledgedMs,
               sizeof kUnacknowledgedMs);
  // The port is chosen when both ends are known, so as many can be had as for an unbound socket.
  ::setsockopt(socket.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
  const SocketName from(UdpEndpoint{from_, 0});
  if (::bind(socket.get(), &from.any, from.size) != 0) return false;
  const SocketName name(to_);
  const int done = ::connect(socket.get(), &name.any, name.size);
  if (done != 0 && errno != EINPROGRESS) return false;
  connecting_ = done != 0;
  socket_ = std::move(socket);
  return true;
}

// A connection to ourselves, which happens where nobody listens at a port that the kernel may
// choose for us, is none.
Outgoing::Progress Outgoing::progress() const {
  pollfd socket{socket_.get(), POLLOUT, 0};
  if (::poll(&socket, 1, 0) <= 0) return Progress::waiting;
  const bool failed = (socket.revents & (POLLERR | POLLHUP)) != 0;
  return failed || local_name(socket_.get()) == to_ ? Progress::failed : Progress::made;
}

bool Outgoing::take(const std::byte* data, std::uint32_t size, Time now, bool& opened) {
  opened = false;
  if (!is_open()) {
    opened = connect(now);
    if (!opened) return false;
  }
  const std::size_t bytes = kFramePrefixBytes + size;
  if (end_ + bytes > buffer_.size() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, waiting());
    end_ = waiting();
    begin_ = 0;
  }
  if (end_ + bytes > buffer_.size()) return false;
  store_le(&buffer_[end_], size);
  if (size > 0) std::memcpy(&buffer_[end_ + kFramePrefixBytes], data, size);
  end_ += bytes;
  ++frames_;
  return true;
}

std::uint64_t Outgoing::flush(Time now) {
  if (connecting_) {
    const Progress made = progress();
    if (made == Progress::failed) return close(now);
    connecting_ = made == Progress::waiting;
  }
  while (is_open() && !connecting_ && waiting() > 0) {
    const ssize_t sent =
        ::send(socket_.get(), &buffer_[begin_], waiting(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      begin_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return 0;
    } else if (errno != EINTR) {
      return close(now);
    }
  }
  if (waiting() == 0) {
    begin_ = end_ = 0;
    frames_ = 0;
  }
  return 0;
}

std::uint64_t Outgoing::close(Time now) {
  socket_.close();
  // One that was made may be made again at once; one that was refused may not.
  if (!connecting_) again_ = now;
  connecting_ = false;
  begin_ = end_ = 0;
  return std::exchange(frames_, 0);
}

}  // namespace holdfast::hw
