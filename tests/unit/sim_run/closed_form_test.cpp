// The detector against its closed forms, computed here from the papers' text (see
// stack/detect/ring_detector.hpp): with period P, timeout T and message time M,
//  - one crash is detected within (T - P, T] + M;
//  - p consecutive deaths in rank order take (2p-1) T, within one period.
#include <gtest/gtest.h>

#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

constexpr Duration kPeriod = milliseconds(100);
constexpr Duration kTimeout = seconds(1);

TEST(ClosedForm, NothingFailsNothingIsSaid) {
  Job job(8, 1, false);
  Simulation& simulation = job.build();
  simulation.run();
  EXPECT_TRUE(job.memory.beliefs.empty());
  // Eight processes, 10 s, one heartbeat a period each; the phase decides about the last one.
  const FrameCounts counts = simulation.frame_counts();
  EXPECT_GE(counts.heartbeats, 8u * 100);
  EXPECT_LE(counts.heartbeats, 8u * 101);
  EXPECT_EQ(counts.notices + counts.observes + counts.differences, 0u);
}

TEST(ClosedForm, OneCrashIsDetectedWithinTimeoutMinusPeriodAndTimeout) {
  Duration shortest = seconds(100), longest{0};
  for (int step = 0; step < 100; ++step) {
    Job job(16, 1, false);
    const Time crash = Time{} + seconds(3) + microseconds(1'003 * step);
    job.at(crash, FaultAction::crash, FaultTarget::process, 5);
    job.build().run();
    const Duration message = round_up(job.paths().one_way({0}, {1}, 64));
    const auto first = job.memory.first_verdict({5});
    ASSERT_TRUE(first.has_value());
    const Duration detection = *first - crash;
    EXPECT_GT(detection, kTimeout - kPeriod + message);
    EXPECT_LE(detection, kTimeout + message);
    shortest = std::min(shortest, detection);
    longest = std::max(longest, detection);
  }
  // Crashes all over a period meet detections all over the interval.
  EXPECT_LT(shortest, kTimeout - kPeriod + milliseconds(5));
  EXPECT_GT(longest, kTimeout - milliseconds(5));
}

TEST(ClosedForm, ConsecutiveDeathsInRankOrderTakeTwicePMinusOneTimeouts) {
  for (std::uint32_t p = 1; p <= 8; ++p) {
    Job job(24, 1, false);
    job.simulation.duration = seconds(30);
    const Time crash = Time{} + seconds(3);
    for (std::uint32_t i = 0; i < p; ++i) {
      job.at(crash, FaultAction::crash, FaultTarget::process, 4 + i);
    }
    job.build().run();
    Time last{};
    for (std::uint32_t i = 0; i < p; ++i) {
      const auto first = job.memory.first_verdict({4 + i});
      ASSERT_TRUE(first.has_value()) << p;
      last = std::max(last, *first);
    }
    const Duration expected = (2 * std::int64_t{p} - 1) * kTimeout;
    EXPECT_GT(last - crash, expected - kPeriod) << p;
    EXPECT_LT(last - crash, expected + kPeriod) << p;
  }
}

TEST(ClosedForm, ShuffledConsecutiveDeathsAreDetectedLikeOne) {
  Job job(64, 1, false);
  job.roster.order = RingOrder::shuffled;
  job.roster.order_key = 9;  // one of the four in five that part them
  for (std::uint32_t i = 0; i < 4; ++i) {
    job.at(Time{} + seconds(3), FaultAction::crash, FaultTarget::process, 20 + i);
  }
  job.build().run();
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto first = job.memory.first_verdict({20 + i});
    ASSERT_TRUE(first.has_value());
    EXPECT_LT(*first - (Time{} + seconds(3)), kTimeout + milliseconds(1));
  }
}

// A node of 16 processes under one agent costs at most 1.2 times what a single process costs.
TEST(ClosedForm, NodeUnderOneAgentCostsLikeOneFailure) {
  const Time crash = Time{} + seconds(3) + milliseconds(37);
  Job single(12, 1, false);
  single.at(crash, FaultAction::crash, FaultTarget::process, 4);
  single.build().run();
  const Duration one = *single.memory.last_verdict({4}) - crash;

  Job node(12, 16, true);
  node.at(crash, FaultAction::crash, FaultTarget::node, 4);
  node.build().run();
  for (std::uint32_t i = 0; i < 16; ++i) {
    const auto last = node.memory.last_verdict({4 * 16 + i});
    ASSERT_TRUE(last.has_value());
    EXPECT_LE((*last - crash).ns * 10, one.ns * 12);
  }
}

