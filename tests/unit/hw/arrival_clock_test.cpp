// Arrival times through steps of the wall clock, with clocks made up.
#include "hw/udp/arrival_clock.hpp"

#include <gtest/gtest.h>

namespace holdfast::hw {
namespace {

constexpr std::int64_t kWall = 1'700'000'000'000'000'000;

// The clocks `ns` after the fabric was opened at 1 s; the wall clock is `step_ns` ahead.
ClockPair clocks(std::int64_t ns, std::int64_t step_ns = 0) {
  return {Time{1'000'000'000 + ns}, kWall + ns + step_ns};
}

TEST(ArrivalClock, TheAgeOnTheWallClockIsTheAge) {
  ArrivalClock clock(clocks(0).monotonic);
  EXPECT_EQ(clock.arrival(kWall + 300, clocks(1000)), Time{1'000'000'300});
  EXPECT_EQ(clock.arrival(kWall + 1000, clocks(1000)), Time{1'000'001'000});
}

TEST(ArrivalClock, AStepBackNeverPutsAnArrivalAfterThePoll) {
  ArrivalClock clock(clocks(0).monotonic);
  EXPECT_EQ(clock.arrival(kWall + 300, clocks(1000, -3'600'000'000'000)), Time{1'000'001'000});
}

TEST(ArrivalClock, AStepForwardNeverPutsAnArrivalBeforeTheSocketWasEmpty) {
  ArrivalClock clock(clocks(0).monotonic);
  clock.emptied(clocks(200).monotonic);
  EXPECT_EQ(clock.arrival(kWall + 300, clocks(1000, 3'600'000'000'000)), Time{1'000'000'200});
}

TEST(ArrivalClock, ArrivalsKeepTheOrderOfTheQueue) {
  ArrivalClock clock(clocks(0).monotonic);
  EXPECT_EQ(clock.arrival(kWall + 500, clocks(1000)), Time{1'000'000'500});
  EXPECT_EQ(clock.arrival(kWall + 400, clocks(1000)), Time{1'000'000'500});
}

TEST(ArrivalClock, BothClocksAreReadTogether) {
  const ClockPair first = read_clocks();
  const ClockPair second = read_clocks();
  EXPECT_GE(second.monotonic, first.monotonic);
  EXPECT_GT(first.wall_ns, kWall);
}

}  // namespace
}  // namespace holdfast::hw
