// Doubled until it is long enough, so that caches and branch predictors are warm as well.
#include "hw/tune/repeated_work.hpp"

#include <algorithm>

#include "hw/tune/thread_time.hpp"

namespace holdfast::hw {
namespace {

// What takes long by chance does not so each time; what is disturbed only takes longer.
double least_seconds_of(const std::function<void()>& work, std::size_t calls) {
  constexpr int kTimes = 3;
  double least = seconds_of(work, calls);
  for (int i = 1; i < kTimes; ++i) least = std::min(least, seconds_of(work, calls));
  return least;
}

}  // namespace

double seconds_of(const std::function<void()>& work, std::size_t calls) {
  const double begun = thread_seconds();
  for (std::size_t i = 0; i < calls; ++i) work();
  return thread_seconds() - begun;
}

std::size_t calls_that_take(const std::function<void()>& work, double seconds) {
  for (std::size_t calls = 1;; calls *= 2) {
    const double taken = least_seconds_of(work, calls);
    if (taken < seconds / 2) continue;
    const double wanted = static_cast<double>(calls) * seconds / taken;
    return std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
  }
}

}  // namespace holdfast::hw
