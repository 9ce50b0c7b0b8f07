// A buffer and non-blocking send; see the header.
#include "hw/tcp/outgoing.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::hw {

bool Outgoing::take(const Frame& frame, std::uint32_t padding) {
  const FramePrefix prefix{static_cast<std::uint32_t>(frame.size()), padding};
  const std::size_t bytes = prefix.all();
  if (end_ + bytes > buffer_.size() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t needed = end_ + bytes;
  if (needed > bytes_max_) return false;
  if (needed > buffer_.size()) buffer_.resize(std::min(bytes_max_, std::max(needed, 2 * end_)));
  put_prefix(prefix, &buffer_[end_]);
  std::byte* to = &buffer_[end_] + kFramePrefixBytes;
  for (const std::span<const std::byte> piece : {frame.first, frame.more})
    to = std::ranges::copy(piece, to).out;
  std::fill_n(to, padding, std::byte{0});
  end_ += bytes;
  ++frames_;
  return true;
}

std::size_t Outgoing::send(int socket, std::span<const Frame> frames) {
  HOLDFAST_ASSERT(is_empty() && frames.size() <= kGathered);
  static constexpr std::array<std::byte, kLineBytes> kNothing{};
  std::array<FramePrefix, kGathered> prefixes;
  std::array<std::array<std::byte, kFramePrefixBytes>, kGathered> encoded;
  std::array<iovec, 4 * kGathered> pieces;
  std::size_t count = 0;
  const auto add = [&](std::span<const std::byte> piece) {
    if (!piece.empty()) pieces[count++] = {const_cast<std::byte*>(piece.data()), piece.size()};
  };
  std::size_t at = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    FramePrefix& prefix = prefixes[i] = {static_cast<std::uint32_t>(frames[i].size()), 0};
    const bool is_last = i + 1 == frames.size();
    if (is_last || frames[i + 1].size() >= kLongFrameBytes)
      prefix.padding = padding_of(at + prefix.all());
    at += prefix.all();
    put_prefix(prefix, encoded[i].data());
    for (const std::span<const std::byte> piece :
         {std::span<const std::byte>(encoded[i]), frames[i].first, frames[i].more,
          std::span(kNothing).first(prefix.padding)}) {
      add(piece);
    }
  }
  msghdr header{};
  header.msg_iov = pieces.data();
  header.msg_iovlen = count;
  const ssize_t taken = ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  std::size_t left = taken > 0 ? static_cast<std::size_t>(taken) : 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (left < prefixes[i].all()) {
      if (left == 0) return i;
      take(frames[i], prefixes[i].padding);
      begin_ += left;
      return i + 1;
    }
    left -= prefixes[i].all();
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
