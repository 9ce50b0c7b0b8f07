// Smoothing, back-off and the reordering window, in whole nanoseconds. Divisions round towards
// zero, so the mean stops up to 7 ns short of a constant sample, and the deviation 3 ns: nothing
// beside a wait of microseconds.
#include "stack/reliable/round_trip.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"

namespace holdfast::reliable {
namespace {

constexpr Duration kLeastKept = seconds(10);
constexpr std::int64_t kReorderingKept = 256;                  // round trips
constexpr Duration kLongestWait = seconds(366LL * 24 * 3600);  // 256 of them fit in a Duration

bool is_a_wait(Duration wait) {
  return wait.ns > 0 && wait <= kLongestWait;
}

}  // namespace

RoundTrip::RoundTrip(const RoundTripLimits& limits) : limits_(&limits) {
  HOLDFAST_ASSERT(is_a_wait(limits.first) && is_a_wait(limits.wait_min) &&
                  is_a_wait(limits.wait_max) && limits.wait_min <= limits.wait_max);
}

void RoundTrip::measure(Duration sample, Time now) {
  sample = std::clamp(sample, nanoseconds(1), limits_->wait_max);
  if (!measured()) {
    smoothed_ = sample;
    variation_ = sample / 2;
  } else {
    const Duration error = sample - smoothed_;
    const Duration deviation = error.ns < 0 ? Duration{-error.ns} : error;
    variation_ = variation_ + (deviation - variation_) / 4;
    smoothed_ = smoothed_ + error / 8;
  }
  if (least_.ns == 0 || sample <= least_ || now - least_at_ > kLeastKept) {
    least_ = sample;
    least_at_ = now;
  }
  narrow(now);
}

void RoundTrip::overtaken(Duration by, Time now) {
  narrow(now);
  by = std::clamp(by, nanoseconds(0), measured() ? smoothed_ : limits_->first);
  const Duration window = by + by / 4;
  if (window * 2 >= reordering_) overtaken_at_ = now;
  reordering_ = std::max(reordering_, window);
}

void RoundTrip::narrow(Time now) {
  if (now - overtaken_at_ <= smoothed_ * kReorderingKept) return;
  reordering_ = reordering_ / 2;
  overtaken_at_ = now;
}

Duration RoundTrip::reordering_window() const {
  if (!measured()) return std::max(limits_->first / 4, nanoseconds(1));
  const Duration window = std::min(std::max(least_ / 4, reordering_), smoothed_);
  return std::max(window, nanoseconds(1));
}

}  // namespace holdfast::reliable
