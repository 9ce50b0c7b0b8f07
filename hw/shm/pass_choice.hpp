// In how many passes frames are written fastest into the memory of one receiver. It differs by what
// caches its processor and ours have in common, by processor and by library; a virtual machine does
// not say truly what they have, and processes are moved. So both ways are tried now and then, and
// timed. Only the writer's time is seen here; what a way may cost the reader is not.
#pragma once

#include <array>
#include <cstdint>

#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class PassChoice {
 public:
  static constexpr std::uint32_t kTimedBytesMin = 4096;  // of less the clock takes too much
  static constexpr std::uint32_t kTrials = 9;            // of either way; odd, for a median
  static constexpr std::uint32_t kNotTimed = 4096;       // frames between two comparisons
  // Of other lengths, until the one that is compared is given up.
  static constexpr std::uint32_t kOthersMax = 64;

  // Two passes until the first comparison, which begins after so many frames.
  explicit PassChoice(std::uint32_t not_timed = 0) : not_timed_left_(not_timed) {}

  struct Next {
    Passes passes;
    bool is_timed;  // took() is to be told of it
  };
  // Of a frame that is written now.
  Next next(std::uint32_t bytes);
  void took(Duration time);

 private:
  Passes tried() const;

  Passes faster_ = Passes::two;
  std::uint32_t not_timed_left_;
  std::uint32_t bytes_ = 0;        // that are compared
  std::uint32_t others_ = 0;       // frames of other lengths, in this comparison
  std::uint32_t trials_done_ = 0;  // of both
  std::array<std::array<std::int64_t, kTrials>, 2> times_ns_{};  // of two passes, of one
};

}  // namespace holdfast::hw
