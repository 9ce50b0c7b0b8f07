// A description is checked once and put in its simplest form: the fewer and longer the blocks, the
// less there is to do while bytes are moved.
#include "stack/segments/segment_list.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"

namespace holdfast {

namespace {

std::uint64_t address_of(const std::byte* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

std::uint64_t distance(std::int64_t stride) {
  const auto bits = static_cast<std::uint64_t>(stride);
  return stride < 0 ? 0 - bits : bits;
}

const Segment& as_segment(const Segment& segment) {
  return segment;
}

Segment as_segment(std::span<std::byte> piece) {
  return {piece.data(), piece.size(), {}};
}

// Moves both ends of an extent by what a level adds; false: out of the address space.
bool widen(Level level, std::uint64_t& low, std::uint64_t& high) {
  std::uint64_t reach = 0;
  if (__builtin_mul_overflow(level.count - 1, distance(level.stride), &reach)) return false;
  return level.stride < 0 ? !__builtin_sub_overflow(low, reach, &low)
                          : !__builtin_add_overflow(high, reach, &high);
}

}  // namespace

std::string_view explain(SegmentFault fault) {
  switch (fault) {
    case SegmentFault::none:
      return "nothing is wrong";
    case SegmentFault::too_long:
      return "the segments have more bytes than 64 bits can count";
    case SegmentFault::outside:
      return "a segment reaches address 0 or beyond the address space";
    case SegmentFault::overlapping:
      return "segments overlap, and two bytes cannot be received in one place";
  }
  HOLDFAST_ASSERT(false);
}

SegmentList::SegmentList(std::size_t segments) {
  pieces_.reserve(segments + 1);
  shapes_.reserve(segments);
  static_cast<void>(describe(std::span<const Segment>(), MemoryUse::sending));
}

template <class Each>
SegmentFault SegmentList::describe_each(std::span<const Each> all, MemoryUse use, Level elements) {
  clear(use);
  if (elements.count == 0) all = {};
  SegmentFault fault = SegmentFault::none;
  for (const Each& each : all) {
    fault = add(as_segment(each));
    if (fault != SegmentFault::none) break;
  }
  if (fault == SegmentFault::none) fault = repeat(elements);
  if (fault != SegmentFault::none) clear(use);
  bytes_ = element_bytes_ * elements_.count;
  pieces_.push_back({nullptr, element_bytes_, kContiguous});
  return fault;
}

SegmentFault SegmentList::describe(std::span<const Segment> segments, MemoryUse use,
                                   Level elements) {
  return describe_each(segments, use, elements);
}

SegmentFault SegmentList::describe(std::span<const std::span<std::byte>> pieces, MemoryUse use,
                                   Level elements) {
  return describe_each(pieces, use, elements);
}

void SegmentList::clear(MemoryUse use) {
  use_ = use;
  pieces_.clear();
  shapes_.clear();
  elements_ = {};
  element_bytes_ = bytes_ = 0;
  extent_ = {~std::uint64_t{0}, 0};
}

SegmentFault SegmentList::add(const Segment& segment) {
  std::uint64_t bytes = 0;
  Extent extent{};
  if (const SegmentFault fault = measure(segment, bytes, extent); fault != SegmentFault::none)
    return fault;
  if (bytes == 0) return SegmentFault::none;
  if (element_bytes_ + bytes < bytes) return SegmentFault::too_long;
  const bool receives = use_ == MemoryUse::receiving;
  if (receives && surely_overlaps(segment, bytes, extent)) return SegmentFault::overlapping;

  const Shape shape = simplified({segment.block_bytes, segment.levels});
  const bool contiguous = shape.block_bytes == bytes;
  bool goes_on = false;
  if (contiguous && !pieces_.empty() && pieces_.back().shape == kContiguous) {
    const std::uint64_t low = address_of(pieces_.back().start);
    const std::uint64_t high = low + (element_bytes_ - pieces_.back().begins);
    if (receives && extent.low < high && low < extent.high) return SegmentFault::overlapping;
    goes_on = extent.low == high;
  }
  if (!goes_on)
    pieces_.push_back({segment.start, element_bytes_, contiguous ? kContiguous : number_of(shape)});
  element_bytes_ += bytes;
  extent_ = {std::min(extent_.low, extent.low), std::max(extent_.high, extent.high)};
  return SegmentFault::none;
}

SegmentFault SegmentList::repeat(Level elements) {
  if (element_bytes_ == 0) return SegmentFault::none;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(element_bytes_, elements.count, &bytes)) return SegmentFault::too_long;
  if (!widen(elements, extent_.low, extent_.high) || extent_.low == 0) return SegmentFault::outside;
  if (use_ == MemoryUse::receiving && (bytes > extent_.high - extent_.low || hits_itself(elements)))
    return SegmentFault::overlapping;
  if (elements.count == 1) return SegmentFault::none;

