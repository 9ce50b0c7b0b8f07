// Medians are compared, as a process that waits for its processor writes no slower.
#include "hw/shm/pass_choice.hpp"

#include <algorithm>
#include <bit>

namespace holdfast::hw {

// Frames of one length only: messages are long and short frames in turn, in any rhythm.
PassChoice::Next PassChoice::next(std::uint32_t bytes) {
  const bool is_short = bytes < kTimedBytesMin;
  if (resting_ > 0) {
    if (!is_short) --resting_;
    return {faster_, false};
  }
  const Passes passes = tried();
  if (is_short) return pass_over(passes);
  if (written_ < lap_frames_) {
    ++written_;
    return {passes, false};
  }
  if (block_ == 0 && timed_ == 0) bytes_ = bytes;
  if (bytes != bytes_) return pass_over(passes);
  return {passes, true};
}

// A length that comes no more is given up.
PassChoice::Next PassChoice::pass_over(Passes passes) {
  if (++others_ == kOthersOfCompared * compared_frames()) rest();
  return {passes, false};
}

// By the Thue-Morse sequence, so that what comes every second time is shared as well. Of each two
// blocks in a row one is of either way.
Passes PassChoice::tried() const {
  return std::popcount(block_) % 2 == 0 ? Passes::two : Passes::one;
}

void PassChoice::took(Duration time) {
  times_ns_[timed_] = time.ns;
  if (++timed_ == kTimedOfBlock) end_block();
}

void PassChoice::begin_block(std::uint32_t block) {
  block_ = block;
  written_ = 0;
  timed_ = 0;
}

void PassChoice::end_block() {
  const auto middle = times_ns_.begin() + kTimedOfBlock / 2;
  std::ranges::nth_element(times_ns_, middle);
  (tried() == Passes::two ? median_of_two_ns_ : median_of_one_ns_) = *middle;
  if (block_ % 2 == 1 && median_of_one_ns_ < median_of_two_ns_) ++pairs_of_one_;
  begin_block(block_ + 1);
  if (block_ < 2 * kPairs) return;
  faster_ = pairs_of_one_ >= kPairsOfOneMin ? Passes::one : Passes::two;
  rest();
}

void PassChoice::rest() {
  resting_ = kLapsBetween * lap_frames_;
  pairs_of_one_ = 0;
  others_ = 0;
  begin_block(0);
}

}  // namespace holdfast::hw
