// Memory in cells of one size, in chunks that stay where they are; a cell is named by a 32-bit
// number. The last one given back is the next one taken, so a few cells in turn stay in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace holdfast::sim {

class CellPool {
 public:
  // `cell_bytes` is a multiple of 16: so are the addresses of the cells.
  explicit CellPool(std::size_t cell_bytes) : cell_bytes_(cell_bytes) {}

  std::uint32_t take() {
    if (free_ == kNone) grow();
    const std::uint32_t cell = free_;
    std::memcpy(&free_, at(cell), sizeof free_);
    return cell;
  }

  void give(std::uint32_t cell) {
    std::memcpy(at(cell), &free_, sizeof free_);
    free_ = cell;
  }

  std::byte* at(std::uint32_t cell) {
    return chunks_[cell / kChunk].get() + cell % kChunk * cell_bytes_;
  }

  // Held at this moment, in use or not.
  std::size_t memory_bytes() const { return chunks_.size() * kChunk * cell_bytes_; }

 private:
  static constexpr std::uint32_t kChunk = 256;
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  void grow() {
    const auto first = static_cast<std::uint32_t>(chunks_.size()) * kChunk;
    chunks_.push_back(std::unique_ptr<std::byte[]>(new std::byte[kChunk * cell_bytes_]));
    for (std::uint32_t i = kChunk; i-- > 0;) give(first + i);
  }

  std::size_t cell_bytes_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::uint32_t free_ = kNone;  // each free cell begins with the number of the next
};

}  // namespace holdfast::sim
