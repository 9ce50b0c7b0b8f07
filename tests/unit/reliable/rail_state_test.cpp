// The health of a rail: every event in every state, what is promised in rail_state.hpp as closed
// forms, and random walks against a second opinion.
#include "stack/reliable/rail_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "stack/base/random.hpp"

namespace holdfast::reliable {
namespace {

constexpr Duration kTick = nanoseconds(1);
constexpr std::array kEvents{
    RailEvent::delivered,  RailEvent::answered,      RailEvent::timed_out,   RailEvent::overtaken,
    RailEvent::probe_lost, RailEvent::not_completed, RailEvent::failed_here, RailEvent::port_up,
    RailEvent::unheard,    RailEvent::outrun,        RailEvent::failed_there};
static_assert(kEvents.size() == kRailEvents);

// Every count is two, so that each state has a before and an after; times that add up easily.
RailSettings twos() {
  RailSettings settings;
  settings.suspect_after = 2;
  settings.suspicions_to_fall = 2;
  settings.down_after = 2;
  settings.probes_to_return = 2;
  settings.probe_interval = milliseconds(1);
  settings.probe_interval_down = milliseconds(10);
  settings.hold_down_min = milliseconds(100);
  settings.hold_down_max = seconds(2);
  settings.forgiven_after = seconds(5);
  return settings;
}

// A rail that has just become so, by the shortest way.
RailState rail_in(RailHealth health, const RailSettings& settings, Time now) {
  RailState rail(settings, now);
  if (health == RailHealth::suspect) rail.handle(RailEvent::overtaken, now);
  if (health == RailHealth::down) rail.handle(RailEvent::failed_here, now);
  if (health == RailHealth::probation) {
    rail.handle(RailEvent::failed_here, now - settings.hold_down_min);
    rail.handle(RailEvent::answered, now);
  }
  EXPECT_EQ(rail.health(), health);
  return rail;
}

// Where an event leads from each state: when it comes once, and when it comes twice, a second
// later. u, s, d, p.
struct Expected {
  RailEvent event;
  const char* once;  // from up, suspect, down (held), probation
  const char* twice;
};
constexpr Expected kExpected[] = {
    {RailEvent::delivered, "usdp", "usdp"},    {RailEvent::answered, "uudu", "uupu"},
    {RailEvent::timed_out, "usdp", "ssdp"},    {RailEvent::overtaken, "ssdp", "ssdp"},
    {RailEvent::probe_lost, "usdd", "sddd"},   {RailEvent::not_completed, "ssdp", "ssdp"},
    {RailEvent::failed_here, "dddd", "dddd"},  {RailEvent::port_up, "usdp", "usdp"},
    {RailEvent::unheard, "ssdd", "ssdd"},      {RailEvent::outrun, "ssdp", "ssdp"},
    {RailEvent::failed_there, "ssdd", "ssdd"},
};
static_assert(std::size(kExpected) == kRailEvents);

char letter(RailHealth health) {
  return "usdp"[static_cast<unsigned>(health)];
}

TEST(RailState, EveryEventInEveryState) {
  const RailSettings settings = twos();
  const Time now = Time{0} + seconds(100);
  for (const Expected& expected : kExpected) {
    for (unsigned from = 0; from < kRailHealths; ++from) {
      RailState rail = rail_in(RailHealth{static_cast<std::uint8_t>(from)}, settings, now);
      for (const char* to : {expected.once, expected.twice}) {
        const char before = letter(rail.health());
        const Time at = to == expected.once ? now : now + seconds(1);
        const bool changed = rail.handle(expected.event, at);
        const std::string place = "event " + std::to_string(static_cast<int>(expected.event)) +
                                  " from " + "usdp"[from] + " at " + before;
        EXPECT_EQ(letter(rail.health()), to[from]) << place;
        EXPECT_EQ(changed, before != to[from]) << place;
        if (changed) {
          EXPECT_EQ(rail.since(), at) << place;
        }
        EXPECT_EQ(rail.carries_data(), to[from] == 'u') << place;
        EXPECT_EQ(rail.next_probe() == Time::never(), to[from] == 'u') << place;
      }
    }
  }
}

// What leaves the health as it is, and is more than nothing.
TEST(RailState, OnlyADeliveryMakesSilenceForgotten) {
  const RailSettings settings = twos();
  for (const RailEvent event : kEvents) {
    RailState rail(settings, {});
    rail.handle(RailEvent::timed_out, {1});
    rail.handle(event, {2});
    if (rail.health() != RailHealth::up) continue;
    rail.handle(RailEvent::probe_lost, {3});
    EXPECT_EQ(rail.health(), event == RailEvent::delivered ? RailHealth::up : RailHealth::suspect)
        << static_cast<int>(event);
  }
}

TEST(RailState, OnlyAnAnswerOnProbationCountsForTheReturn) {
  RailSettings settings = twos();
  settings.probes_to_return = 3;
  for (const RailEvent event : kEvents) {
    RailState rail = rail_in(RailHealth::probation, settings, Time{0} + seconds(1));
    rail.handle(event, Time{0} + seconds(2));
    if (rail.health() != RailHealth::probation) continue;
    rail.handle(RailEvent::answered, Time{0} + seconds(2));
    EXPECT_EQ(rail.health(), event == RailEvent::answered ? RailHealth::up : RailHealth::probation)
        << static_cast<int>(event);
  }
}

TEST(RailState, AnAnswerBetweenLostProbesBeginsTheCountAnew) {
  const RailSettings settings = twos();
  RailState rail = rail_in(RailHealth::suspect, settings, {});
  rail.handle(RailEvent::probe_lost, {1});
  rail.handle(RailEvent::answered, {2});
  rail.handle(RailEvent::delivered, {2});
  rail.handle(RailEvent::overtaken, {3});
  rail.handle(RailEvent::probe_lost, {4});
  EXPECT_EQ(rail.health(), RailHealth::suspect);
  rail.handle(RailEvent::probe_lost, {5});
  EXPECT_EQ(rail.health(), RailHealth::down);
}

TEST(RailState, TheHoldDownDoublesWithEachFallUpToItsEnd) {
  const RailSettings settings = twos();
  RailState rail(settings, {});
  Time now{5};
  for (int fall = 1; fall <= 1000; ++fall) {
    ASSERT_TRUE(rail.handle(RailEvent::failed_here, now));
    const double held = std::min(std::ldexp(0.1e9, fall - 1), 2e9);
    ASSERT_EQ(rail.held_until() - now, nanoseconds(std::llround(held))) << fall;
    EXPECT_EQ(rail.next_probe(), rail.held_until());
    EXPECT_EQ(rail.falls(), std::min(fall, 255));
    // Not a nanosecond earlier.
    rail.handle(RailEvent::answered, rail.held_until() - kTick);
    ASSERT_EQ(rail.health(), RailHealth::down);
    now = rail.held_until();
    rail.handle(RailEvent::answered, now);
    ASSERT_EQ(rail.health(), RailHealth::probation);
    rail.handle(RailEvent::answered, now);
    ASSERT_EQ(rail.health(), RailHealth::up);
  }
}

TEST(RailState, AFallIsForgivenAfterATimeSinceTheReturnAndNotBefore) {
  const RailSettings settings = twos();
  for (const Duration up : {seconds(5) - kTick, seconds(5)}) {
    RailState rail(settings, {});
    rail.handle(RailEvent::failed_here, {});
    const Time back = Time{0} + seconds(1);
    rail.handle(RailEvent::answered, back);
    rail.handle(RailEvent::answered, back);
    ASSERT_TRUE(rail.carries_data());
    // A suspicion that a probe ended is no fall and does not count as one.
    rail.handle(RailEvent::delivered, back);
    rail.handle(RailEvent::overtaken, back + seconds(4));
    rail.handle(RailEvent::answered, back + seconds(4));
    rail.handle(RailEvent::failed_here, back + up);
    const bool forgiven = up == seconds(5);
    EXPECT_EQ(rail.falls(), forgiven ? 1u : 2u);
    EXPECT_EQ(rail.held_until() - (back + up), milliseconds(forgiven ? 100 : 200));
  }
}

// The bound of rail_state.hpp is met, with probes sent as next_probe() says and answers after R.
Time comes_back(const RailSettings& settings, Time fall, Time well, Duration round_trip) {
  RailState rail(settings, Time{0});
  rail.handle(RailEvent::failed_here, fall);
  Time now = fall;
  while (!rail.carries_data()) {
    now = std::max(now, rail.next_probe());
    rail.probed(now);
    if (now < well) {
      if (rail.health() == RailHealth::probation) rail.handle(RailEvent::probe_lost, now);
      continue;
    }
    now = now + round_trip;
    rail.handle(RailEvent::answered, now);
  }
  return now;
}

TEST(RailState, ComesBackWithinWhatIsPromised) {
  const RailSettings settings;
  Random random(11, 0, 0);
  Duration slack_least = seconds(1);
  for (int i = 0; i < 20'000; ++i) {
    const Time fall = Time{0} + nanoseconds(static_cast<std::int64_t>(random.below(1'000'000)));
    const Time well = fall + nanoseconds(static_cast<std::int64_t>(random.below(400'000'000)));
    const Duration round_trip =
        nanoseconds(static_cast<std::int64_t>(1 + random.below(i % 2 == 0 ? 100'000 : 20'000'000)));
    const Time bound =
        std::max(well + settings.probe_interval_down, fall + settings.hold_down_min) + round_trip +
        (settings.probes_to_return - 1) * std::max(settings.probe_interval, round_trip);
    const Time back = comes_back(settings, fall, well, round_trip);
    ASSERT_LE(back, bound);
    ASSERT_GE(back, std::max(well, fall + settings.hold_down_min));
    slack_least = std::min(slack_least, bound - back);
  }
  EXPECT_LE(slack_least, microseconds(100));  // and no less is promised than could be
  // A flap of two seconds: well before the quarter of a second that the transport promises.
  EXPECT_LE(comes_back(settings, {}, Time{0} + seconds(2), milliseconds(1)),
            Time{0} + seconds(2) + milliseconds(72));
}

TEST(RailState, APortThatComesUpIsProbedAtOnceButNotBeforeTheHoldDownHasEnded) {
  const RailSettings settings = twos();
  RailState rail = rail_in(RailHealth::down, settings, {});
  rail.handle(RailEvent::port_up, Time{0} + milliseconds(30));
  EXPECT_EQ(rail.next_probe(), Time{0} + milliseconds(100));
  rail.probed(Time{0} + milliseconds(100));
  EXPECT_EQ(rail.next_probe(), Time{0} + milliseconds(110));
  rail.handle(RailEvent::port_up, Time{0} + milliseconds(103));
  EXPECT_EQ(rail.next_probe(), Time{0} + milliseconds(103));

  rail = rail_in(RailHealth::suspect, settings, {});
  EXPECT_EQ(rail.next_probe(), Time{0});
  rail.probed({});
  EXPECT_EQ(rail.next_probe(), Time{0} + milliseconds(1));
  rail.handle(RailEvent::port_up, {7});
  EXPECT_EQ(rail.next_probe(), Time{7});
}

TEST(RailState, WhereOnlySmallFramesPassSuspicionsBecomeAFall) {
  RailSettings settings = twos();
  settings.suspicions_to_fall = 3;
  RailState rail(settings, {});
  for (int suspicion = 1; suspicion <= 2; ++suspicion) {
    rail.handle(RailEvent::overtaken, {suspicion});
    ASSERT_EQ(rail.health(), RailHealth::suspect);
    rail.handle(RailEvent::answered, {suspicion});
  }
  rail.handle(RailEvent::overtaken, {3});
  EXPECT_EQ(rail.health(), RailHealth::down);
  // Back by its probes alone, it falls at once.
  rail.handle(RailEvent::answered, rail.held_until());
  rail.handle(RailEvent::answered, rail.held_until());
  ASSERT_TRUE(rail.carries_data());
  rail.handle(RailEvent::unheard, rail.held_until());
  EXPECT_EQ(rail.health(), RailHealth::down);
  EXPECT_EQ(rail.falls(), 2u);
  // What has been delivered makes them first ones again.
  rail = RailState(settings, {});
  for (int suspicion = 1; suspicion <= 20; ++suspicion) {
    rail.handle(RailEvent::overtaken, {suspicion});
    ASSERT_EQ(rail.health(), RailHealth::suspect);
    rail.handle(RailEvent::answered, {suspicion});
    rail.handle(RailEvent::delivered, {suspicion});
  }
}

// A second opinion on a rail: kept from the events alone, by what is promised about them.
class Opinion {
 public:
  explicit Opinion(const RailSettings& settings) : settings_(settings) {}

  void check(const RailState& before, RailEvent event, Time now, const RailState& after) {
    const RailHealth from = before.health(), to = after.health();
    const bool back = from == RailHealth::down || from == RailHealth::probation;
    if (back && event == RailEvent::answered && now >= before.held_until()) {
      ++answered_in_a_row_;
    } else if (from == RailHealth::down || to == RailHealth::down) {
      answered_in_a_row_ = 0;
    }
    if (back && to == RailHealth::up) {
      ASSERT_EQ(answered_in_a_row_, settings_.probes_to_return);
      ASSERT_GE(now, before.held_until());
      answered_in_a_row_ = 0;
    }
    // Who is down does not become suspect, and who carries data has no probation.
    ASSERT_FALSE(back && to == RailHealth::suspect);
    ASSERT_FALSE(!back && to == RailHealth::probation);
    const bool fell = !back && to == RailHealth::down;
    if (fell) {
      const Duration held = after.held_until() - now;
      ASSERT_GE(held, settings_.hold_down_min);
      ASSERT_LE(held, settings_.hold_down_max);
      if (after.falls() > 1) {
        ASSERT_GE(held, last_held_);
      }
      ASSERT_EQ(after.falls(), after.falls() > 1 ? before.falls() + 1 : 1u);
      last_held_ = held;
    } else {
      ASSERT_EQ(after.held_until(), before.held_until());
      ASSERT_EQ(after.falls(), before.falls());
    }
    ASSERT_EQ(after.carries_data(), to == RailHealth::up);
    if (to == RailHealth::down) {
      ASSERT_GE(after.next_probe(), after.held_until());
    }
    if (from != to) {
      ASSERT_GE(after.next_probe(), now);  // no deadline in the past
    }
  }

 private:
  const RailSettings& settings_;
  unsigned answered_in_a_row_ = 0;
  Duration last_held_;
};

TEST(RailState, RandomEventsBreakNoPromise) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, 3, 0);
    RailSettings settings = twos();
    settings.suspect_after = 1 + static_cast<unsigned>(random.below(3));
    settings.suspicions_to_fall = 1 + static_cast<unsigned>(random.below(4));
    settings.down_after = 1 + static_cast<unsigned>(random.below(4));
    settings.probes_to_return = 1 + static_cast<unsigned>(random.below(5));
    RailState rail(settings, {});
    Opinion opinion(settings);
    Time now;
    for (int i = 0; i < 5000; ++i) {
      now += nanoseconds(static_cast<std::int64_t>(random.below(60'000'000)));
      if (rail.next_probe() <= now) {
        rail.probed(now);
        ASSERT_GT(rail.next_probe(), now);
      }
      // Answers are as frequent as all else, or nothing would ever come back.
      const RailEvent event =
          random.below(2) == 0 ? RailEvent::answered : kEvents[random.below(kEvents.size())];
      const RailState before = rail;
      const bool changed = rail.handle(event, now);
      ASSERT_EQ(changed, before.health() != rail.health());
      opinion.check(before, event, now, rail);
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
  }
}

TEST(RailStateDeathTest, SettingsThatMeanNothingAreOurOwnMistake) {
  RailSettings settings = twos();
  settings.suspect_after = 0;
  EXPECT_DEATH(RailState(settings, {}), "suspect_after");
  settings = twos();
  settings.hold_down_max = settings.hold_down_min - kTick;
  EXPECT_DEATH(RailState(settings, {}), "hold_down");
}

}  // namespace
}  // namespace holdfast::reliable
