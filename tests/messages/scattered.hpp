// Memory for a message that is not in one piece: blocks that are drawn, and the plainest loop over
// them. It shares nothing with stack/segments but the description, so that it can say what should
// have been moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/segments/segment_list.hpp"
#include "tests/swarm/dice.hpp"

namespace holdfast::messages {

class Scattered {
 public:
  // For a message of `bytes`; without any it is in one piece.
  Scattered(swarm::Dice& dice, std::uint64_t bytes);

  // What it takes up, with the gaps.
  std::uint64_t extent() const { return extent_; }
  // A list of where they are when they lie at `base`; it is this object's.
  const SegmentList& lie_at(std::byte* base, MemoryUse use);

  // Writes the message, reads its first bytes, or sets them to one value.
  void put(std::byte* base, std::span<const std::byte> message) const;
  void take(const std::byte* base, std::span<std::byte> message) const;
  void fill(std::byte* base, std::uint64_t bytes, std::byte value) const;

 private:
  struct Blocks {
    std::uint64_t at;  // the first one, from the base
    std::uint64_t bytes, count;
    std::int64_t stride;

    std::uint64_t extent() const;
  };

  Blocks draw_blocks(swarm::Dice& dice, std::uint64_t left, bool last) const;
  void place(swarm::Dice& dice);
  // each(at, done, bytes): a block at `at` has bytes done … done + bytes - 1 of the message.
  template <class Each>
  void walk(std::uint64_t bytes, const Each& each) const;

  std::uint64_t style_;
  std::uint64_t extent_ = 0;
  std::vector<Blocks> all_;
  SegmentList list_;
};

}  // namespace holdfast::messages
