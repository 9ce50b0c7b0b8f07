// Simulated jobs whose frames are lost, doubled, spoilt and late.
#include <gtest/gtest.h>

#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

// Four in a ring: with the binomial graph everybody hears of a death from its observer at once.
TEST(Impaired, WhatIsLateIsLateByItsDelay) {
  Job job(4, 1, false);
  job.simulation.impaired.delay = milliseconds(30);
  job.at(Time{} + seconds(5), FaultAction::crash, FaultTarget::process, 2);
  job.build().run();
  const auto first = job.memory.first_verdict({2});
  const auto last = job.memory.last_verdict({2});
  ASSERT_TRUE(first && last);
  EXPECT_GE(*last - *first, milliseconds(30));
  EXPECT_LT(*last - *first, milliseconds(31));
  EXPECT_EQ(job.memory.beliefs.size(), 3u) << "nobody else is believed dead";
}

TEST(Impaired, WhatIsSpoiltOrComesTwiceIsRejectedAndNobodyIsBelievedDead) {
  Job job(8, 1, false);
  job.simulation.duration = seconds(200);
  job.simulation.impaired = {.loss = 0.05, .duplicate = 0.02, .corrupt = 0.03};
  job.simulation.engine.seal = "siphash128";
  Simulation& simulation = job.build();
  simulation.run();
  EXPECT_TRUE(job.memory.beliefs.empty());
  EXPECT_EQ(simulation.heartbeats_skipped(), 0u);
  const FrameFaultCounts counts = simulation.frame_faults();
  EXPECT_GT(counts.lost, 500u);
  EXPECT_GT(counts.duplicated, 200u);
  EXPECT_GT(counts.corrupted, 300u);
  EXPECT_EQ(simulation.frames_lost(), counts.lost);
  // A frame that is spoilt and doubled comes whole as well, which is then no second one.
  EXPECT_LE(simulation.frames_rejected(), counts.corrupted + counts.duplicated);
  EXPECT_GE(simulation.frames_rejected(), counts.corrupted + counts.duplicated * 9 / 10);
}

}  // namespace
}  // namespace holdfast::sim
