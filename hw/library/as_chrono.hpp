// A time of ours as the standard library's waits want it.
#pragma once

#include <chrono>

#include "stack/base/time.hpp"

namespace holdfast::hw {

// libstdc++'s steady clock is CLOCK_MONOTONIC.
inline std::chrono::steady_clock::time_point as_chrono(Time at) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at.ns));
}

}  // namespace holdfast::hw