TEST(ClosedForm, DeathOfTheAgentAloneIsOneHandoverAndNoVerdictOnTheNode) {
  Job job(12, 16, true);
  const Time crash = Time{} + seconds(3);
  const std::uint32_t agent = 4 * 16;
  job.at(crash, FaultAction::crash, FaultTarget::process, agent);
  Simulation& simulation = job.build();
  simulation.run();
  for (const Memory::Belief& belief : job.memory.beliefs) {
    EXPECT_EQ(belief.subject, ProcessId{agent});
    EXPECT_FALSE(is_live(belief.record));
  }
  // Everybody knows, and without a timeout: within a millisecond.
  EXPECT_EQ(job.memory.beliefs.size(), 12u * 16 - 1);
  EXPECT_LT(*job.memory.last_verdict({agent}) - crash, milliseconds(1));
  EXPECT_TRUE(simulation.engine({agent + 1})->membership().agent());
  for (std::uint32_t i = 2; i < 16; ++i) {
    EXPECT_FALSE(simulation.engine({agent + i})->membership().agent());
  }
}

TEST(ClosedForm, RepairedProcessIsBelievedAliveByAllAtOnce) {
  for (const bool agents : {false, true}) {
    Job job(12, agents ? 4 : 1, agents);
    job.at(Time{} + seconds(2), FaultAction::crash, FaultTarget::node, 5);
    job.at(Time{} + seconds(6), FaultAction::repair, FaultTarget::node, 5);
    Simulation& simulation = job.build();
    simulation.run();
    const std::uint32_t processes = job.whole_roster().processes();
    for (std::uint32_t observer = 0; observer < processes; ++observer) {
      for (std::uint32_t i = 0; i < job.whole_roster().per_node(); ++i) {
        const ProcessId repaired = job.whole_roster().process_on({5}, i);
        EXPECT_EQ(simulation.engine({observer})->membership().view().of(repaired),
                  (Record{first_incarnation_of_boot(1), MemberState::alive}))
            << observer << " of " << repaired.value;
      }
    }
  }
}

// Whom the host asks first has come back itself, of which the host knows nothing: the join names a
// life that is over, and does not count.
TEST(ClosedForm, AHostThatComesBackIsAnnouncedOnceByOneThatCameBackBefore) {
  std::uint64_t notices[2];
  for (const bool came_back_before : {false, true}) {
    Job job(12, 4, true);
    const std::uint32_t first = came_back_before ? 6 : 9;  // the one after 5 in the ring, or not
    job.at(Time{} + seconds(1), FaultAction::crash, FaultTarget::node, first);
    job.at(Time{} + seconds(3), FaultAction::repair, FaultTarget::node, first);
    job.at(Time{} + seconds(5), FaultAction::crash, FaultTarget::node, 5);
    job.at(Time{} + seconds(8), FaultAction::repair, FaultTarget::node, 5);
    Simulation& simulation = job.build();
    simulation.run();
    notices[came_back_before ? 1 : 0] = simulation.frame_counts().notices;
  }
  EXPECT_EQ(notices[0], notices[1]);
}

TEST(ClosedForm, PausedProcessIsTakenBackWithAHigherIncarnation) {
  for (const bool backstop : {true, false}) {
    Job job(12, 1, false);
    job.simulation.engine.membership.backstop = backstop;
    job.simulation.engine.membership.detection.probes = backstop;
    job.at(Time{} + seconds(2), FaultAction::pause, FaultTarget::process, 5);
    job.at(Time{} + seconds(5), FaultAction::resume, FaultTarget::process, 5);
    Simulation& simulation = job.build();
    simulation.run();
    ASSERT_TRUE(job.memory.first_verdict({5}).has_value());
    for (std::uint32_t observer = 0; observer < 12; ++observer) {
      for (std::uint32_t subject = 0; subject < 12; ++subject) {
        const Record record = simulation.engine({observer})->membership().view().of({subject});
        EXPECT_EQ(record, (Record{{subject == 5 ? 1u : 0u}, MemberState::alive}))
            << observer << " of " << subject << (backstop ? "" : " without backstop");
      }
    }
  }
}

TEST(ClosedForm, PauseShorterThanTheTimeoutIsNotNoticed) {
  Job job(12, 1, false);
  job.at(Time{} + seconds(2), FaultAction::pause, FaultTarget::process, 5);
  job.at(Time{} + seconds(2) + kTimeout - kPeriod - milliseconds(1), FaultAction::resume,
         FaultTarget::process, 5);
  job.build().run();
  EXPECT_TRUE(job.memory.beliefs.empty());
}

}  // namespace
}  // namespace holdfast::sim
