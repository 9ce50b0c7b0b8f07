// Names of jobs, and the numbers of processes that the benchmarks take.
#include "sim/workload/job.hpp"

#include <gtest/gtest.h>

#include "sim/workload/problem.hpp"
#include "tests/unit/sim_workload/jobs.hpp"

namespace holdfast::sim {
namespace {

TEST(Job, EveryClassHasTheSizeOfTheReports) {
  for (const Benchmark benchmark : kBenchmarks) {
    for (const ProblemClass problem_class : kProblemClasses) {
      const Size size = size_in_reports(benchmark, problem_class);
      EXPECT_EQ(class_iterations(benchmark, problem_class), size.iterations);
      if (benchmark == Benchmark::cg) {
        EXPECT_EQ(matrix_size(problem_class).order, size.points);
      } else if (size.points > 0) {
        EXPECT_EQ(cube_points(benchmark, problem_class), size.points);
      }
    }
  }
}

TEST(Job, RunsOnWhatTheBenchmarkRunsOnAndOnNothingElse) {
  for (const Benchmark benchmark : kBenchmarks) {
    for (const ProblemClass problem_class : kProblemClasses) {
      for (std::uint32_t processes = 1; processes <= 300; ++processes) {
        const Job job{benchmark, problem_class, processes};
        EXPECT_EQ(check(job).is_ok(), runs_on(benchmark, problem_class, processes))
            << name_of(job) << " " << check(job).message();
      }
    }
  }
}

TEST(Job, WhatIsRefusedSaysWhatIsPossible) {
  const auto complaint = [](Job job) { return check(job).message(); };
  EXPECT_EQ(complaint({Benchmark::bt, ProblemClass::c, 15}),
            "BT.C does not run on 15 processes; expected a square number, such as 9 or 16");
  EXPECT_EQ(complaint({Benchmark::sp, ProblemClass::s, 25}),
            "SP.S does not run on 25 processes; expected at most 16, where a cell still has three "
            "points in each direction");
  EXPECT_EQ(complaint({Benchmark::cg, ProblemClass::a, 48}),
            "CG.A does not run on 48 processes; expected a power of two, such as 32 or 64");
  EXPECT_EQ(complaint({Benchmark::lu, ProblemClass::a, 10}),
            "LU.A does not run on 10 processes; expected n * m processes with m <= n <= 2 * m; a "
            "power of two is always such a number");
  EXPECT_EQ(complaint({Benchmark::lu, ProblemClass::s, 64}),
            "LU.S does not run on 64 processes; expected so few that each has three points in each "
            "direction");
  EXPECT_EQ(complaint({Benchmark::mg, ProblemClass::s, 8192}),
            "MG.S does not run on 8192 processes; expected at most 4096, where each has two points "
            "in each direction");
  EXPECT_EQ(complaint({Benchmark::ft, ProblemClass::w, 2048}),
            "FT.W does not run on 2048 processes; expected at most 1024, a line of the grid for "
            "each");
  EXPECT_EQ(complaint({Benchmark::is, ProblemClass::b, 512}),
            "IS.B does not run on 512 processes; expected at most 256, so that every process is "
            "given keys to rank");
  EXPECT_EQ(complaint({Benchmark::is, ProblemClass::d, 2}),
            "IS.D does not run on 2 processes; expected at least 4");
  EXPECT_EQ(complaint({Benchmark::is, ProblemClass::b, 0}),
            "IS.B does not run on 0 processes; expected 1 to 1048576");
}

TEST(Job, HasTheNameThatTheBenchmarksHave) {
  Job job;
  ASSERT_TRUE(parse_job("bt.C.16", job).is_ok());
  EXPECT_EQ(job.benchmark, Benchmark::bt);
  EXPECT_EQ(job.problem_class, ProblemClass::c);
  EXPECT_EQ(job.processes, 16u);
  for (const Job& each : jobs_up_to(16, 0)) {
    ASSERT_TRUE(parse_job(name_of(each), job).is_ok()) << name_of(each);
    EXPECT_EQ(name_of(job), name_of(each));
  }
  for (const char* wrong :
       {"", "bt", "bt.C", "bt.C.", "bt.C.x", "bt.C.0", "bt.C.16x", "bt.CC.16", "ep.C.16", "bt.E.16",
        "bt.C.-16", "bt.C.99999999999", "btxC.16", "bt.C.16.1", "bt\n.C.16"})
    EXPECT_NE(parse_job(wrong, job).message().find("names no job"), std::string::npos) << wrong;
}

}  // namespace
}  // namespace holdfast::sim
