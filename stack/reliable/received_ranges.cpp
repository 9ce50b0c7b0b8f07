// Ranges that grow together.
#include "stack/reliable/received_ranges.hpp"

#include <algorithm>

namespace holdfast::reliable {

using Range = RangeBlock::Range;

bool ReceivedRanges::begin(RangeBlocks& blocks) {
  first_ = last_ = blocks.take_first();
  return has_begun();
}

void ReceivedRanges::end(RangeBlocks& blocks) {
  if (!has_begun()) return;
  for (std::uint32_t i = blocks[first_].next; i != kNone;) {
    const std::uint32_t next = blocks[i].next;
    blocks.give_shared(i);
    i = next;
  }
  blocks.give_first(first_);
  *this = {};
}

std::uint64_t ReceivedRanges::prefix(const RangeBlocks& blocks) const {
  const RangeBlock& block = blocks[first_];
  return block.count > 0 && block.ranges[0].from == 0 ? block.ranges[0].to : 0;
}

bool ReceivedRanges::is_range(const RangeBlocks& blocks, Place place) {
  return place.index < blocks[place.block].count;
}

// Bytes mostly continue the last range, or close a hole before the first one.
ReceivedRanges::Place ReceivedRanges::find(const RangeBlocks& blocks, std::uint64_t from) const {
  const bool is_in_last = blocks[last_].count > 0 && blocks[last_].ranges[0].from <= from;
  std::uint32_t i = is_in_last ? last_ : first_;
  while (i != last_ && blocks[i].ranges[blocks[i].count - 1].to < from) i = blocks[i].next;
  const RangeBlock& block = blocks[i];
  const auto* const end = block.ranges.data() + block.count;
  const auto* const found =
      std::lower_bound(block.ranges.data(), end, from,
                       [](const Range& range, std::uint64_t at) { return range.to < at; });
  return {i, static_cast<std::uint32_t>(found - block.ranges.data())};
}

ReceivedRanges::Overlap ReceivedRanges::overlap(const RangeBlocks& blocks, std::uint64_t from,
                                                std::uint64_t to) const {
  if (from == to) return Overlap::all;
  Place place = find(blocks, from);
  if (!is_range(blocks, place)) return Overlap::none;
  if (blocks[place.block].ranges[place.index].to == from) {  // it only touches
    ++place.index;
    if (!is_range(blocks, place)) place = {blocks[place.block].next, 0};
    if (place.block == kNone) return Overlap::none;
  }
  const Range& range = blocks[place.block].ranges[place.index];
  if (range.from >= to) return Overlap::none;
  return range.from <= from && to <= range.to ? Overlap::all : Overlap::some;
}

// The range there and one that ends at `to`, and begins no later than that one ends.
bool ReceivedRanges::touches(const RangeBlocks& blocks, Place place, std::uint64_t to) const {
  return is_range(blocks, place) && blocks[place.block].ranges[place.index].from <= to;
}

// For a range that begins at `from`.
bool ReceivedRanges::is_full_for(const RangeBlocks& blocks, std::uint32_t block,
                                 std::uint64_t from) const {
  const bool keeps_a_place = block == first_ && from > 0 && prefix(blocks) == 0;
  return blocks[block].count + (keeps_a_place ? 1 : 0) >= RangeBlock::kRanges;
}

// No message has more of the shared blocks than are left (Choudhury and Hahne's threshold).
bool ReceivedRanges::has_room_for(const RangeBlocks& blocks, std::uint64_t from,
                                  std::uint64_t to) const {
  const Place place = find(blocks, from);
  return touches(blocks, place, to) || !is_full_for(blocks, place.block, from) ||
         shared_ < blocks.shared_left();
}

bool ReceivedRanges::add(RangeBlocks& blocks, std::uint64_t from, std::uint64_t to) {
  const Place place = find(blocks, from);
  if (touches(blocks, place, to)) {
    Range& range = blocks[place.block].ranges[place.index];
    range.from = std::min(range.from, from);
    range.to = std::max(range.to, to);
    swallow(blocks, place);
    return true;
  }
  if (!has_room_for(blocks, from, to)) return false;
  insert(blocks, place, {from, to});
  return true;
}

// A full block gives its second half to a new one behind it; or, if what comes is appended, as
// bytes mostly are, it stays full and the new one begins with that.
void ReceivedRanges::insert(RangeBlocks& blocks, Place place, Range range) {
  if (is_full_for(blocks, place.block, range.from)) {
    const std::uint32_t made = blocks.take_shared();
    RangeBlock& full = blocks[place.block];
    RangeBlock& behind = blocks[made];
    const std::uint32_t stay = is_range(blocks, place) ? full.count / 2 : full.count;
    std::copy(full.ranges.data() + stay, full.ranges.data() + full.count, behind.ranges.data());
    behind.count = full.count - stay;
    behind.next = full.next;
    full.count = stay;
    full.next = made;
    if (last_ == place.block) last_ = made;
    ++shared_;
    if (place.index >= stay) place = {made, place.index - stay};
  }
  RangeBlock& block = blocks[place.block];
  Range* const at = block.ranges.data() + place.index;
  Range* const end = block.ranges.data() + block.count;
  std::copy_backward(at, end, end + 1);
  *at = range;
  ++block.count;
}

// The ranges behind it that it reaches have become part of it.
void ReceivedRanges::swallow(RangeBlocks& blocks, Place by) {
  RangeBlock& block = blocks[by.block];
  std::uint64_t& to = block.ranges[by.index].to;
  const auto drop = [&](RangeBlock& of, std::uint32_t first) {
    std::uint32_t behind = first;
    while (behind < of.count && of.ranges[behind].from <= to) {
      to = std::max(to, of.ranges[behind++].to);
    }
    std::copy(of.ranges.data() + behind, of.ranges.data() + of.count, of.ranges.data() + first);
    of.count -= behind - first;
    return of.count == first;  // of what is behind the first, nothing is left
  };
  if (!drop(block, by.index + 1)) return;
  while (block.next != kNone) {
    const std::uint32_t next = block.next;
    if (!drop(blocks[next], 0)) return;
    block.next = blocks[next].next;
    if (last_ == next) last_ = by.block;
    blocks.give_shared(next);
    --shared_;
  }
}

}  // namespace holdfast::reliable
