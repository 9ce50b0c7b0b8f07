// Time of the simulated fabric: int64 units of 10 ps, which reach 2.9 years. A byte at 100 Gb/s
// takes 8 of them, so the common rates need no rounding; the stack's nanoseconds would be too
// coarse.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "stack/base/time.hpp"

namespace holdfast::sim {

// An instant or a span, in units of 10 ps.
struct SimTime {
  std::int64_t value = 0;

  // Later than every instant that occurs; as a span: it never arrives.
  static constexpr SimTime never() { return {std::numeric_limits<std::int64_t>::max()}; }

  friend constexpr auto operator<=>(SimTime, SimTime) = default;
  friend constexpr SimTime operator+(SimTime a, SimTime b) { return {a.value + b.value}; }
  friend constexpr SimTime operator-(SimTime a, SimTime b) { return {a.value - b.value}; }
};

constexpr std::int64_t kSimUnitsPerNanosecond = 100;
constexpr std::int64_t kSimUnitsPerSecond = 100'000'000'000;

// Exact, for spans up to 2.9 years.
constexpr SimTime to_sim_time(Duration span) {
  return {span.ns * kSimUnitsPerNanosecond};
}

// The one place where simulated time becomes the stack's: rounded up, because nobody may learn of
// something before it has happened. SimTime::never() becomes the largest Duration.
constexpr Duration round_up(SimTime span) {
  if (span.value <= 0) return {span.value / kSimUnitsPerNanosecond};
  if (span == SimTime::never()) return {std::numeric_limits<std::int64_t>::max()};
  constexpr auto kUnits = static_cast<std::uint64_t>(kSimUnitsPerNanosecond);
  const auto units = static_cast<std::uint64_t>(span.value);
  return {static_cast<std::int64_t>((units + kUnits - 1) / kUnits)};
}

}  // namespace holdfast::sim
