// recvmsg into a buffer with room for several frames; see the header.
#include "hw/tcp/connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hw/tcp/framing.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kBufferMin = 64 << 10;
constexpr int kReadsAtTheEnd = 256;

}  // namespace

Connection::Connection(Descriptor socket, const UdpEndpoint& peer, Stage stage,
                       std::uint32_t frame_bytes_max)
    : socket_(std::move(socket)), peer_(peer), stage_(stage), frame_bytes_max_(frame_bytes_max) {}

// A connection to ourselves, which happens where nobody listens at a port that the kernel may
// choose for us, is none.
Connection::Stage Connection::look() {
  if (stage_ != Stage::connecting) return stage_;
  pollfd socket{socket_.get(), POLLOUT, 0};
  if (::poll(&socket, 1, 0) <= 0) return stage_;
  const bool has_failed = (socket.revents & (POLLERR | POLLHUP)) != 0;
  stage_ = has_failed || local_name(socket_.get()) == peer_ ? Stage::failed : Stage::made;
  return stage_;
}

Connection::Read Connection::read() {
  if (std::exchange(is_drained_, false)) return Read::nothing;
  // Many are only sent over.
  if (buffer_.empty()) buffer_.resize(std::max(kBufferMin, kFramePrefixBytes + frame_bytes_max_));
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) return Read::nothing;
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(timespec))> control;
  iovec vector{&buffer_[end_], buffer_.size() - end_};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t got = -1;
  do {
    got = ::recvmsg(socket_.get(), &header, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Read::nothing : Read::ended;
  if (got == 0) return Read::ended;
  is_drained_ = static_cast<std::size_t>(got) < vector.iov_len;
  end_ += static_cast<std::size_t>(got);
  if (const auto stamp = read_notes(header).wall_ns) wall_ns_ = *stamp;
  return Read::some;
}

Connection::Next Connection::next(std::span<const std::byte>& frame) const {
  const std::size_t here = end_ - begin_;
  if (here < kFramePrefixBytes) return Next::incomplete;
  const auto size = load_le<std::uint32_t>(&buffer_[begin_]);
  if (size > frame_bytes_max_) return Next::impossible;
  if (here < kFramePrefixBytes + size) return Next::incomplete;
  frame = std::span(buffer_).subspan(begin_ + kFramePrefixBytes, size);
  return Next::frame;
}

void Connection::drop() {
  begin_ += kFramePrefixBytes + load_le<std::uint32_t>(&buffer_[begin_]);
}

void Connection::send_no_more() {
  may_send_ = false;
  ::shutdown(socket_.get(), SHUT_WR);
}

void Connection::finish() {
  // Of TCP this flag throws away what was asked for. Not for ever, with somebody who goes on.
  for (int reads = 0; reads < kReadsAtTheEnd; ++reads) {
    if (::recv(socket_.get(), nullptr, kBufferMin, MSG_DONTWAIT | MSG_TRUNC) <= 0) return;
  }
}

}  // namespace holdfast::hw
