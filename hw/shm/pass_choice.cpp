// Medians are compared, as a process that waits for its processor writes no slower.
#include "hw/shm/pass_choice.hpp"

#include <algorithm>
#include <bit>

namespace holdfast::hw {

// Frames of one length only: messages are long and short frames in turn, in any rhythm.
PassChoice::Next PassChoice::next(std::uint32_t bytes) {
  if (bytes < kTimedBytesMin) return {faster_, false};
  if (not_timed_left_ > 0) {
    --not_timed_left_;
    return {faster_, false};
  }
  if (trials_done_ == 0) {
    bytes_ = bytes;
    others_ = 0;
  }
  if (bytes == bytes_) return {tried(), true};
  if (++others_ == kOthersMax) trials_done_ = 0;
  return {faster_, false};
}

// By the Thue-Morse sequence, so that what comes every second time is shared as well.
Passes PassChoice::tried() const {
  return std::popcount(trials_done_) % 2 == 0 ? Passes::two : Passes::one;
}

void PassChoice::took(Duration time) {
  // Of each two in a row one is of either way.
  times_ns_[tried() == Passes::two ? 0 : 1][trials_done_ / 2] = time.ns;
  if (++trials_done_ < 2 * kTrials) return;
  for (auto& times : times_ns_) std::ranges::nth_element(times, times.begin() + kTrials / 2);
  const bool is_two = times_ns_[0][kTrials / 2] <= times_ns_[1][kTrials / 2];
  faster_ = is_two ? Passes::two : Passes::one;
  trials_done_ = 0;
  not_timed_left_ = kNotTimed;
}

}  // namespace holdfast::hw
