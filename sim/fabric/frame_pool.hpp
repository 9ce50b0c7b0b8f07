// Frames on the simulated wire: fixed cells in chunks that stay where they are, named by a 32-bit
// index. The last one freed is the next one taken, so the few frames that are under way at a time
// stay in the cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace holdfast::sim {

// Most frames are heartbeats; copying these is a few instructions and no call.
inline void copy_frame(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kHeartbeatBytes = 64, kStep = 16;
  if (bytes != kHeartbeatBytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (std::size_t at = 0; at < kHeartbeatBytes; at += kStep) {
    std::memcpy(to + at, from + at, kStep);
  }
}

class FramePool {
 public:
  static constexpr std::size_t kFrameBytes = 512;
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  struct Frame {
    std::uint32_t next = kNone;  // in the receiver's queue, or in the free list
    std::uint32_t size = 0;
    std::int64_t arrival_ns = 0;  // on the receiver's clock
    std::array<std::byte, kFrameBytes> bytes;
  };

  std::uint32_t take() {
    if (free_ == kNone) grow();
    const std::uint32_t index = free_;
    free_ = at(index).next;
    ++in_use_;
    return index;
  }

  void give(std::uint32_t index) {
    at(index).next = free_;
    free_ = index;
    --in_use_;
  }

  Frame& at(std::uint32_t index) { return (*chunks_[index / kChunk])[index % kChunk]; }
  std::uint32_t in_use() const { return in_use_; }

 private:
  static constexpr std::uint32_t kChunk = 64;

  void grow() {
    const auto first = static_cast<std::uint32_t>(chunks_.size()) * kChunk;
    chunks_.push_back(std::unique_ptr<std::array<Frame, kChunk>>(new std::array<Frame, kChunk>));
    for (std::uint32_t i = kChunk; i-- > 0;) {
      at(first + i).next = free_;
      free_ = first + i;
    }
  }

  std::vector<std::unique_ptr<std::array<Frame, kChunk>>> chunks_;
  std::uint32_t free_ = kNone;
  std::uint32_t in_use_ = 0;
};

}  // namespace holdfast::sim
