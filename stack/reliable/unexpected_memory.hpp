// Memory for messages that came before their receive: shares of one size, cut into blocks whose
// sizes are powers of two, and neighbours that are free grow together again (Knowlton's buddy
// system, CACM 1965). So no block is twice as long as was asked for, and nothing is allocated.
//
// Blocks that are taken may lie so that there is room for another one and yet no piece of it. Taken
// anew in falling order of their lengths they leave no such gaps: each power of two begins where
// one can.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace holdfast::reliable {

class UnexpectedMemory {
 public:
  static constexpr unsigned kSmallestBits = 8;
  static constexpr unsigned kLevelsMax = 32;

  // `share_bytes`, the most that can be taken at once, is rounded up to a power of two. Pages that
  // nobody has used take no memory.
  UnexpectedMemory(std::uint64_t share_bytes, std::uint32_t shares);
  // As large, and nothing is taken.
  UnexpectedMemory another() const { return UnexpectedMemory(share_bytes(), shares_); }

  // At least `bytes` > 0; null if there is no such piece.
  std::byte* take(std::uint64_t bytes);
  // What `take` returned for as many bytes.
  void give(const std::byte* block, std::uint64_t bytes);

  // In all, if not in one piece.
  bool has_room_for(std::uint64_t bytes) const;
  std::uint64_t size() const { return share_bytes() * shares_; }

 private:
  static unsigned level_of(std::uint64_t bytes);
  static std::uint64_t block_bytes(unsigned level) {
    return std::uint64_t{1} << (kSmallestBits + level);
  }
  std::uint64_t share_bytes() const { return block_bytes(top_); }
  void push(unsigned level, std::uint32_t block);
  void remove(unsigned level, std::uint32_t block);

  // Of the smallest blocks: the level of the free block that begins there, or none; and its
  // neighbours in the list of its level.
  struct Block {
    std::uint8_t free_level = 0xff;
    std::uint32_t before = 0xffff'ffff;
    std::uint32_t after = 0xffff'ffff;
  };

  unsigned top_;  // the level of a share
  std::uint32_t shares_;
  std::uint64_t taken_bytes_ = 0;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<Block> blocks_;
  std::array<std::uint32_t, kLevelsMax> free_{};  // the first free block of each level
};

}  // namespace holdfast::reliable
