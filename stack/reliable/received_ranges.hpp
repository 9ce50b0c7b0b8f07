// Which bytes of a message have arrived: ranges in ascending order, which grow together. They lie
// in blocks. Each message has one, which is enough for a few holes, and all messages of an endpoint
// share some more: when a rail dies while frames take turns on two of them, every other frame of a
// whole window is a hole, and what comes on the rail that is left must still find room.
//
// It knows nothing of fragments: what a fragment's bit in an acknowledgement says follows from
// where the fragment lies, so a message may be cut anew at any time.
#pragma once

#include <array>
#include <cstdint>

#include "stack/reliable/fixed_pool.hpp"

namespace holdfast::reliable {

struct RangeBlock {
  static constexpr std::uint32_t kRanges = 14;

  struct Range {
    std::uint64_t from = 0, to = 0;
  };
  std::uint32_t next = kNone;
  std::uint32_t count = 0;
  std::array<Range, kRanges> ranges;
};

class RangeBlocks {
 public:
  // For so many messages, and those that they share.
  RangeBlocks(std::uint32_t messages, std::uint32_t shared)
      : blocks_(messages + shared), firsts_left_(messages), shared_left_(shared) {}

  // kNone: none is left.
  std::uint32_t take_first() { return take(firsts_left_); }
  std::uint32_t take_shared() { return take(shared_left_); }
  void give_first(std::uint32_t i) { give(i, firsts_left_); }
  void give_shared(std::uint32_t i) { give(i, shared_left_); }
  std::uint32_t firsts_left() const { return firsts_left_; }
  std::uint32_t shared_left() const { return shared_left_; }

  RangeBlock& operator[](std::uint32_t i) { return blocks_[i]; }
  const RangeBlock& operator[](std::uint32_t i) const { return blocks_[i]; }

 private:
  std::uint32_t take(std::uint32_t& left) {
    if (left == 0) return kNone;
    --left;
    return blocks_.take();
  }
  void give(std::uint32_t i, std::uint32_t& left) {
    ++left;
    blocks_.give(i);
  }

  FixedPool<RangeBlock> blocks_;
  std::uint32_t firsts_left_;
  std::uint32_t shared_left_;
};

// All of its functions take the blocks that it began with.
class ReceivedRanges {
 public:
  enum class Overlap : std::uint8_t { none, some, all };

  // Until then it has no block, and nothing else may be asked. False: there is none left.
  [[nodiscard]] bool begin(RangeBlocks& blocks);
  bool has_begun() const { return first_ != kNone; }
  // Gives its blocks back.
  void end(RangeBlocks& blocks);

  // What of [from, to) has arrived. Of no bytes: all.
  Overlap overlap(const RangeBlocks& blocks, std::uint64_t from, std::uint64_t to) const;
  // False: it would need one more block, and no more are left than it has of the shared ones;
  // nothing has changed. For the lowest bytes that are missing there is always room: a place is
  // kept for them.
  [[nodiscard]] bool add(RangeBlocks& blocks, std::uint64_t from, std::uint64_t to);
  // Whether add would.
  bool has_room_for(const RangeBlocks& blocks, std::uint64_t from, std::uint64_t to) const;

  // Bytes nearly always continue the last range: then none of them has arrived, they have room, and
  // `extend` is what add would do.
  bool continues(const RangeBlocks& blocks, std::uint64_t from) const {
    const RangeBlock& last = blocks[last_];
    return last.count > 0 && last.ranges[last.count - 1].to == from;
  }
  void extend(RangeBlocks& blocks, std::uint64_t to) {
    RangeBlock& last = blocks[last_];
    last.ranges[last.count - 1].to = to;
  }

  // All bytes below it have arrived.
  std::uint64_t prefix(const RangeBlocks& blocks) const;

 private:
  // A range, or where one would be appended.
  struct Place {
    std::uint32_t block = kNone;
    std::uint32_t index = 0;
  };
  // The first range that ends at `from` or later; if there is none, behind the last.
  Place find(const RangeBlocks& blocks, std::uint64_t from) const;
  static bool is_range(const RangeBlocks& blocks, Place place);
  bool touches(const RangeBlocks& blocks, Place place, std::uint64_t to) const;
  bool is_full_for(const RangeBlocks& blocks, std::uint32_t block, std::uint64_t from) const;
  void insert(RangeBlocks& blocks, Place place, RangeBlock::Range range);
  void swallow(RangeBlocks& blocks, Place by);

  std::uint32_t first_ = kNone;
  std::uint32_t last_ = kNone;
  std::uint32_t shared_ = 0;  // blocks that it has beside the first
};

}  // namespace holdfast::reliable
