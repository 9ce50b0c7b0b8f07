// Skipping quiet time, on scenarios of the swarm that break the fabric.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/oracle/safety.hpp"
#include "tests/drawn.hpp"
#include "tests/swarm/stage.hpp"

namespace holdfast::swarm {
namespace {

using sim::FaultTarget;

// What a run leaves, with or without skipping quiet time.
struct Left {
  std::uint64_t state, lost, heartbeats, skipped;
};

Left left_by(const Scenario& scenario, bool skip) {
  Stage stage(scenario);
  stage.options.skip_quiet_time = skip;
  stage.options.duration =
      scenario.calm - Time{} + 200 * stage.options.engine.membership.detection.timeout;
  sim::Safety witness({}, stage.roster.processes());
  sim::Simulation simulation(stage.options, stage.roster, stage.paths, scenario.faults, witness);
  simulation.run();
  return {simulation.state_hash(), simulation.frames_lost(), simulation.frame_counts().heartbeats,
          simulation.heartbeats_skipped()};
}

// Quiet time between faults of every kind is skipped exactly; 50 scenarios that have some of the
// fabric.
TEST(SkipInSwarm, ChangesNothingUnderFaultsOfTheFabric) {
  int played = 0;
  std::uint64_t skipped = 0;
  for (std::uint64_t seed = 0; played < tests::drawn(50); ++seed) {
    Scenario scenario = draw(seed);
    const auto& events = scenario.faults.events;
    if (std::none_of(events.begin(), events.end(), sim::is_of_fabric)) continue;
    ++played;
    // Far apart, so that there is quiet time between them.
    for (sim::FaultEvent& event : scenario.faults.events) {
      event.at = Time{} + (event.at - Time{}) * 20;
    }
    scenario.calm = Time{} + (scenario.calm - Time{}) * 20;
    const Left with = left_by(scenario, true);
    const Left without = left_by(scenario, false);
    EXPECT_EQ(with.state, without.state) << seed;
    EXPECT_EQ(with.lost, without.lost) << seed;
    EXPECT_EQ(with.heartbeats, without.heartbeats) << seed;
    EXPECT_EQ(without.skipped, 0u);
    skipped += with.skipped;
  }
  EXPECT_GT(skipped, 0u);
}

}  // namespace
}  // namespace holdfast::swarm
