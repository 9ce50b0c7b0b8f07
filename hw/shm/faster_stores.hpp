// How frames are stored fastest into the memory of one receiver. Where its processor and ours have
// no cache in common memcpy is several times faster than anything that stores registers; where they
// have one, what is computed on the way of a copy costs less than before it. Nobody tells which it
// is, and processes are moved. So every now and then both are tried in turn, and timed.
#pragma once

#include <array>
#include <cstdint>

#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class FasterStores {
 public:
  static constexpr std::uint32_t kTimedBytesMin = 4096;  // of less the clock takes too much
  static constexpr std::uint32_t kTrials = 8;            // of each
  static constexpr std::uint32_t kNotTimed = 4096;       // frames between two comparisons

  // Of memory for so many bytes that is stored next: whether `tried` is to be taken, and what it
  // took told. If not, `faster`.
  bool is_to_be_timed(std::uint32_t bytes);
  StoredBy tried() const;
  void took(std::uint32_t bytes, Duration time);

  StoredBy faster() const { return faster_; }

 private:
  // Picoseconds a byte.
  using Times = std::array<std::uint64_t, kTrials>;

  StoredBy faster_ = StoredBy::memcpy;
  std::uint32_t not_timed_left_ = 0;
  std::uint32_t trials_ = 0;      // of both
  std::array<Times, 2> times_{};  // of memcpy, of anything
};

}  // namespace holdfast::hw
