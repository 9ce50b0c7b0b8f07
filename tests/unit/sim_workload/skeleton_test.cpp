// All processes of a job step their skeletons against each other.
#include "sim/workload/skeleton.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sim_workload/jobs.hpp"
#include "tests/unit/sim_workload/machine.hpp"

namespace holdfast::sim {
namespace {

std::string run(const Job& job, Sends sends) {
  std::vector<Machine::Program> programs;
  for (std::uint32_t rank = 0; rank < job.processes; ++rank) {
    programs.emplace_back(
        [skeleton = Skeleton(job, {rank})](Step& step) mutable { return skeleton.next(step); });
  }
  return Machine(std::move(programs), sends).run();
}

void expect_to_match(const Job& job) {
  EXPECT_EQ(run(job, Sends::synchronous), "") << name_of(job);
  // Sends that wait for nobody only make it easier, so the small classes will do.
  if (job.problem_class > ProblemClass::w) return;
  EXPECT_EQ(run(job, Sends::eager), "") << name_of(job) << ", eager";
}

TEST(Skeleton, EverySendHasItsReceiveAndNobodyWaitsForEver) {
  std::size_t count = 0;
  for (const Job& job : jobs_up_to(64, 1)) {
    const bool many = job.processes > 16;
    if (many && job.problem_class != ProblemClass::s && job.problem_class != ProblemClass::c)
      continue;
    // LU's large cubes have thousands of steps for each process.
    const bool long_wave = job.benchmark == Benchmark::lu && job.problem_class >= ProblemClass::b;
    if (long_wave && job.processes > 6) continue;
    expect_to_match(job);
    ++count;
  }
  EXPECT_GT(count, 200u);
}

TEST(Skeleton, EverySendHasItsReceiveOnThePapersLargestJobs) {
  for (const Benchmark benchmark : {Benchmark::bt, Benchmark::cg, Benchmark::mg, Benchmark::sp})
    EXPECT_EQ(run({benchmark, ProblemClass::d, 256, 1}, Sends::eager), "") << name_of(benchmark);
}

// Rows that cannot be divided evenly or in half, a cube that leaves a remainder both ways, more
// processes than points on the coarse levels, and a grid of processes for FT.
TEST(Skeleton, EverySendHasItsReceiveWhereSharesAreUneven) {
  for (const Job& job :
       {Job{Benchmark::cg, ProblemClass::s, 128, 1}, Job{Benchmark::cg, ProblemClass::s, 256, 1},
        Job{Benchmark::lu, ProblemClass::w, 30, 1}, Job{Benchmark::mg, ProblemClass::s, 256, 1},
        Job{Benchmark::mg, ProblemClass::s, 512, 1}, Job{Benchmark::ft, ProblemClass::w, 128, 1}})
    EXPECT_EQ(run(job, Sends::synchronous), "") << name_of(job);
}

TEST(Skeleton, ACopyGoesOnFromWhereItWasMade) {
  for (const Benchmark benchmark : kBenchmarks) {
    Skeleton first({benchmark, ProblemClass::s, 4, 2}, ProcessId{1});
    Step step;
    for (int i = 0; i < 57; ++i) ASSERT_TRUE(first.next(step));
    Skeleton second = first;
    Step other;
    while (first.next(step)) {
      ASSERT_TRUE(second.next(other));
      ASSERT_EQ(step, other) << name_of(benchmark);
    }
    EXPECT_FALSE(second.next(other));
    EXPECT_FALSE(second.next(other)) << "the end is the end";
  }
}

TEST(Skeleton, SaysWhichIterationAStepIsOf) {
  for (const Benchmark benchmark : kBenchmarks) {
    Skeleton skeleton({benchmark, ProblemClass::s, 4, 3}, ProcessId{0});
    std::vector<std::uint64_t> steps(4);
    std::uint32_t last = 0;
    for (Step step; skeleton.next(step);) {
      if (skeleton.place().phase != Phase::iteration) continue;
      ASSERT_GE(skeleton.place().iteration, last);
      last = skeleton.place().iteration;
      ++steps.at(last);
    }
    EXPECT_EQ(skeleton.iterations(), 3u);
    EXPECT_GT(steps[0], 0u) << name_of(benchmark);
    EXPECT_EQ(steps[1], steps[2]) << name_of(benchmark);
  }
}

// What an iteration computes is NPB's count of operations, divided among the processes; here BT's
// for a cube of 64 points, from its polynomial, at 10^9 operations a second.
TEST(Skeleton, ComputesForTheTimeOfItsOperations) {
  const double operations = 3478.8 * 64 * 64 * 64 - 17655.7 * 64 * 64 + 28023.7 * 64;
  Skeleton skeleton({Benchmark::bt, ProblemClass::a, 16, 1}, ProcessId{5});
  std::int64_t computed = 0;
  for (Step step; skeleton.next(step);) {
    if (skeleton.place().phase == Phase::iteration && skeleton.place().iteration == 1)
      computed += step.duration.ns;
  }
  EXPECT_NEAR(static_cast<double>(computed), operations / 16, 100.0);
}

TEST(Skeleton, HasTheSameSizeForAllJobs) {
  EXPECT_LE(sizeof(Skeleton), 4096u);
}

}  // namespace
}  // namespace holdfast::sim
