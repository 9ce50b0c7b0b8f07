// A buffer and non-blocking send; see the header.
#include "hw/tcp/outgoing.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "hw/tcp/framing.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::hw {

bool Outgoing::take(const std::byte* data, std::uint32_t size) {
  const std::size_t bytes = kFramePrefixBytes + size;
  if (end_ + bytes > buffer_.size() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ + bytes > buffer_.size()) return false;
  store_le(&buffer_[end_], size);
  if (size > 0) std::memcpy(&buffer_[end_ + kFramePrefixBytes], data, size);
  end_ += bytes;
  ++frames_;
  return true;
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
