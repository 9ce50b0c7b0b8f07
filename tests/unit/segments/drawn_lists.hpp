// Drawn descriptions of memory, and the naive oracle: the address of every byte of the stream, in
// order, in a list as long as the stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/segments/segment_list.hpp"

namespace holdfast {

struct Description {
  std::vector<Segment> segments;
  Level elements;
};

inline std::vector<std::byte*> bytes_of(const Description& description) {
  std::vector<std::byte*> all;
  for (std::uint64_t e = 0; e < description.elements.count; ++e) {
    for (const Segment& segment : description.segments) {
      const auto& [inner, middle, outer] = segment.levels;
      for (std::uint64_t k = 0; k < outer.count; ++k) {
        for (std::uint64_t j = 0; j < middle.count; ++j) {
          for (std::uint64_t i = 0; i < inner.count; ++i) {
            const std::int64_t shift = static_cast<std::int64_t>(e) * description.elements.stride +
                                       static_cast<std::int64_t>(k) * outer.stride +
                                       static_cast<std::int64_t>(j) * middle.stride +
                                       static_cast<std::int64_t>(i) * inner.stride;
            for (std::uint64_t b = 0; b < segment.block_bytes; ++b)
              all.push_back(segment.start + shift + b);
          }
        }
      }
    }
  }
  return all;
}

inline bool has_twins(const std::vector<std::byte*>& bytes, std::span<const std::byte> arena) {
  std::vector<bool> seen(arena.size());
  for (const std::byte* byte : bytes) {
    const auto place = static_cast<std::size_t>(byte - arena.data());
    if (seen[place]) return true;
    seen[place] = true;
  }
  return false;
}

// Draws descriptions that lie within an arena.
class DrawnLists {
 public:
  DrawnLists(std::span<std::byte> arena, std::uint64_t seed) : arena_(arena), random_(seed, 1, 0) {}

  // Mostly such that no byte is there twice, but not always.
  Description draw() {
    Description description;
    const std::uint64_t kind = random_.below(4);
    const std::uint64_t segments = kind == 0 ? 1 : kind == 1 ? random_.below(60) : random_.below(5);
    std::uint64_t at = 0, reach = 0;  // where the next one goes; behind all of them
    for (std::uint64_t i = 0; i < segments; ++i) {
      std::uint64_t low = 0, high = 0;
      Segment segment = kind == 1 ? short_piece(high) : nested(low, high);
      const std::uint64_t gap = random_.below(3) == 0 ? random_.below(40) : 0;
      if (at + gap + low + high > arena_.size()) break;
      segment.start = arena_.data() + at + gap + low;
      at += gap + low + high;
      reach = std::max(reach, at);
      description.segments.push_back(segment);
      if (random_.below(50) == 0) at /= 2;  // what follows may overlap
    }
    if (random_.below(3) == 0) shuffle(description.segments);
    repeat(description, reach);
    return description;
  }

  Random& random() { return random_; }

 private:
  Segment short_piece(std::uint64_t& high) {
    constexpr std::uint64_t kUsual[] = {4, 8, 16, 64, 65};
    high = random_.below(2) == 0 ? kUsual[random_.below(5)] : random_.below(80);
    return {nullptr, high, {}};
  }

  // How far it reaches below and above its start.
  Segment nested(std::uint64_t& low, std::uint64_t& high) {
    constexpr std::uint64_t kUsual[] = {1, 4, 8, 12, 16, 24, 32, 100};
    Segment segment{nullptr, kUsual[random_.below(8)], {}};
    if (random_.below(3) == 0) segment.block_bytes = random_.below(70);
    if (random_.below(20) == 0) segment.block_bytes = 3000 + random_.below(6000);
    high = segment.block_bytes;
    for (Level& level : segment.levels) {
      if (random_.below(3) == 0) continue;
      level.count = random_.below(segment.block_bytes > 2000 ? 3 : 8);
      const std::uint64_t reach = low + high;
      std::uint64_t stride = reach + (random_.below(2) == 0 ? random_.below(50) : 0);
      if (random_.below(30) == 0) stride = random_.below(reach + 1);
      const bool down = random_.below(4) == 0;
      level.stride = down ? -static_cast<std::int64_t>(stride) : static_cast<std::int64_t>(stride);
      (down ? low : high) += stride * (level.count == 0 ? 0 : level.count - 1);
    }
    return segment;
  }

  void shuffle(std::vector<Segment>& segments) {
    for (std::size_t i = segments.size(); i > 1; --i)
      std::swap(segments[i - 1], segments[random_.below(i)]);
  }

  void repeat(Description& description, std::uint64_t reach) {
    if (reach == 0 || random_.below(3) != 0) return;
    const std::uint64_t stride = reach + random_.below(30);
    const std::uint64_t count = random_.below((arena_.size() - reach) / stride + 2);
    description.elements = {count, static_cast<std::int64_t>(stride)};
    if (count == 0 || random_.below(4) != 0) return;
    for (Segment& segment : description.segments) segment.start += (count - 1) * stride;
    description.elements.stride = -description.elements.stride;
  }

  std::span<std::byte> arena_;
  Random random_;
};

}  // namespace holdfast
