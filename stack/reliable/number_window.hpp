// Which numbers of a row have been seen, where nearly all come in order: all before one, and a few
// beyond it. Numbers wrap around at 2^32.
#pragma once

#include <array>
#include <cstdint>

#include "stack/base/assert.hpp"

namespace holdfast::reliable {

class NumberWindow {
 public:
  static constexpr std::uint32_t kWidth = 512;  // of what is remembered beyond all_before()

  NumberWindow() = default;
  explicit NumberWindow(std::uint32_t first) : all_before_(first), end_(first) {}

  // Every number below it has been seen, and it has not.
  std::uint32_t all_before() const { return all_before_; }
  // How many numbers from all_before() on reach beyond the last one that has been seen.
  std::uint32_t beyond() const { return end_ - all_before_; }
  // It lies before the window or in it; what lies behind it cannot be told.
  bool is_within(std::uint32_t number) const {
    return static_cast<std::int32_t>(number - all_before_) < static_cast<std::int32_t>(kWidth);
  }
  bool contains(std::uint32_t number) const {
    if (static_cast<std::int32_t>(number - all_before_) < 0) return true;
    return number - all_before_ < kWidth && bit(number);
  }
  // Of one that is within and not contained.
  void add(std::uint32_t number) {
    HOLDFAST_ASSERT(is_within(number) && !contains(number));
    word(number) |= mask(number);
    if (number - all_before_ >= beyond()) end_ = number + 1;
    while (bit(all_before_)) {
      word(all_before_) &= ~mask(all_before_);
      ++all_before_;
    }
  }
  // Bit i: all_before() + distance + i has been seen.
  std::uint64_t mask_from(std::uint32_t distance) const {
    std::uint64_t seen = 0;
    for (std::uint32_t i = 0; i < 64 && distance + i < beyond(); ++i) {
      if (bit(all_before_ + distance + i)) seen |= std::uint64_t{1} << i;
    }
    return seen;
  }

 private:
  static std::uint64_t mask(std::uint32_t number) { return std::uint64_t{1} << (number % 64); }
  std::uint64_t& word(std::uint32_t number) { return bits_[number % kWidth / 64]; }
  bool bit(std::uint32_t number) const { return (bits_[number % kWidth / 64] & mask(number)) != 0; }

  std::uint32_t all_before_ = 0;
  std::uint32_t end_ = 0;  // one beyond the last that has been seen, not before all_before_
  std::array<std::uint64_t, kWidth / 64> bits_{};
};

}  // namespace holdfast::reliable
