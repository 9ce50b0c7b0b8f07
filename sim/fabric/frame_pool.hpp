// Frames on the simulated wire, named by 30-bit indices. A frame that is short, as heartbeats are,
// lies in a cell of about its length; one that is not, and differs little from those before it, is
// packed (frame_packing.hpp) until it arrives. What waits for its receiver is never packed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sim/engine/prefetch.hpp"
#include "sim/fabric/cell_pool.hpp"
#include "sim/fabric/frame_packing.hpp"

namespace holdfast::sim {

// Most frames are heartbeats; copying these is a few instructions and no call.
inline void copy_frame(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kHeartbeatBytes = 64;
  if (bytes == kHeartbeatBytes) {
    std::memcpy(to, from, kHeartbeatBytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

class FramePool {
 public:
  static constexpr std::size_t kFrameBytes = 512;
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  // The beginning of a cell; the bytes of the frame follow.
  struct alignas(16) Frame {
    std::uint32_t next = kNone;  // in the receiver's queue
    std::uint32_t size = 0;
    std::int64_t arrival_ns = 0;  // on the receiver's clock

    std::byte* bytes() { return reinterpret_cast<std::byte*>(this + 1); }
  };

  // Takes a copy; returns its index. At most kFrameBytes.
  std::uint32_t put(const std::byte* data, std::uint32_t size) {
    ++in_use_;
    return size <= kShort ? put_in_cell(0, data, size) : put_long(data, size);
  }
  // The frame has arrived: returns the index that it has from now on, at which `at` finds it.
  std::uint32_t unpacked(std::uint32_t index) {
    return index % kKinds == kPacked ? unpack(index) : index;
  }
  Frame& at(std::uint32_t index) {
    return *reinterpret_cast<Frame*>(cells_[index % kKinds].at(index / kKinds));
  }
  void prefetch(std::uint32_t index) const {
    prefetch_line(cells_[index % kKinds].at(index / kKinds));
  }
  void give(std::uint32_t index) {
    --in_use_;
    if (index % kKinds == kPacked) packing_.release(packed_at(index / kKinds));
    cells_[index % kKinds].give(index / kKinds);
  }

  std::uint32_t in_use() const { return in_use_; }
  // Bytes held at this moment, in use or not, but for the references of packed frames.
  std::size_t memory_bytes() const;

 private:
  // An index says which kind of cell it is of, and which cell of that kind.
  static constexpr std::uint32_t kKinds = 8;
  static constexpr std::uint32_t kShort = 64;
  static constexpr std::uint32_t kPacked = 4;
  static constexpr std::array<std::uint32_t, kPacked> kRoom{kShort, 112, 240, kFrameBytes};

  std::uint32_t put_in_cell(std::uint32_t kind, const std::byte* data, std::uint32_t size) {
    const std::uint32_t cell = cells_[kind].take();
    Frame& frame = *reinterpret_cast<Frame*>(cells_[kind].at(cell));
    frame.size = size;
    copy_frame(frame.bytes(), data, size);
    return cell * kKinds + kind;
  }
  std::uint32_t put_long(const std::byte* data, std::uint32_t size);
  std::uint32_t unpack(std::uint32_t index);
  FramePacking::Packed& packed_at(std::uint32_t cell) {
    return *reinterpret_cast<FramePacking::Packed*>(cells_[kPacked].at(cell));
  }

  std::array<CellPool, kPacked + 1> cells_{
      CellPool(sizeof(Frame) + kRoom[0]), CellPool(sizeof(Frame) + kRoom[1]),
      CellPool(sizeof(Frame) + kRoom[2]), CellPool(sizeof(Frame) + kRoom[3]),
      CellPool(sizeof(FramePacking::Packed))};
  FramePacking packing_;
  std::uint32_t in_use_ = 0;
};

}  // namespace holdfast::sim
