// A buffer and non-blocking send; see the header.
#include "hw/tcp/outgoing.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hw/tcp/framing.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

std::span<const std::byte> padding_of(const Outgoing::Frame& frame) {
  static constexpr std::array<std::byte, kCacheLineBytes> kZeros{};
  return std::span(kZeros).first(padding_bytes(frame.size()));
}

}  // namespace

bool Outgoing::take(const Frame& frame) {
  const std::size_t bytes = stream_bytes(frame.size());
  if (end_ + bytes > buffer_.size() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t needed = end_ + bytes;
  if (needed > bytes_max_) return false;
  if (needed > buffer_.size()) buffer_.resize(std::min(bytes_max_, std::max(needed, 2 * end_)));
  put_prefix(frame.size(), &buffer_[end_]);
  std::byte* to = &buffer_[end_] + kFramePrefixBytes;
  for (const std::span<const std::byte> piece : {frame.first, frame.more, padding_of(frame)})
    to = std::ranges::copy(piece, to).out;
  end_ += bytes;
  ++frames_;
  return true;
}

std::size_t Outgoing::send(int socket, std::span<const Frame> frames) {
  HOLDFAST_ASSERT(is_empty() && frames.size() <= kGathered);
  std::array<std::array<std::byte, kFramePrefixBytes>, kGathered> prefixes;
  std::array<iovec, 4 * kGathered> pieces;
  std::size_t count = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    put_prefix(frames[i].size(), prefixes[i].data());
    for (const std::span<const std::byte> piece :
         {std::span<const std::byte>(prefixes[i]), frames[i].first, frames[i].more,
          padding_of(frames[i])}) {
      if (!piece.empty()) pieces[count++] = {const_cast<std::byte*>(piece.data()), piece.size()};
    }
  }
  msghdr header{};
  header.msg_iov = pieces.data();
  header.msg_iovlen = count;
  const ssize_t taken = ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  std::size_t left = taken > 0 ? static_cast<std::size_t>(taken) : 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::size_t bytes = stream_bytes(frames[i].size());
    if (left < bytes) {
      if (left == 0) return i;
      take(frames[i]);
      begin_ += left;
      return i + 1;
    }
    left -= bytes;
  }
  return frames.size();
}

bool Outgoing::flush(int socket) {
  while (!is_empty()) {
    const ssize_t sent =
        ::send(socket, &buffer_[begin_], end_ - begin_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      begin_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return true;
    } else if (errno != EINTR) {
      return false;
    }
  }
  static_cast<void>(lose());
  return true;
}

std::uint64_t Outgoing::lose() {
  begin_ = end_ = 0;
  return std::exchange(frames_, 0);
}

}  // namespace holdfast::hw
