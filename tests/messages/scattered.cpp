// Blocks are drawn in the order of the message and placed in another one.
#include "tests/messages/scattered.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "stack/base/assert.hpp"

namespace holdfast::messages {

namespace {
constexpr std::size_t kSegmentsMax = 1000;
constexpr std::uint64_t kStyles = 3;  // many short pieces, long columns, both and more
}  // namespace

std::uint64_t Scattered::Blocks::extent() const {
  const std::uint64_t apart = static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
  return bytes + (count - 1) * apart;
}

Scattered::Scattered(swarm::Dice& dice, std::uint64_t bytes) : style_(dice.below(kStyles)) {
  for (std::uint64_t left = bytes; left > 0;) {
    all_.push_back(draw_blocks(dice, left, all_.size() + 1 == kSegmentsMax));
    left -= all_.back().bytes * all_.back().count;
  }
  place(dice);
}

Scattered::Blocks Scattered::draw_blocks(swarm::Dice& dice, std::uint64_t left, bool last) const {
  if (last) return {0, left, 1, 0};
  const bool is_piece = style_ == 0 || (style_ == 2 && dice.one_in(2));
  if (is_piece) {
    const std::uint64_t most = style_ == 0 ? 40 : left;
    return {0, std::min(left, dice.below(most + 1)), 1, 0};  // perhaps none
  }
  const std::uint64_t block = std::min(left, 1 + dice.below(24));
  const std::uint64_t count = style_ == 1 ? left / block : 1 + dice.below(left / block);
  const auto stride = static_cast<std::int64_t>(block + dice.below(20));
  return {0, block, count, dice.one_in(3) ? -stride : stride};
}

// In another order than that of the message, with gaps or without.
void Scattered::place(swarm::Dice& dice) {
  std::vector<std::size_t> order(all_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (dice.one_in(2)) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[dice.below(i)]);
  }
  for (const std::size_t i : order) {
    Blocks& blocks = all_[i];
    extent_ += dice.one_in(2) ? dice.below(20) : 0;
    blocks.at = blocks.stride < 0 ? extent_ + blocks.extent() - blocks.bytes : extent_;
    extent_ += blocks.extent();
  }
}

const SegmentList& Scattered::lie_at(std::byte* base, MemoryUse use) {
  std::vector<Segment> segments;
  for (const Blocks& blocks : all_)
    segments.push_back({base + blocks.at, blocks.bytes, {Level{blocks.count, blocks.stride}}});
  const SegmentFault fault = list_.describe(segments, use);
  HOLDFAST_ASSERT(fault == SegmentFault::none);
  return list_;
}

template <class Each>
void Scattered::walk(std::uint64_t bytes, const Each& each) const {
  std::uint64_t done = 0;
  for (const Blocks& blocks : all_) {
    for (std::uint64_t i = 0; i < blocks.count && done < bytes; ++i) {
      const std::uint64_t some = std::min(bytes - done, blocks.bytes);
      each(static_cast<std::int64_t>(blocks.at) + static_cast<std::int64_t>(i) * blocks.stride,
           done, some);
      done += some;
    }
  }
}

void Scattered::put(std::byte* base, std::span<const std::byte> message) const {
  walk(message.size(), [&](std::int64_t at, std::uint64_t done, std::uint64_t bytes) {
    std::memcpy(base + at, message.data() + done, bytes);
  });
}

void Scattered::take(const std::byte* base, std::span<std::byte> message) const {
  walk(message.size(), [&](std::int64_t at, std::uint64_t done, std::uint64_t bytes) {
    std::memcpy(message.data() + done, base + at, bytes);
  });
}

void Scattered::fill(std::byte* base, std::uint64_t bytes, std::byte value) const {
  walk(bytes, [&](std::int64_t at, std::uint64_t, std::uint64_t some) {
    std::fill_n(base + at, some, value);
  });
}

}  // namespace holdfast::messages
