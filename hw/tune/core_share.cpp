// A chain of multiplications tells how long a cycle is, whatever the clock is at the moment; four
// chains of additions beside one another need all of a core.
#include "hw/tune/core_share.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "hw/monotonic_clock.hpp"

namespace holdfast::hw {
namespace {

constexpr int kChainSteps = 8'000, kSideBySideSteps = 12'000;
constexpr double kCyclesOfMultiplication = 3;
constexpr double kAdditionsOfStep = 8;

// The compiler must take the value for one that it does not know, and keep it in a register.
inline void unknown(std::uint64_t& value) {
  asm volatile("" : "+r"(value));
}
inline void add(std::uint64_t& sum) {
  sum += 0x1b873593;
  unknown(sum);
}

double seconds_since(Time begun) {
  return 1e-9 * static_cast<double>((monotonic_now() - begun).ns);
}

double seconds_of_multiplication() {
  std::uint64_t product = 1;
  const Time begun = monotonic_now();
  for (int i = 0; i < kChainSteps; ++i) {
    product *= 0x5bd1e995;
    unknown(product);
  }
  return seconds_since(begun) / kChainSteps;
}

double seconds_of_step() {
  std::uint64_t a = 1, b = 2, c = 3, d = 4;
  const Time begun = monotonic_now();
  for (int i = 0; i < kSideBySideSteps; ++i) {
    add(a), add(b), add(c), add(d);
    add(a), add(b), add(c), add(d);
  }
  return seconds_since(begun) / kSideBySideSteps;
}

}  // namespace

double additions_per_cycle() {
  // An interruption makes one of the two longer, and so does a clock that changes between them.
  std::array<double, 3> tries;
  for (double& additions : tries) {
    const double cycle = seconds_of_multiplication() / kCyclesOfMultiplication;
    additions = kAdditionsOfStep * cycle / seconds_of_step();
  }
  std::sort(tries.begin(), tries.end());
  return tries[1];
}

}  // namespace holdfast::hw
