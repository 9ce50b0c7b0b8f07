// recvmsg into a buffer with room for several frames, or to where one belongs; see the header.
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
// Shorter frames are copied sooner than the kernel is called for each.
constexpr std::uint32_t kLong = 4096;
constexpr int kReadsAtTheEnd = 256;

}  // namespace

Connection::Connection(Descriptor socket, const UdpEndpoint& peer, Stage stage,
                       std::uint32_t frame_bytes_max)
    : socket_(std::move(socket)), peer_(peer), stage_(stage), frame_bytes_max_(frame_bytes_max) {}

// What the kernel has taken leaves before the end is told, as it does at close(). Where the
// connection is not made yet nobody tries to make it any more.
Connection::~Connection() {
  ::shutdown(socket_.get(), SHUT_RDWR);
}

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
  if (buffer_.empty()) buffer_.resize(kBufferMin);  // many are only sent over
  std::memmove(buffer_.data(), buffer_.data() + begin_, here());
  end_ -= begin_;
  begin_ = 0;
}

// recvmsg, unless the last one has found less than it had room for; `got` is at least one if there
// was something.
Connection::Read Connection::receive(std::span<iovec> pieces, std::size_t& got) {
  if (std::exchange(is_drained_, false)) return Read::nothing;
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
  std::size_t room = 0;
  for (const iovec& piece : pieces) room += piece.iov_len;
  is_drained_ = got < room;
  if (const auto stamp = read_notes(header).wall_ns) wall_ns_ = *stamp;
  return Read::some;
}

void Connection::advance(std::size_t bytes) {
  const std::size_t now = std::min(bytes, here());
  begin_ += now;
  skipped_ = bytes - now;
}

Connection::Read Connection::read(std::size_t most) {
  move_to_front();
  if (end_ == buffer_.size()) buffer_.resize(kFramePrefixBytes + begun_bytes());
  iovec rest{&buffer_[end_], std::min(buffer_.size() - end_, std::max(most, skipped_))};
  std::size_t got = 0;
  const Read read = receive({&rest, 1}, got);
  if (read != Read::some) return read;
  end_ += got;
  if (skipped_ > 0) advance(skipped_);
  return Read::some;
}

std::uint32_t Connection::begun_bytes() const {
  return load_le<std::uint32_t>(&buffer_[begin_]);
}

bool Connection::has_begun(std::uint32_t beginning_bytes) const {
  return here() >= kFramePrefixBytes + beginning_bytes &&
         begun_bytes() >= std::max(kLong, beginning_bytes + 1);
}

std::span<const std::byte> Connection::beginning(std::uint32_t beginning_bytes) const {
  return std::span(buffer_).subspan(begin_ + kFramePrefixBytes, beginning_bytes);
}

Connection::Read Connection::read_whole(std::byte* to, bool& is_whole) {
  HOLDFAST_ASSERT(has_begun(0) && rest_ == nullptr);
  is_whole = false;
  move_to_front();
  const std::size_t of_frame = end_ - kFramePrefixBytes;
  const std::size_t missing = begun_bytes() - of_frame;
  const std::size_t behind = padding_bytes(begun_bytes());
  std::array<std::byte, kCacheLineBytes> padding;
  std::array<iovec, 2> pieces{iovec{to + of_frame, missing}, {padding.data(), behind}};
  std::size_t got = 0;
  const Read read = receive(pieces, got);
  if (read != Read::some) return read;
  is_whole = got >= missing;
  if (is_whole) {
    std::memcpy(to, &buffer_[kFramePrefixBytes], of_frame);
    end_ = 0;
    skipped_ = missing + behind - got;
  } else {
    if (buffer_.size() < end_ + got) buffer_.resize(kFramePrefixBytes + begun_bytes());
    std::memcpy(&buffer_[end_], to + of_frame, got);
    end_ += got;
  }
  return Read::some;
}

std::uint32_t Connection::bytes_of_rest() const {
  return begun_bytes() - beginning_bytes_;
}

Connection::Read Connection::read_rest(std::uint32_t beginning_bytes, std::byte* to) {
  HOLDFAST_ASSERT(has_begun(beginning_bytes));
  const std::size_t beginning = kFramePrefixBytes + beginning_bytes;
  if (rest_ == nullptr) {
    const std::size_t more = here() - beginning;  // has come with it
    std::memcpy(to, &buffer_[begin_ + beginning], more);
    end_ -= more;
    rest_ = to;
    rest_bytes_ = static_cast<std::uint32_t>(more);
    beginning_bytes_ = beginning_bytes;
  }
  HOLDFAST_ASSERT(rest_ == to && beginning_bytes_ == beginning_bytes);
  move_to_front();
  const std::size_t missing = bytes_of_rest() - rest_bytes_;
  std::array<iovec, 2> pieces{iovec{to + rest_bytes_, missing},
                              {&buffer_[end_], padding_bytes(begun_bytes()) + beginning}};
  std::size_t got = 0;
  const Read read = receive(pieces, got);
  if (read != Read::some) return read;
  const std::size_t of_rest = std::min(got, missing);
  rest_bytes_ += static_cast<std::uint32_t>(of_rest);
  end_ += got - of_rest;
  return Read::some;
}

void Connection::drop_placed() {
  advance(kFramePrefixBytes + beginning_bytes_ + padding_bytes(begun_bytes()));
  rest_ = nullptr;
}

void Connection::give_up_rest() {
  advance(stream_bytes(begun_bytes()) - rest_bytes_);
  rest_ = nullptr;
}

Connection::Next Connection::next(std::span<const std::byte>& frame) const {
  if (here() < kFramePrefixBytes) return Next::incomplete;
  std::uint32_t size = 0;
  if (!take_prefix(&buffer_[begin_], size) || size > frame_bytes_max_) return Next::impossible;
  if (here() < kFramePrefixBytes + size) return Next::incomplete;
  frame = beginning(size);
  return Next::frame;
}

void Connection::drop() {
  advance(stream_bytes(begun_bytes()));
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
