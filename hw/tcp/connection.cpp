// recvmsg into a buffer with room for several frames, or into their places; see the header.
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
#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kBufferMin = 64 << 10;
// Of one read into places.
constexpr std::size_t kReadMax = 256 << 10;
// Shorter frames are copied sooner than the kernel collects their pieces.
constexpr std::uint32_t kLong = 4096;
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

void Connection::move_to_front() {
  // Many are only sent over.
  if (buffer_.empty()) buffer_.resize(std::max(kBufferMin, kFramePrefixBytes + frame_bytes_max_));
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

// recvmsg; `got` is at least one if there was something.
Connection::Read Connection::receive(std::span<iovec> pieces, std::size_t& got) {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(timespec))> control;
  msghdr header{};
  header.msg_iov = pieces.data();
  header.msg_iovlen = pieces.size();
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t received = -1;
  do {
    received = ::recvmsg(socket_.get(), &header, MSG_DONTWAIT);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Read::nothing : Read::ended;
  if (received == 0) return Read::ended;
  got = static_cast<std::size_t>(received);
  if (const auto stamp = read_notes(header).wall_ns) wall_ns_ = *stamp;
  return Read::some;
}

Connection::Read Connection::read() {
  if (std::exchange(is_drained_, false)) return Read::nothing;
  move_to_front();
  if (end_ == buffer_.size()) return Read::nothing;
  iovec rest{&buffer_[end_], buffer_.size() - end_};
  std::size_t got = 0;
  const Read read = receive({&rest, 1}, got);
  if (read != Read::some) return read;
  is_drained_ = got < rest.iov_len;
  end_ += got;
  return Read::some;
}

bool Connection::expects_long() const {
  const std::size_t here = end_ - begin_;
  return latest_bytes_ >= kLong && (here == 0 || here >= kFramePrefixBytes);
}

Connection::Read Connection::read(std::span<std::byte* const> places,
                                  std::span<std::uint32_t> sizes, std::size_t& placed) {
  HOLDFAST_ASSERT(expects_long() && !places.empty());
  placed = 0;
  if (std::exchange(is_drained_, false)) return Read::nothing;
  move_to_front();
  ExpectedFrames frames;
  if (end_ > 0) frames.begin({buffer_.data(), end_}, places[0]);
  while (frames.count() < places.size() && frames.bytes() < kReadMax) {
    frames.add(latest_bytes_, places[frames.count()]);
  }
  std::size_t got = 0;
  const Read read = receive(frames.pieces(), got);
  if (read != Read::some) return read;
  is_drained_ = got < frames.bytes();
  placed = frames.settle(got);
  if (placed > 0) end_ = 0;
  // Unless there was a whole one: parts of frames would be copied once more with each of them.
  latest_bytes_ = 0;
  for (std::size_t i = 0; i < placed; ++i) latest_bytes_ = sizes[i] = frames.size(i);
  const std::size_t kept = end_ + frames.rest_bytes();
  if (buffer_.size() < kept) buffer_.resize(kept);
  frames.copy_rest(buffer_.data() + end_);
  end_ = kept;
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
  latest_bytes_ = load_le<std::uint32_t>(&buffer_[begin_]);
  begin_ += kFramePrefixBytes + latest_bytes_;
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
