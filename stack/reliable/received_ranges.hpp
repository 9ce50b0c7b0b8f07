// Which bytes of a message have arrived: ranges in ascending order, which grow together. They lie
// in blocks of which all messages of an endpoint share a fixed number. A message needs one for a
// hole or a few; when a rail dies while frames take turns on two of them, every other frame of a
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

using RangeBlocks = FixedPool<RangeBlock>;

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
  // False: it would need one more block, and has as many as are left already; nothing has changed.
  // For the lowest bytes that are missing there is always room: a place is kept for them.
  [[nodiscard]] bool add(RangeBlocks& blocks, std::uint64_t from, std::uint64_t to);
  bool has_room_for(const RangeBlocks& blocks, std::uint64_t from, std::uint64_t to) const;

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
  bool is_full(const RangeBlocks& blocks, std::uint32_t block, std::uint64_t from) const;
  void insert(RangeBlocks& blocks, Place place, RangeBlock::Range range);
  void swallow(RangeBlocks& blocks, Place by);

  std::uint32_t first_ = kNone;
  std::uint32_t last_ = kNone;
  std::uint32_t held_ = 0;  // blocks
};

}  // namespace holdfast::reliable