  // One more level of a single segment, if it has room.
  if (pieces_.size() == 1) {
    const std::size_t number = pieces_.front().shape;
    Shape shape = number == kContiguous ? Shape{element_bytes_, {}} : shapes_[number];
    if (shape.levels.back().count == 1) {
      shape.levels.back() = elements;
      shape = simplified(shape);
      shapes_.clear();
      element_bytes_ = bytes;
      pieces_.front().shape = shape.block_bytes == bytes ? kContiguous : number_of(shape);
      return SegmentFault::none;
    }
  }
  elements_ = elements;
  return SegmentFault::none;
}

std::size_t SegmentList::number_of(const Shape& shape) {
  if (shapes_.empty() || shapes_.back() != shape) shapes_.push_back(shape);
  return shapes_.size() - 1;
}

// Whether a block of one element surely overlaps the same block of the next one.
bool SegmentList::hits_itself(Level elements) const {
  if (elements.count == 1) return false;
  const std::uint64_t step = distance(elements.stride);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const std::uint64_t end = i + 1 < pieces_.size() ? pieces_[i + 1].begins : element_bytes_;
    const std::uint64_t block =
        piece.shape == kContiguous ? end - piece.begins : shapes_[piece.shape].block_bytes;
    if (step < block) return true;
  }
  return false;
}

SegmentFault SegmentList::measure(const Segment& segment, std::uint64_t& bytes, Extent& extent) {
  bytes = segment.block_bytes;
  for (const Level& level : segment.levels) {
    if (level.count == 0) bytes = 0;
  }
  if (bytes == 0) return SegmentFault::none;
  for (const Level& level : segment.levels) {
    if (__builtin_mul_overflow(bytes, level.count, &bytes)) return SegmentFault::too_long;
  }
  extent.low = address_of(segment.start);
  if (__builtin_add_overflow(extent.low, segment.block_bytes, &extent.high))
    return SegmentFault::outside;
  for (const Level& level : segment.levels) {
    if (!widen(level, extent.low, extent.high)) return SegmentFault::outside;
  }
  return extent.low == 0 ? SegmentFault::outside : SegmentFault::none;
}

bool SegmentList::surely_overlaps(const Segment& segment, std::uint64_t bytes, Extent extent) {
  if (bytes > extent.high - extent.low) return true;
  return std::ranges::any_of(segment.levels, [&segment](const Level& level) {
    return level.count > 1 && distance(level.stride) < segment.block_bytes;
  });
}

// Levels of one are left out, and what lies close together becomes one block or one level.
SegmentList::Shape SegmentList::simplified(const Shape& shape) {
  Shape simple{shape.block_bytes, {}};
  std::size_t kept = 0;
  for (const Level& level : shape.levels) {
    if (level.count == 1) continue;
    std::int64_t close = 0;  // the stride that leaves no gap
    const bool fits = kept == 0 ? !__builtin_add_overflow(simple.block_bytes, 0, &close)
                                : !__builtin_mul_overflow(simple.levels[kept - 1].count,
                                                          simple.levels[kept - 1].stride, &close);
    if (!fits || level.stride != close) {
      simple.levels[kept++] = level;
    } else if (kept == 0) {
      simple.block_bytes *= level.count;
    } else {
      simple.levels[kept - 1].count *= level.count;
    }
  }
  return simple;
}

}  // namespace holdfast
