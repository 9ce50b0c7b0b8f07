// Skipping quiet time must not show in anything but the number of events.
#include <gtest/gtest.h>

#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

struct Ran {
  std::uint64_t hash, events, skipped;
  FrameCounts counts;
  std::vector<Memory::Belief> beliefs;
};

Ran run(bool skip, std::uint64_t seed, bool agents) {
  Job job(9, agents ? 4 : 1, agents);
  job.simulation.seed = seed;
  job.simulation.skip_quiet_time = skip;
  job.simulation.duration = seconds(400);
  job.roster.order = seed % 2 == 0 ? RingOrder::rank : RingOrder::shuffled;
  Random random(seed, 1, 1);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Time crash =
        Time{} + nanoseconds(static_cast<std::int64_t>(random.below(300'000'000'000)));
    const auto node = static_cast<std::uint32_t>(2 * i);
    job.at(crash, FaultAction::crash, FaultTarget::node, node);
    if (i < 3) {
      job.at(crash + nanoseconds(static_cast<std::int64_t>(random.below(90'000'000'000))),
             FaultAction::repair, FaultTarget::node, node);
    }
  }
  Simulation& simulation = job.build();
  simulation.run();
  return {simulation.state_hash(), simulation.events(), simulation.heartbeats_skipped(),
          simulation.frame_counts(), job.memory.beliefs};
}

TEST(Skip, ChangesNothingButTheNumberOfEvents) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Ran with = run(true, seed, seed % 3 == 0);
    const Ran without = run(false, seed, seed % 3 == 0);
    EXPECT_EQ(with.hash, without.hash) << seed;
    EXPECT_EQ(with.counts, without.counts) << seed;
    ASSERT_EQ(with.beliefs.size(), without.beliefs.size()) << seed;
    for (std::size_t i = 0; i < with.beliefs.size(); ++i) {
      EXPECT_EQ(with.beliefs[i].at, without.beliefs[i].at) << seed;
      EXPECT_EQ(with.beliefs[i].observer, without.beliefs[i].observer) << seed;
      EXPECT_EQ(with.beliefs[i].subject, without.beliefs[i].subject) << seed;
    }
    EXPECT_EQ(without.skipped, 0u);
    EXPECT_GT(with.skipped, with.counts.heartbeats / 2) << seed;
    EXPECT_LT(with.events, without.events / 2) << seed;
  }
}

}  // namespace
}  // namespace holdfast::sim
