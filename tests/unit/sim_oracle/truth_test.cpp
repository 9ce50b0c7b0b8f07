// The oracle of truth and the bound, over small simulated jobs and values worked out by hand.
#include "sim/oracle/truth.hpp"

#include <gtest/gtest.h>

#include "sim/oracle/bound.hpp"
#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

std::string untruth_of(Simulation& simulation, std::uint32_t processes) {
  return untruth(processes, [&](ProcessId process) { return simulation.engine(process); });
}

TEST(Truth, IsBrokenByACrashAndRestoredByItsDetection) {
  Job job(8, 1, false);
  const Time crash = Time{} + seconds(3);
  job.at(crash, FaultAction::crash, FaultTarget::process, 5);
  Simulation& simulation = job.build();
  Time last_untrue, first_true;
  bool was_untrue = false;
  while (simulation.step()) {
    if (!untruth_of(simulation, 8).empty()) {
      last_untrue = simulation.now();
      was_untrue = true;
    } else if (simulation.now() > crash && first_true == Time{}) {
      first_true = simulation.now();
    }
    if (simulation.now() > Time{} + seconds(5)) break;
  }
  ASSERT_TRUE(was_untrue);
  EXPECT_GE(first_true, last_untrue);
  EXPECT_GT(first_true, crash + milliseconds(900));
  EXPECT_LE(first_true, crash + milliseconds(1001));
}

TEST(Truth, HasEverybodyActive) {
  Job job(4, 1, false);
  job.at(Time{} + seconds(2), FaultAction::crash, FaultTarget::process, 1);
  job.at(Time{} + seconds(4), FaultAction::repair, FaultTarget::process, 1);
  Simulation& simulation = job.build();
  bool joining = false;
  while (simulation.now() < Time{} + seconds(5)) {
    ASSERT_TRUE(simulation.step());
    joining = joining || untruth_of(simulation, 4) == "process 1 is still joining";
  }
  EXPECT_TRUE(joining);
  EXPECT_EQ(untruth_of(simulation, 4), "");
}

// (T + 2P + H) + N T + 2 (2 f T + P + H + R + D (P + 3 M)) with T = 1000, P = 100, R = 50, M = 1 ms
// and without a hold or with H = 7 ms.
TEST(Bound, IsTheFormulaOfTheSpecification) {
  BoundInputs inputs;
  inputs.domains = 8;
  inputs.domain_size = 4;
  inputs.dead_stretch = 3;
  inputs.period = milliseconds(100);
  inputs.timeout = milliseconds(1000);
  inputs.retransmission_timeout = milliseconds(50);
  inputs.message_time = milliseconds(1);
  EXPECT_EQ(convergence_bound(inputs),
            milliseconds(1200 + 32'000 + 2 * (6000 + 100 + 50 + 8 * 203)));
  inputs.hold = milliseconds(7);
  EXPECT_EQ(convergence_bound(inputs),
            milliseconds(1207 + 32'000 + 2 * (6000 + 107 + 50 + 8 * 203)));
}

TEST(Loss, Ends) {
  Job job(8, 1, false);
  job.simulation.impaired.loss = 0.3;
  job.simulation.impaired_until = Time{} + seconds(4);
  Simulation& simulation = job.build();
  while (simulation.now() < job.simulation.impaired_until) ASSERT_TRUE(simulation.step());
  const std::uint64_t lost = simulation.frames_lost();
  EXPECT_GT(lost, 0u);
  simulation.run();
  EXPECT_EQ(simulation.frames_lost(), lost);
}

}  // namespace
}  // namespace holdfast::sim
