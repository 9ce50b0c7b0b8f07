// Held verdicts in whole jobs. Period 100 ms, timeout 1 s.
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

constexpr Duration kPeriod = milliseconds(100);
constexpr Duration kTimeout = seconds(1);

Job holding_job(std::uint32_t nodes, Duration hold) {
  Job job(nodes, 1, false);
  job.simulation.engine.membership.detection.hold = hold;
  return job;
}

TEST(HoldInJobs, DetectionTakesLongerByTheHold) {
  const Duration hold = milliseconds(250);
  for (int step = 0; step < 20; ++step) {
    Job job = holding_job(16, hold);
    const Time crash = Time{} + seconds(3) + microseconds(5'003 * step);
    job.at(crash, FaultAction::crash, FaultTarget::process, 5);
    job.build().run();
    const Duration message = round_up(job.paths().one_way({0}, {1}, 64));
    const auto first = job.memory.first_verdict({5});
    ASSERT_TRUE(first.has_value());
    EXPECT_GT(*first - crash, kTimeout - kPeriod + hold + message);
    EXPECT_LE(*first - crash, kTimeout + hold + message);
    ASSERT_EQ(job.memory.suspicions.size(), 1u);
    EXPECT_EQ(job.memory.suspicions[0].subject, ProcessId{5});
    EXPECT_EQ(*first - job.memory.suspicions[0].at, hold);
  }
}

// From the first to the last verdict on the 8 nodes of a leaf of 4 leaves in spread order: up to a
// period without the hold, and the time of a few messages with it.
TEST(HoldInJobs, TheDeathsOfALeafLeaveAsOneSet) {
  std::map<bool, Duration> spans;
  for (const bool hold : {false, true}) {
    Job job = holding_job(32, hold ? kPeriod : Duration{0});
    std::vector<std::uint32_t> leaves;
    for (std::uint32_t node = 0; node < 32; ++node) leaves.push_back(node / 8);
    job.roster.order = RingOrder::spread;
    job.roster.leaf_of_node = std::make_shared<const std::vector<std::uint32_t>>(leaves);
    for (std::uint32_t node = 8; node < 16; ++node) {
      job.at(Time{} + seconds(3), FaultAction::crash, FaultTarget::node, node);
    }
    Simulation& simulation = job.build();
    simulation.run();
    Time first = Time::never(), last;
    for (std::uint32_t node = 8; node < 16; ++node) {
      ASSERT_TRUE(job.memory.first_verdict({node}).has_value());
      first = std::min(first, *job.memory.first_verdict({node}));
      last = std::max(last, *job.memory.last_verdict({node}));
    }
    spans[hold] = last - first;
    EXPECT_LE(last - (Time{} + seconds(3)), kTimeout + kPeriod + milliseconds(1));
    EXPECT_EQ(job.memory.beliefs.size(), 24u * 8);
  }
  EXPECT_GT(spans[false], kPeriod / 2);
  EXPECT_LT(spans[true], milliseconds(1));
}

// A process sleeps for longer than the timeout, and is back within the hold: nobody ever believes
// anything. The one before it has been asked by its observer meanwhile, and must not be missed by
// it from then on.
TEST(HoldInJobs, AMistakeThatIsTakenBackIsNoMistake) {
  for (const bool skip : {true, false}) {
    Job job = holding_job(12, milliseconds(500));
    job.simulation.skip_quiet_time = skip;
    job.simulation.duration = seconds(30);
    job.at(Time{} + seconds(3), FaultAction::pause, FaultTarget::process, 5);
    job.at(Time{} + seconds(3) + kTimeout + milliseconds(300), FaultAction::resume,
           FaultTarget::process, 5);
    Simulation& simulation = job.build();
    simulation.run();
    EXPECT_TRUE(job.memory.beliefs.empty());
    ASSERT_EQ(job.memory.suspicions.size(), 2u);
    EXPECT_EQ(job.memory.suspicions[0].record.state, MemberState::suspected);
    EXPECT_EQ(job.memory.suspicions[1].record.state, MemberState::alive);
    const Duration suspected = job.memory.suspicions[1].at - job.memory.suspicions[0].at;
    EXPECT_GT(suspected, milliseconds(300));
    EXPECT_LE(suspected, milliseconds(300) + kPeriod + milliseconds(1));
    // One by the observer that held the verdict, one by the sleeper when it woke.
    EXPECT_EQ(simulation.frame_counts().observes, 2u);
    EXPECT_EQ(simulation.heartbeats_skipped() > 0, skip);
  }
}

// Skipping quiet time shows in nothing, also where verdicts are held and taken back.
TEST(HoldInJobs, SkippingQuietTimeChangesNothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::map<bool, std::uint64_t> hashes;
    std::map<bool, FrameCounts> counts;
    for (const bool skip : {true, false}) {
      Job job = holding_job(12, milliseconds(200 + 100 * (static_cast<int>(seed) % 4)));
      job.simulation.seed = seed;
      job.simulation.skip_quiet_time = skip;
      job.simulation.duration = seconds(100);
      Random random(seed, 9, 0);
      for (std::uint32_t i = 0; i < 3; ++i) {
        const Time start = Time{} + milliseconds(5'000 + 30'000 * static_cast<std::int64_t>(i)) +
                           microseconds(static_cast<std::int64_t>(random.below(100'000)));
        const auto process = static_cast<std::uint32_t>(random.below(12));
        job.at(start, FaultAction::pause, FaultTarget::process, process);
        job.at(start + kTimeout + microseconds(static_cast<std::int64_t>(random.below(600'000))),
               FaultAction::resume, FaultTarget::process, process);
      }
      Simulation& simulation = job.build();
      simulation.run();
      hashes[skip] = simulation.state_hash();
      counts[skip] = simulation.frame_counts();
    }
    EXPECT_EQ(hashes[true], hashes[false]) << seed;
    EXPECT_EQ(counts[true], counts[false]) << seed;
  }
}

}  // namespace
}  // namespace holdfast::sim
