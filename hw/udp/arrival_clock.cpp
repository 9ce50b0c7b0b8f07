// Reading two clocks at one moment: the attempt that took the shortest time counts.
#include "hw/udp/arrival_clock.hpp"

#include "hw/monotonic_clock.hpp"

namespace holdfast::hw {

ClockPair read_clocks() {
  constexpr int kAttempts = 4;
  constexpr Duration kUndisturbed = microseconds(2);
  ClockPair best;
  Duration shortest{Time::never().ns};
  for (int i = 0; i < kAttempts && shortest > kUndisturbed; ++i) {
    const Time before = monotonic_now();
    const std::int64_t wall_ns = read_clock_ns(CLOCK_REALTIME);
    const Time after = monotonic_now();
    if (after - before < shortest) {
      shortest = after - before;
      best = {after, wall_ns};
    }
  }
  return best;
}

}  // namespace holdfast::hw
