// Time of the stack: int64 nanoseconds on one monotonic clock per process. The clock's zero has no
// meaning outside the process; the simulator uses the start of the simulation.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace holdfast {

// A span of time in nanoseconds; may be negative.
struct Duration {
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return {a.ns * n}; }
  friend constexpr Duration operator*(std::int64_t n, Duration a) { return {a.ns * n}; }
  friend constexpr std::int64_t operator/(Duration a, Duration b) { return a.ns / b.ns; }
  friend constexpr Duration operator/(Duration a, std::int64_t n) { return {a.ns / n}; }
};

// An instant in nanoseconds.
struct Time {
  std::int64_t ns = 0;

  // Later than every instant that occurs: the deadline of one who waits for nothing.
  static constexpr Time never() { return {std::numeric_limits<std::int64_t>::max()}; }

  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time t, Duration d) { return {t.ns + d.ns}; }
  friend constexpr Time operator-(Time t, Duration d) { return {t.ns - d.ns}; }
  friend constexpr Duration operator-(Time a, Time b) { return {a.ns - b.ns}; }
  constexpr Time& operator+=(Duration d) {
    ns += d.ns;
    return *this;
  }
};

constexpr Duration nanoseconds(std::int64_t n) {
  return {n};
}
constexpr Duration microseconds(std::int64_t n) {
  return {n * 1'000};
}
constexpr Duration milliseconds(std::int64_t n) {
  return {n * 1'000'000};
}
constexpr Duration seconds(std::int64_t n) {
  return {n * 1'000'000'000};
}

}  // namespace holdfast
