// Ranges that grow together.
#include "stack/reliable/received_ranges.hpp"

#include <algorithm>

namespace holdfast::reliable {

std::uint32_t ReceivedRanges::find(std::uint64_t from) const {
  if (count_ > 0 && ranges_[count_ - 1].from <= from) {
    return ranges_[count_ - 1].to >= from ? count_ - 1 : count_;
  }
  const auto* const end = ranges_.data() + count_;
  const auto* const found =
      std::lower_bound(ranges_.data(), end, from,
                       [](const Range& range, std::uint64_t at) { return range.to < at; });
  return static_cast<std::uint32_t>(found - ranges_.data());
}

ReceivedRanges::Overlap ReceivedRanges::overlap(std::uint64_t from, std::uint64_t to) const {
  if (from == to) return Overlap::all;
  std::uint32_t i = find(from);
  if (i < count_ && ranges_[i].to == from) ++i;  // it only touches
  if (i == count_ || ranges_[i].from >= to) return Overlap::none;
  return ranges_[i].from <= from && to <= ranges_[i].to ? Overlap::all : Overlap::some;
}

bool ReceivedRanges::has_room_for(std::uint64_t from, std::uint64_t to) const {
  if (from <= prefix() || count_ < kMost - 1) return true;
  const std::uint32_t i = find(from);
  return i < count_ && ranges_[i].from <= to;
}

bool ReceivedRanges::add(std::uint64_t from, std::uint64_t to) {
  if (!has_room_for(from, to)) return false;
  const std::uint32_t i = find(from);
  if (i == count_ || ranges_[i].from > to) {
    std::copy_backward(ranges_.data() + i, ranges_.data() + count_, ranges_.data() + count_ + 1);
    ranges_[i] = {from, to};
    ++count_;
    return true;
  }
  ranges_[i].from = std::min(ranges_[i].from, from);
  ranges_[i].to = std::max(ranges_[i].to, to);
  std::uint32_t swallowed = i + 1;
  while (swallowed < count_ && ranges_[swallowed].from <= ranges_[i].to) {
    ranges_[i].to = std::max(ranges_[i].to, ranges_[swallowed].to);
    ++swallowed;
  }
  std::copy(ranges_.data() + swallowed, ranges_.data() + count_, ranges_.data() + i + 1);
  count_ -= swallowed - (i + 1);
  return true;
}

}  // namespace holdfast::reliable
