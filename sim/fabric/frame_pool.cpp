// Frames that are no heartbeats.
#include "sim/fabric/frame_pool.hpp"

#include "stack/base/assert.hpp"

namespace holdfast::sim {

std::uint32_t FramePool::put_long(const std::byte* data, std::uint32_t size) {
  HOLDFAST_ASSERT(size <= kFrameBytes);
  FramePacking::Packed packed;
  const bool packable =
      size <= FramePacking::kFrameBytesMax && size % FramePacking::kWordBytes == 0;
  if (packable && packing_.pack(data, size, packed)) {
    const std::uint32_t cell = cells_[kPacked].take();
    packed_at(cell) = packed;
    return cell * kKinds + kPacked;
  }
  std::uint32_t kind = 0;
  while (kRoom[kind] < size) ++kind;
  return put_in_cell(kind, data, size);
}

std::uint32_t FramePool::unpack(std::uint32_t index) {
  const FramePacking::Packed packed = packed_at(index / kKinds);
  std::array<std::byte, FramePacking::kFrameBytesMax> frame;
  packing_.unpack(packed, frame.data());
  const std::uint32_t size = packing_.size_of(packed);
  give(index);
  ++in_use_;
  std::uint32_t kind = 0;
  while (kRoom[kind] < size) ++kind;
  return put_in_cell(kind, frame.data(), size);
}

std::size_t FramePool::memory_bytes() const {
  std::size_t bytes = 0;
  for (const CellPool& cells : cells_) bytes += cells.memory_bytes();
  return bytes;
}

}  // namespace holdfast::sim
