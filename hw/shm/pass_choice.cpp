// Medians are compared, as a process that waits for its processor writes no slower.
#include "hw/shm/pass_choice.hpp"

#include <algorithm>
#include <bit>

namespace holdfast::hw {

// Frames of one length only: messages are long and short frames in turn, in any rhythm.
PassChoice::Next PassChoice::next(std::uint32_t bytes) {
  const bool compares = not_timed_left_ == 0;
  const Passes passes = compares ? tried() : faster_;
  if (bytes < kTimedBytesMin) return {passes, false};
  if (!compares) {
    --not_timed_left_;
    return {passes, false};
  }
  if (written_ < lap_frames_) {
    ++written_;
    return {passes, false};
  }
  if (block_ == 0 && timed_ == 0) bytes_ = bytes;
  if (bytes == bytes_) return {passes, true};
  if (++others_ == kOthersMax) begin_comparison();
  return {passes, false};
}

// By the Thue-Morse sequence, so that what comes every second time is shared as well. Of each two
// blocks in a row one is of either way.
Passes PassChoice::tried() const {
  return std::popcount(block_) % 2 == 0 ? Passes::two : Passes::one;
}

void PassChoice::took(Duration time) {
  times_ns_[timed_] = time.ns;
  if (++timed_ == kTimed) end_block();
}

void PassChoice::begin_comparison() {
  pairs_of_one_ = 0;
  others_ = 0;
  begin_block(0);
}

void PassChoice::begin_block(std::uint32_t block) {
  block_ = block;
  written_ = 0;
  timed_ = 0;
}

void PassChoice::end_block() {
  const auto middle = times_ns_.begin() + kTimed / 2;
  std::ranges::nth_element(times_ns_, middle);
  (tried() == Passes::two ? median_of_two_ns_ : median_of_one_ns_) = *middle;
  if (block_ % 2 == 1 && median_of_one_ns_ < median_of_two_ns_) ++pairs_of_one_;
  begin_block(block_ + 1);
  if (block_ < 2 * kPairs) return;
  faster_ = pairs_of_one_ >= kPairsOfOneMin ? Passes::one : Passes::two;
  not_timed_left_ = kNotTimed;
  begin_comparison();
}

}  // namespace holdfast::hw
