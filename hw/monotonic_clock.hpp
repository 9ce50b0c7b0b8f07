// The engine's clock on the real target: CLOCK_MONOTONIC, which all processes of a machine share
// and which no one can set.
#pragma once

#include <time.h>

#include <cstdint>

#include "stack/base/time.hpp"

namespace holdfast::hw {

inline std::int64_t read_clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline Time monotonic_now() {
  return {read_clock_ns(CLOCK_MONOTONIC)};
}

}  // namespace holdfast::hw
