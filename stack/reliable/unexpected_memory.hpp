// Memory for messages that came before their receive: shares of one size, cut into blocks whose
// sizes are powers of two, and neighbours that are free grow together again (Knowlton's buddy
// system, CACM 1965). So no block is twice as long as was asked for, and nothing is allocated;
// until more senders than there are shares have used theirs, or the blocks that are taken lie so
// that no piece between them is long enough. What has no room then is the system's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace holdfast::reliable {

class UnexpectedMemory {
 public:
  static constexpr unsigned kSmallestBits = 8;
  static constexpr unsigned kLevelsMax = 32;

  // `share_bytes` is rounded up to a power of two. Pages that nobody has used take no memory.
  UnexpectedMemory(std::uint64_t share_bytes, std::uint32_t shares);

  // At least `bytes` > 0; null if the system has none either.
  std::byte* take(std::uint64_t bytes);
  // What `take` returned for as many bytes.
  void give(const std::byte* block, std::uint64_t bytes);

  std::uint64_t size() const { return std::uint64_t{shares_} << (kSmallestBits + top_); }
  // Blocks that are the system's.
  std::size_t elsewhere() const { return elsewhere_.size(); }

 private:
  static unsigned level_of(std::uint64_t bytes);
  std::byte* take_of_share(std::uint64_t bytes);
  std::byte* take_elsewhere(std::uint64_t bytes);
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
  std::unique_ptr<std::byte[]> memory_;
  std::vector<Block> blocks_;
  std::array<std::uint32_t, kLevelsMax> free_{};  // the first free block of each level
  std::map<const std::byte*, std::unique_ptr<std::byte[]>> elsewhere_;
};

}  // namespace holdfast::reliable
