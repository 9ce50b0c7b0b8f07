// Two processes over several rails, as an application sees it: how long nothing arrives when a rail
// is cut at any moment, one way or both; what a sleeping peer costs; flaps; all rails at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "stack/base/random.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/reliable/rails_world.hpp"

namespace holdfast::reliable {
namespace {

constexpr Duration kT = milliseconds(1);
constexpr RoundTripLimits kLimits{milliseconds(10), kT, seconds(1)};
constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();
const RailSettings kSettings;

Duration any(Random& random, Duration least, Duration most) {
  const auto width = static_cast<std::uint64_t>((most - least).ns);
  return least + nanoseconds(static_cast<std::int64_t>(random.below(width + 1)));
}

std::vector<Duration> any_round_trips(Random& random, std::size_t rails) {
  std::vector<Duration> round_trips(rails);
  for (Duration& one : round_trips) one = any(random, microseconds(100), microseconds(300));
  return round_trips;
}

bool carries_all(const World& world, std::size_t end) {
  const PeerRails& rails = world.ends[end].rails;
  return rails.carry() == (1u << rails.rails()) - 1;
}

bool always_carried_all(const World& world) {
  return world.ends[0].carried.size() == 1 && world.ends[1].carried.size() == 1;
}

enum class Cut { both_ways, there, back };

// A stream on two rails, rail 0 cut at any moment: the longest time without a packet in order.
struct Failover {
  Duration gap;
  Duration suspect;  // from the cut to the end that had to notice
  std::uint64_t in_vain = 0;
  Duration last_acknowledged;  // from the cut on, at the latest: on this rail, or with another's
  Duration other;              // the other rail's round trip
};
Failover fail_over(std::uint64_t seed, std::size_t depth, Cut cut) {
  Random random(seed, 5, depth);
  const std::vector<Duration> round_trips = any_round_trips(random, 2);
  World world(round_trips, kSettings, kLimits);
  world.ends[1].acknowledges_on_lowest = cut == Cut::back;
  world.start(0, depth, kForEver);
  world.run(Time{0} + any(random, milliseconds(15), milliseconds(17)));
  EXPECT_TRUE(always_carried_all(world));
  EXPECT_EQ(world.ends[1].in_vain, 0u);
  world.ends[1].gap = {};
  const Time at = world.now;
  if (cut != Cut::back) world.cut(0, 0, true);
  if (cut != Cut::there) world.cut(0, 1, true);
  world.run(at + milliseconds(60));
  const WorldEnd& noticing = world.ends[cut == Cut::back ? 1 : 0];
  EXPECT_EQ(noticing.carried.size(), 2u) << seed;
  EXPECT_EQ(noticing.carried.back().second, 0b10) << seed;
  EXPECT_EQ(noticing.rails.state(0).health(), RailHealth::down) << seed;
  EXPECT_GT(world.ends[1].advanced, world.now - milliseconds(1)) << seed;  // and it goes on
  return {world.ends[1].gap, noticing.carried.back().first - at, world.ends[1].in_vain,
          std::max(round_trips[0], round_trips[0] / 2 + 3 * round_trips[1] / 2), round_trips[1]};
}

constexpr Duration kTurns = microseconds(40);  // acknowledgements that come a turn later

TEST(RailsWorld, AStreamGoesOnWhenARailBecomesABlackHole) {
  for (std::uint64_t seed = 0; seed < tests::drawn(10u); ++seed) {
    for (const Cut cut : {Cut::both_ways, Cut::there}) {
      for (const std::size_t depth : {3u, 8u}) {
        const Failover found = fail_over(seed, depth, cut);
        EXPECT_LE(found.suspect, found.last_acknowledged + 3 * kT / 2 + kTurns)
            << seed << ' ' << depth;
        EXPECT_LE(found.gap, found.last_acknowledged + found.other + 3 * kT / 2 + kTurns) << seed;
      }
      for (const std::size_t depth : {1u, 2u}) {
        const Failover found = fail_over(seed, depth, cut);
        EXPECT_LE(found.suspect, found.last_acknowledged + 5 * kT / 2 + kTurns)
            << seed << ' ' << depth;
        EXPECT_LE(found.gap, found.last_acknowledged + found.other + 5 * kT / 2 + kTurns) << seed;
      }
    }
  }
}

// All acknowledgements go on rail 0, which is dead on the way back only. Nobody misses them at the
// end that sends them; it is told.
TEST(RailsWorld, AcknowledgementsLeaveARailThatIsDeadInTheirDirection) {
  for (std::uint64_t seed = 0; seed < tests::drawn(20u); ++seed) {
    for (const std::size_t depth : {1u, 8u}) {
      const Failover found = fail_over(seed, depth, Cut::back);
      EXPECT_LE(found.suspect, kSettings.heard_within + 4 * kT) << seed << ' ' << depth;
      EXPECT_LE(found.gap, milliseconds(10)) << seed << ' ' << depth;
    }
  }
}

// In every second seed one way of a rail takes any part of its round trip, as with a queue.
TEST(RailsWorld, WhoSleepsIsNotTakenForDeadRails) {
  for (std::uint64_t seed = 0; seed < tests::drawn(16u); ++seed) {
    Random random(seed, 6, 0);
    const std::vector<Duration> round_trips = any_round_trips(random, 1 + random.below(4));
    World world(round_trips, kSettings, kLimits);
    for (std::size_t r = 0; r < round_trips.size() && seed % 2 == 1; ++r) {
      world.there[r] = any(random, microseconds(1), round_trips[r] - microseconds(1));
    }
    world.start(0, 1 + random.below(8), kForEver);
    if (random.below(2) == 0) world.start(1, 1 + random.below(8), kForEver);
    for (int i = 0; i < 20; ++i) {
      world.run(world.now + any(random, microseconds(1), milliseconds(8)));
      const std::size_t side = random.below(2);
      const Duration time = i == 7 ? seconds(1) : any(random, microseconds(1), milliseconds(60));
      world.sleep(side, true);
      world.run(world.now + time);
      world.sleep(side, false);
    }
    world.run(world.now + milliseconds(200));
    EXPECT_TRUE(always_carried_all(world)) << seed;
    for (const WorldEnd& end : world.ends) {
      for (std::size_t r = 0; r < end.rails.rails(); ++r) {
        EXPECT_EQ(end.rails.state(r).since(), Time{0}) << seed;
      }
      EXPECT_EQ(end.rails.unreachable_since(), Time::never()) << seed;
    }
  }
}

TEST(RailsWorld, AllRailsCutForFiveSecondsAreWaitedFor) {
  for (std::uint64_t seed = 0; seed < tests::drawn(10u); ++seed) {
    Random random(seed, 7, 0);
    World world(any_round_trips(random, 2), kSettings, kLimits);
    world.start(0, 8, kForEver);
    world.run(Time{0} + any(random, milliseconds(10), milliseconds(12)));
    for (std::size_t r = 0; r < 2; ++r) world.cut_both(r, true);
    const Time cut = world.now;
    world.run(cut + seconds(5));
    EXPECT_NEAR(static_cast<double>((world.ends[0].rails.unreachable_since() - cut).ns), 0, 1e6);
    for (std::size_t r = 0; r < 2; ++r) world.cut_both(r, false);
    world.run(world.now + kSettings.probe_interval_silent + milliseconds(1));
    EXPECT_GE(world.ends[1].advanced, world.now - milliseconds(1)) << seed;
    world.run(world.now + milliseconds(150));
    EXPECT_TRUE(carries_all(world, 0)) << seed;
    EXPECT_EQ(world.ends[0].rails.state(0).falls() + world.ends[0].rails.state(1).falls(), 0u);
  }
}

TEST(RailsWorld, AFlapOfTwoSecondsCostsAMoment) {
  for (std::uint64_t seed = 0; seed < tests::drawn(3u); ++seed) {
    Random random(seed, 8, 0);
    World world(any_round_trips(random, 2), kSettings, kLimits);
    world.start(0, 8, kForEver);
    world.run(Time{0} + any(random, milliseconds(10), milliseconds(12)));
    world.cut_both(0, true);
    world.run(world.now + seconds(2));
    world.cut_both(0, false);
    const Time well = world.now;
    world.run(well + milliseconds(250));
    EXPECT_TRUE(carries_all(world, 0)) << seed;
    EXPECT_LE(world.ends[0].carried.back().first - well, milliseconds(75)) << seed;
    EXPECT_LE(world.ends[1].gap, milliseconds(10)) << seed;
  }
}

// A cable that is away for 30 ms and back for 20 ms, all the time.
TEST(RailsWorld, ACableThatFlapsIsHeldLongerAndLonger) {
  World world({microseconds(100), microseconds(60)}, kSettings, kLimits);
  world.start(0, 4, kForEver);
  for (int i = 0; i < 100; ++i) {
    world.run(world.now + milliseconds(20));
    world.cut_both(0, true);
    world.run(world.now + milliseconds(50));
    world.cut_both(0, false);
  }
  // It fell when it was back, at most once for each hold-down: 0.1 + 0.2 + … + 3.2 s are 6.3 of 7.
  EXPECT_LE(world.ends[0].rails.state(0).falls(), 7u);
  EXPECT_GE(world.ends[0].rails.state(0).falls(), 5u);
  EXPECT_LE(world.ends[1].gap, milliseconds(10));
}

TEST(RailsWorld, WhateverHappensAllRailsCarryAgainWhenAllIsWell) {
  RailSettings settings;
  settings.hold_down_max = milliseconds(400);
  for (std::uint64_t seed = 0; seed < tests::drawn(30u); ++seed) {
    Random random(seed, 9, 0);
    const std::size_t rails = 1 + random.below(4);
    World world(any_round_trips(random, rails), settings, kLimits);
    world.start(0, 1 + random.below(4), 4'000);
    world.start(1, 1 + random.below(4), 4'000);
    for (int i = 0; i < 60; ++i) {
      world.cut(random.below(rails), random.below(2), random.below(3) != 0);
      if (random.below(5) == 0) world.sleep(random.below(2), random.below(2) == 0);
      if (random.below(20) == 0) {
        world.ends[0].rails.handle(random.below(rails), RailEvent::failed_here, world.now);
      }
      world.run(world.now + any(random, microseconds(1), milliseconds(40)));
    }
    for (std::size_t r = 0; r < rails; ++r) world.cut_both(r, false);
    world.sleep(0, false);
    world.sleep(1, false);
    world.run(world.now + seconds(2));
    for (std::size_t end = 0; end < 2; ++end) {
      EXPECT_TRUE(carries_all(world, end)) << seed;
      EXPECT_TRUE(world.ends[end].all_acknowledged()) << seed;
      EXPECT_EQ(world.ends[end].received, 4'000u) << seed;
      // And where all is quiet nobody is asked anything.
      EXPECT_EQ(world.ends[end].next_deadline(), Time::never()) << seed;
    }
  }
}

}  // namespace
}  // namespace holdfast::reliable
