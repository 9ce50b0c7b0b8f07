// Memory in cells of one size, in chunks that stay where they are; a cell is named by a 32-bit
// number. Cells are taken one after the other, and a chunk comes round again when all of its cells
// have been given back: frames live about as long as each other, so chunks do not stay for the sake
// of one, and millions of frames are written and read in the order of memory. While few are in use
// they are the first of one chunk, in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace holdfast::sim {

class CellPool {
 public:
  // `cell_bytes` is a multiple of 16: so are the addresses of the cells.
  explicit CellPool(std::size_t cell_bytes) : cell_bytes_(cell_bytes) {}

  std::uint32_t take() {
    if (next_ == kChunk) next_chunk();
    ++in_use_[current_];
    return current_ * kChunk + next_++;
  }

  void give(std::uint32_t cell) {
    const std::uint32_t chunk = cell / kChunk;
    if (--in_use_[chunk] > 0) return;
    if (chunk == current_) {
      next_ = 0;
    } else {
      spare_.push_back(chunk);
    }
  }

  std::byte* at(std::uint32_t cell) const {
    return chunks_[cell / kChunk].get() + cell % kChunk * cell_bytes_;
  }

  // Held at this moment, in use or not.
  std::size_t memory_bytes() const { return chunks_.size() * kChunk * cell_bytes_; }

 private:
  static constexpr std::uint32_t kChunk = 256;

  void next_chunk() {
    if (spare_.empty()) {
      current_ = static_cast<std::uint32_t>(chunks_.size());
      chunks_.push_back(std::unique_ptr<std::byte[]>(new std::byte[kChunk * cell_bytes_]));
      in_use_.push_back(0);
    } else {
      current_ = spare_.back();
      spare_.pop_back();
    }
    next_ = 0;
  }

  std::size_t cell_bytes_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::vector<std::uint32_t> in_use_;  // cells, by chunk
  std::vector<std::uint32_t> spare_;   // chunks without any, but for the current one
  std::uint32_t current_ = 0;
  std::uint32_t next_ = kChunk;  // cell of the current chunk; kChunk: it is full, or there is none
};

}  // namespace holdfast::sim
