// The frames that wait for a connection to one endpoint.
//
// They wait in a buffer that grows with what waits, to a size that is given; one that finds no
// room, or whose connection breaks before it has left, is lost. Nothing here blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/fabric.hpp"

namespace holdfast::hw {

class Outgoing {
 public:
  // In two pieces, the second of which may be empty.
  struct Frame {
    std::span<const std::byte> first, more;
    std::uint32_t size() const { return static_cast<std::uint32_t>(first.size() + more.size()); }
  };

  static Frame frame_of(const Operation& operation) {
    Frame frame{{operation.data, operation.size}, {}};
    if (operation.more_size > 0) frame.more = {operation.more, operation.more_size};
    return frame;
  }

  // Room for at least one frame and what is around it.
  explicit Outgoing(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  bool is_empty() const { return begin_ == end_; }
  // Copies it; false: there is no room.
  bool take(const Frame& frame);
  // Where nothing waits: hands frames to the kernel from where they lie, at most kGathered. Of the
  // first that it does not take whole the rest waits. Returns how many have left or wait; none: the
  // kernel takes nothing, or the connection is broken, which flush() will tell.
  static constexpr std::size_t kGathered = 64;
  // Of one call: each ends with a short segment of its own and takes time of the reader
  // (docs/speed.md).
  static constexpr std::uint32_t kBytesBest = 512 << 10;
  std::size_t send(int socket, std::span<const Frame> frames);
  // Hands to the kernel what it takes; false: the connection is broken.
  bool flush(int socket);
  // Its connection is gone. Returns how many frames may be lost with it.
  std::uint64_t lose();

 private:
  std::size_t bytes_max_;
  std::vector<std::byte> buffer_;  // [begin_, end_) waits
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t frames_ = 0;  // taken since nothing waited last: those that a break may cost
};

}  // namespace holdfast::hw
