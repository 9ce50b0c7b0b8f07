// Processes that sleep for longer than anybody waits for them. Period 100 ms, timeout 1 s.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

constexpr Duration kTimeout = seconds(1);
constexpr std::uint32_t kSleeper = 5;

// A job of 12 whose process 5 sleeps from about 3 s on, at another moment of its period each step.
Job sleeping_job(Duration sleep, int step) {
  Job job(12, 1, false);
  const Time start = Time{} + seconds(3) + microseconds(2'503 * step);
  job.at(start, FaultAction::pause, FaultTarget::process, kSleeper);
  job.at(start + sleep, FaultAction::resume, FaultTarget::process, kSleeper);
  return job;
}

// Everybody else believes the sleeper dead meanwhile, and the process before it beats for another
// observer from a timeout after the sleep began; so its last heartbeat is a timeout old when the
// sleeper wakes after two. The sleeper must not take that for a death.
TEST(Absence, WhoSleptForTwoTimeoutsJudgesNobody) {
  for (const char* propagation : {"bmg", "chord", "flood"}) {
    for (const Duration more : {milliseconds(-100), Duration{0}, milliseconds(50)}) {
      for (int step = 0; step < 40; ++step) {
        Job job = sleeping_job(2 * kTimeout + more, step);
        job.simulation.engine.membership.propagation = propagation;
        job.build().run();
        EXPECT_TRUE(job.memory.first_verdict({kSleeper}).has_value());
        for (const Memory::Belief& belief : job.memory.beliefs) {
          EXPECT_TRUE(is_live(belief.record) || belief.subject == ProcessId{kSleeper})
              << propagation << ", step " << step << ": " << belief.observer.value << " believed "
              << belief.subject.value << " dead at " << belief.at.ns;
        }
      }
    }
  }
}

// Who dies while its observer sleeps is found by the observer after that, and the sleeper reads it
// when it wakes.
TEST(Absence, ADeathBesideASleeperIsFoundByTheNextAwake) {
  for (int step = 0; step < 40; ++step) {
    Job job = sleeping_job(4 * kTimeout, step);
    const Time death = Time{} + seconds(3) + milliseconds(500);
    job.at(death, FaultAction::crash, FaultTarget::process, kSleeper - 1);
    job.build().run();
    const auto first = job.memory.first_verdict({kSleeper - 1});
    ASSERT_TRUE(first.has_value());
    // The sleeper is found first, then there is the grace of a new emitter.
    EXPECT_LE(*first - (Time{} + seconds(3)), 3 * kTimeout + milliseconds(101));
    EXPECT_EQ(std::count_if(job.memory.beliefs.begin(), job.memory.beliefs.end(),
                            [](const Memory::Belief& belief) {
                              return belief.subject == ProcessId{kSleeper - 1} &&
                                     !is_live(belief.record);
                            }),
              11);
  }
}

// A node is mended before its operating system would have told its processes of each other's end:
// those endings are of lives before, of which nobody is left who would have to know.
TEST(Absence, AnEndingOfAnEarlierLifeIsNotOfTheNext) {
  for (const Duration down : {Duration{0}, nanoseconds(1), nanoseconds(499), microseconds(2)}) {
    Job job(4, 2, true);
    job.simulation.local_latency = nanoseconds(500);
    job.at(Time{} + seconds(3), FaultAction::crash, FaultTarget::node, 1);
    job.at(Time{} + seconds(3) + down, FaultAction::repair, FaultTarget::node, 1);
    Simulation& simulation = job.build();
    simulation.run();
    for (const Memory::Belief& belief : job.memory.beliefs) {
      EXPECT_TRUE(is_live(belief.record)) << belief.observer.value << " believed "
                                          << belief.subject.value << " dead at " << belief.at.ns;
    }
  }
}

}  // namespace
}  // namespace holdfast::sim
