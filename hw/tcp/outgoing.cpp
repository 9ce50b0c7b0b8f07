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
#include "stack/base/bytes.hpp"

namespace holdfast::hw {

bool Outgoing::take(const Frame& frame) {
  const std::size_t bytes = kFramePrefixBytes + frame.size();
  if (end_ + bytes > buffer_.size() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t needed = end_ + bytes;
  if (needed > bytes_max_) return false;
  if (needed > buffer_.size()) buffer_.resize(std::min(bytes_max_, std::max(needed, 2 * end_)));
  store_le(&buffer_[end_], static_cast<std::uint32_t>(frame.size()));
  std::byte* const behind =
      std::ranges::copy(frame.first, buffer_.data() + end_ + kFramePrefixBytes).out;
  std::ranges::copy(frame.more, behind);
  end_ += bytes;
  ++frames_;
  return true;
}

std::size_t Outgoing::send(int socket, std::span<const Frame> frames) {
  HOLDFAST_ASSERT(is_empty() && frames.size() <= kGathered);
  std::array<std::array<std::byte, kFramePrefixBytes>, kGathered> prefixes;
  std::array<iovec, 3 * kGathered> pieces;
  std::size_t count = 0;
  const auto add = [&](std::span<const std::byte> piece) {
    pieces[count++] = {const_cast<std::byte*>(piece.data()), piece.size()};
  };
  for (std::size_t i = 0; i < frames.size(); ++i) {
    store_le(prefixes[i].data(), static_cast<std::uint32_t>(frames[i].size()));
    add(prefixes[i]);
    add(frames[i].first);
    if (!frames[i].more.empty()) add(frames[i].more);
  }
  msghdr header{};
  header.msg_iov = pieces.data();
  header.msg_iovlen = count;
  const ssize_t taken = ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  std::size_t left = taken > 0 ? static_cast<std::size_t>(taken) : 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::size_t bytes = kFramePrefixBytes + frames[i].size();
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
