// What the swarm has found, each as the smallest scenario that shows it.
#include <gtest/gtest.h>

#include <optional>

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
    scenario.simulation.impaired.loss = 0.5;
    scenario.simulation.impaired_until = scenario.calm = Time{} + seconds(4);
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

// Two nodes of two; of node 1 process 3 dies, then 2, and 3 may come back at `back`.
Scenario coming_back(std::optional<Time> back) {
  Scenario scenario = job(2, 2);
  scenario.accurate = true;
  scenario.add(Time{} + seconds(1), FaultAction::crash, FaultTarget::process, 3);
  scenario.add(Time{} + seconds(2), FaultAction::crash, FaultTarget::process, 2);
  if (back) scenario.add(*back, FaultAction::repair, FaultTarget::process, 3);
  scenario.calm = back.value_or(Time{} + seconds(2));
  return scenario;
}

// A process that came back into a node just before the deadline of that node was judged with those
// that had died there. It asks process 2 first, and process 0, who judges, one or two
// retransmission timeouts later: its request arrives there at all times around the deadline.
TEST(Regression, ComingBackJustBeforeTheDeadlineIsNoVerdictOnTheNewLife) {
  const Scenario without = coming_back(std::nullopt);
  const Time verdict = without.calm + play(without, nullptr).convergence;
  for (const Duration before : {kPeriod, 2 * kPeriod}) {
    for (std::int64_t ns = -5'000; ns < 5'000; ns += 100) {
      expect_well(coming_back(verdict - before + nanoseconds(ns)));
    }
  }
}

// A simulated process that began to watch one that had ended already heard of it only when
// something else woke it. Here process 3 comes back, hears from node 0 of a life of process 2 that
// has just ended, and has to find out that it is the agent.
TEST(Regression, WhoWatchesADeadProcessHearsOfItAtOnce) {
  Scenario scenario = job(2, 2);
  scenario.accurate = true;
  scenario.add(Time{} + milliseconds(1000), FaultAction::crash, FaultTarget::node, 1);
  scenario.add(Time{} + milliseconds(1100), FaultAction::repair, FaultTarget::process, 2);
  scenario.add(Time{} + milliseconds(1500), FaultAction::crash, FaultTarget::process, 2);
  scenario.calm = Time{} + milliseconds(1510);
  scenario.add(scenario.calm, FaultAction::repair, FaultTarget::process, 3);
  const Outcome outcome = play(scenario, nullptr);
  EXPECT_EQ(outcome.failure, "");
  // Two joins that nobody answers, and a few messages.
  EXPECT_LT(outcome.convergence, 2 * kPeriod + milliseconds(1));
}

// A node came back while it was cut off, and learned of the others when the cut was mended. Then a
// process of it was asked for heartbeats by two observers, served the last one that had asked, and
// was judged by the other.
TEST(Regression, ComingBackBehindACutIsNoVerdictWhenItIsMended) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Scenario scenario = job(2, 7);
    scenario.roster.agents = false;
    scenario.simulation.seed = seed;
    scenario.simulation.engine.membership.detection.timeout = milliseconds(1597);
    scenario.accurate = true;
    scenario.add(Time{} + milliseconds(1200), FaultAction::crash, FaultTarget::device, 1);
    scenario.add(Time{} + milliseconds(2200), FaultAction::crash, FaultTarget::node, 0);
    scenario.add(Time{} + milliseconds(3700), FaultAction::repair, FaultTarget::node, 0);
    scenario.add(Time{} + milliseconds(6170), FaultAction::repair, FaultTarget::device, 1);
    scenario.calm = Time{} + milliseconds(7000);
    expect_well(scenario);
  }
}

// Process 9 starts while 7 does, who takes it for dead, and hears of 7 from others only when 7 has
// said that it is active. It took 7 for joining, was a second agent of their node, and judged those
// who send their heartbeats to 7, as soon as news of process 24 had made them forget its request.
TEST(Regression, WhoStartsLateAsksWhetherTheAgentIsActive) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Scenario scenario = job(7, 6);
    scenario.simulation.seed = seed;
    scenario.simulation.engine.membership.retransmission_timeout = kPeriod * 2;
    scenario.accurate = true;
    scenario.add(Time{} + milliseconds(100), FaultAction::crash, FaultTarget::process, 24);
    for (std::uint32_t process = 6; process < 10; ++process) {
      scenario.add(Time{} + milliseconds(800), FaultAction::crash, FaultTarget::process, process);
    }
    scenario.add(Time{} + milliseconds(900), FaultAction::repair, FaultTarget::process, 7);
    scenario.add(Time{} + milliseconds(1000), FaultAction::repair, FaultTarget::process, 9);
    scenario.calm = Time{} + milliseconds(1500);
    scenario.add(scenario.calm, FaultAction::repair, FaultTarget::process, 24);
    expect_well(scenario);
  }
}

// Process 4 suspects 3, holds the verdict and asks 2, who hears of the death of 0 and forgot the
// request by that: the news of 3 ended at 0, whose death its neighbour did not know. So 4 judged 2.
TEST(Regression, OtherNewsDoesNotEndARequestOfWhoHoldsAVerdict) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Scenario scenario = job(6, 1);
    scenario.simulation.seed = seed;
    MembershipOptions& membership = scenario.simulation.engine.membership;
    membership.propagation = "neighbours";
    membership.detection.hold = milliseconds(12);
    scenario.accurate = true;
    scenario.calm = Time{} + milliseconds(1000);
    scenario.add(scenario.calm, FaultAction::crash, FaultTarget::process, 0);
    scenario.add(scenario.calm, FaultAction::crash, FaultTarget::process, 3);
    expect_well(scenario);
  }
}

}  // namespace
}  // namespace holdfast::swarm
