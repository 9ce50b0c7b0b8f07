// Memory in cells of one size, in chunks that stay where they are; a cell is named by a 32-bit
// number. Cells are taken from one chunk until it has no more, and a chunk comes round again as
// soon as it has a few: frames that are sent one after the other lie close together, millions of
// them are written and read nearly in the order of memory, and hardly any cell lies idle. While few
// are in use they are those of one chunk that were given back last, in the cache.
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
    if (current_ == chunks_.size() || chunks_[current_].free == 0) next_chunk();
    Chunk& chunk = chunks_[current_];
    const std::uint32_t cell = current_ * kCells + chunk.first;
    std::memcpy(&chunk.first, at(cell), sizeof chunk.first);
    --chunk.free;
    return cell;
  }

  void give(std::uint32_t cell) {
    const std::uint32_t index = cell / kCells;
    Chunk& chunk = chunks_[index];
    std::memcpy(at(cell), &chunk.first, sizeof chunk.first);
    chunk.first = static_cast<std::uint16_t>(cell % kCells);
    if (++chunk.free == kEnough && index != current_) ready_.push_back(index);
  }

  std::byte* at(std::uint32_t cell) const {
    return chunks_[cell / kCells].memory.get() + cell % kCells * cell_bytes_;
  }

  // Held at this moment, in use or not.
  std::size_t memory_bytes() const { return chunks_.size() * kCells * cell_bytes_; }

 private:
  static constexpr std::uint32_t kCells = 256;
  static constexpr std::uint16_t kEnough = 4;  // free cells, for a chunk to come round again

  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    std::uint16_t first = 0;  // of its free cells, each of which begins with the number of the next
    std::uint16_t free = 0;
  };

  void next_chunk() {
    if (!ready_.empty()) {
      current_ = ready_.back();
      ready_.pop_back();
      return;
    }
    current_ = static_cast<std::uint32_t>(chunks_.size());
    chunks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[kCells * cell_bytes_])});
    for (std::uint32_t i = kCells; i-- > 0;) give(current_ * kCells + i);
  }

  std::size_t cell_bytes_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> ready_;  // chunks but the current one that have kEnough or more
  std::uint32_t current_ = 0;
};

}  // namespace holdfast::sim
