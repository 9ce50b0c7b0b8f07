// The frames that wait for a connection to one endpoint.
//
// They wait in a buffer of fixed size; one that finds no room, or whose connection breaks before it
// has left, is lost. Nothing here blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::hw {

class Outgoing {
 public:
  explicit Outgoing(std::size_t buffer_bytes) : buffer_(buffer_bytes) {}

  bool is_empty() const { return begin_ == end_; }
  // False: there is no room.
  bool take(const std::byte* data, std::uint32_t size);
  // Hands to the kernel what it takes; false: the connection is broken.
  bool flush(int socket);
  // Its connection is gone. Returns how many frames may be lost with it.
  std::uint64_t lose();

 private:
  std::vector<std::byte> buffer_;  // [begin_, end_) waits
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t frames_ = 0;  // taken since nothing waited last: those that a break may cost
};

}  // namespace holdfast::hw
