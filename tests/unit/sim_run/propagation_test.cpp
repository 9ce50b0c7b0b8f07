// Every propagation in whole jobs without the backstop, as the papers have them: how many notices
// one death takes among 48 processes, counted here by hand, and what unknown dead do.
#include <gtest/gtest.h>

#include <set>

#include "stack/base/random.hpp"
#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

Job papers_job(std::uint32_t processes, std::string_view propagation) {
  Job job(processes, 1, false);
  job.simulation.duration = milliseconds(2900);
  MembershipOptions& membership = job.simulation.engine.membership;
  membership.propagation = propagation;
  membership.backstop = membership.detection.probes = false;
  return job;
}

std::uint32_t knowing(const Job& job, std::uint32_t subject) {
  std::set<std::uint32_t> observers;
  for (const Memory::Belief& belief : job.memory.beliefs) {
    if (belief.subject.value == subject) observers.insert(belief.observer.value);
  }
  return static_cast<std::uint32_t>(observers.size());
}

TEST(PropagationInJobs, OneDeathTakesTheMessagesOfTheDefinition) {
  struct Case {
    const char* name;
    std::uint64_t notices;
  };
  // 47 live processes. The dead one is left out where it would be a target; chord and bmg walk over
  // it at offset 1 and come upon the target of offset 2.
  const Case cases[] = {
      {"chord", 47 * 6 - 5 - 1},     // offsets 1, 2, 4, 8, 16, 32
      {"bmg", 47 * 10 - 2 * 4 - 2},  // offsets 1, 2, 4, 8, 16 each way
      {"neighbours", 47 * 8 - 8},    // offsets 1 to 4 each way
      {"flood", 47 * 46},
      {"hba", 32 * 5 + 32 * 5 - 2 * 5},  // the dead one is a corner of the cube backwards only
  };
  for (const Case& expected : cases) {
    Job job = papers_job(48, expected.name);
    job.at(Time{} + seconds(1), FaultAction::crash, FaultTarget::process, 20);
    Simulation& simulation = job.build();
    simulation.run();
    EXPECT_EQ(knowing(job, 20), 47u) << expected.name;
    EXPECT_EQ(simulation.frame_counts().notices, expected.notices) << expected.name;
    EXPECT_EQ(simulation.frame_counts().acknowledgements, 0u);
  }
}

// A hypercube of dimension k stays connected without any k-1 of its corners: of 32 processes the
// one whose death is told and three more.
TEST(PropagationInJobs, HbaReachesEveryoneAroundUnknownDead) {
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    Job job = papers_job(32, "hba");
    Random random(draw, 7, 0);
    job.at(Time{} + seconds(1), FaultAction::crash, FaultTarget::process, 20);
    std::set<std::uint32_t> dead;
    while (dead.size() < 3) {
      const auto process = static_cast<std::uint32_t>(random.below(32));
      if (process != 20 && process != 21) dead.insert(process);  // 21 observes 20
    }
    for (const std::uint32_t process : dead) {
      // Before the verdict on 20 and a timeout before that on any of these.
      job.at(Time{} + milliseconds(1890), FaultAction::crash, FaultTarget::process, process);
    }
    job.simulation.duration = milliseconds(2500);
    job.build().run();
    EXPECT_EQ(knowing(job, 20), 28u) << draw;
  }
}

// With unknown dead chord does not reach everyone; the backstop does.
TEST(PropagationInJobs, WhoIsMissedAmongUnknownDeadIsReachedByTheBackstop) {
  for (const bool backstop : {false, true}) {
    Job job = papers_job(64, "chord");
    job.simulation.engine.membership.backstop = backstop;
    job.simulation.engine.membership.detection.probes = backstop;
    job.simulation.duration = backstop ? seconds(60) : milliseconds(2500);
    job.at(Time{} + seconds(1), FaultAction::crash, FaultTarget::process, 0);
    // The predecessors of 40 by powers of two: nobody who lives would tell it.
    for (const std::uint32_t dead : {39u, 38u, 36u, 32u, 24u, 8u}) {
      job.at(Time{} + milliseconds(1890), FaultAction::crash, FaultTarget::process, dead);
    }
    job.build().run();
    EXPECT_EQ(knowing(job, 0), backstop ? 57u : 56u);
  }
}

}  // namespace
}  // namespace holdfast::sim
