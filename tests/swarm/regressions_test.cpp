// What the swarm has found, each as the smallest scenario that shows it.
#include <gtest/gtest.h>

#include "tests/swarm/scenario.hpp"

namespace holdfast::swarm {
namespace {

using sim::FaultAction;
using sim::FaultTarget;

constexpr Duration kPeriod = milliseconds(100);
constexpr Duration kTimeout = seconds(1);

Scenario job(std::uint32_t nodes, std::uint32_t per_node) {
  Scenario scenario;
  scenario.roster.nodes = nodes;
  scenario.roster.per_node = per_node;
  MembershipOptions& membership = scenario.simulation.engine.membership;
  membership.detection.period = kPeriod;
  membership.detection.timeout = kTimeout;
  membership.retransmission_timeout = kPeriod;
  scenario.simulation.skip_quiet_time = false;
  return scenario;
}

void expect_well(const Scenario& scenario) {
  const Outcome outcome = play(scenario, nullptr);
  EXPECT_EQ(outcome.failure, "");
}

// Nobody sent those beside an agent anything that carries a digest: what they missed under loss
// they never learned.
TEST(Regression, ProcessesBesideAnAgentLearnWhatTheyMissed) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Scenario scenario = job(3, 4);
    scenario.simulation.seed = seed;
    scenario.simulation.loss = 0.5;
    scenario.simulation.loss_until = scenario.calm = Time{} + seconds(4);
    for (std::uint32_t process = 1; process < 12; ++process) {
      const Time crash = Time{} + milliseconds(250 * process);
      scenario.add(crash, FaultAction::crash, FaultTarget::process, process);
      scenario.add(crash + milliseconds(200), FaultAction::repair, FaultTarget::process, process);
    }
    expect_well(scenario);
  }
}

// Each new agent knew of the other node only the agent that had died with its own: the requests for
// heartbeats went there, and in the end a verdict on a node that lived.
TEST(Regression, AgentsOfNeighboursThatDieAtOnceAreNoVerdictOnTheirNodes) {
  Scenario scenario = job(2, 2);
  scenario.accurate = true;
  scenario.calm = Time{} + seconds(2);
  scenario.add(scenario.calm, FaultAction::crash, FaultTarget::process, 0);
  scenario.add(scenario.calm, FaultAction::crash, FaultTarget::process, 2);
  expect_well(scenario);
}

// A process that came back into a node just before the deadline of that node was judged with those
// that had died there. Here the last one of node 1 dies at 2 s, and one that died before comes back
// at all times around the deadline.
TEST(Regression, ComingBackJustBeforeTheDeadlineIsNoVerdictOnTheNewLife) {
  for (std::int64_t us = 800'000; us < 1'100'000; us += 1'003) {
    Scenario scenario = job(2, 2);
    scenario.accurate = true;
    scenario.add(Time{} + seconds(1), FaultAction::crash, FaultTarget::process, 3);
    scenario.add(Time{} + seconds(2), FaultAction::crash, FaultTarget::process, 2);
    scenario.calm = Time{} + seconds(2) + microseconds(us);
    scenario.add(scenario.calm, FaultAction::repair, FaultTarget::process, 3);
    expect_well(scenario);
  }
}

}  // namespace
}  // namespace holdfast::swarm
