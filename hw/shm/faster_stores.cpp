// Medians are compared: a process that waits for its processor is no slow store.
#include "hw/shm/faster_stores.hpp"

#include <algorithm>
#include <bit>

namespace holdfast::hw {

bool FasterStores::is_to_be_timed(std::uint32_t bytes) {
  if (bytes < kTimedBytesMin) return false;
  if (not_timed_left_ == 0) return true;
  --not_timed_left_;
  return false;
}

// By the Thue-Morse sequence: messages of a long and a short frame are long and short in turn, and
// both ways are to have as many of either.
StoredBy FasterStores::tried() const {
  return std::popcount(trials_) % 2 == 0 ? StoredBy::memcpy : StoredBy::anything;
}

void FasterStores::took(std::uint32_t bytes, Duration time) {
  // Of each two in a row one is of either way.
  times_[tried() == StoredBy::memcpy ? 0 : 1][trials_ / 2] =
      static_cast<std::uint64_t>(time.ns) * 1000 / bytes;
  if (++trials_ < 2 * kTrials) return;
  for (Times& times : times_) std::ranges::nth_element(times, times.begin() + kTrials / 2);
  const bool memcpy_is = times_[0][kTrials / 2] <= times_[1][kTrials / 2];
  faster_ = memcpy_is ? StoredBy::memcpy : StoredBy::anything;
  trials_ = 0;
  not_timed_left_ = kNotTimed;
}

}  // namespace holdfast::hw
