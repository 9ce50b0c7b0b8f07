// What the skeletons send, against closed forms.
#include "sim/workload/counts.hpp"

#include <gtest/gtest.h>

#include "sim/workload/skeleton.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/sim_workload/closed_form.hpp"
#include "tests/unit/sim_workload/jobs.hpp"

namespace holdfast::sim {
namespace {

void expect_closed_form(const Job& job, std::uint64_t iterations) {
  const Totals expected = closed_form(job, iterations);
  const JobCounts counted = count_job(job);
  EXPECT_EQ(counted.messages.sum + counted.to_itself, expected.messages) << name_of(job);
  EXPECT_EQ(counted.to_itself, expected.to_itself) << name_of(job);
  EXPECT_EQ(counted.bytes.sum, expected.bytes) << name_of(job);
}

TEST(Counts, OfFullRunsAreThoseOfTheClosedForms) {
  std::size_t count = 0;
  const std::vector<Job> jobs = jobs_up_to(64, 0);
  constexpr std::size_t kStep = tests::kSanitized ? 7 : 1;  // so that each benchmark has its turn
  for (std::size_t i = 0; i < jobs.size(); i += kStep) {
    const Job& job = jobs[i];
    if (job.benchmark == Benchmark::lu && job.processes > 16) continue;
    expect_closed_form(job, size_in_reports(job.benchmark, job.problem_class).iterations);
    ++count;
  }
  EXPECT_GT(count, tests::drawn(250u));
}

TEST(Counts, OfManyProcessesAreThoseOfTheClosedForms) {
  for (const Benchmark benchmark : kBenchmarks) {
    for (const ProblemClass problem_class : {ProblemClass::w, ProblemClass::a, ProblemClass::d}) {
      const Job job{benchmark, problem_class, 256, 2};
      if (!runs_on(benchmark, problem_class, 256)) continue;
      expect_closed_form(job, 2);
    }
  }
  for (const std::uint32_t processes : {512u, 1024u, 4096u})
    expect_closed_form({Benchmark::mg, ProblemClass::s, processes, 2}, 2);
  expect_closed_form({Benchmark::cg, ProblemClass::s, 1024, 2}, 2);
  expect_closed_form({Benchmark::lu, ProblemClass::b, 1024, 2}, 2);
}

// Multiplying two iterations is as good as going through all of them.
TEST(Counts, AreThoseOfEachStep) {
  for (const Benchmark benchmark : kBenchmarks) {
    const Job job{benchmark, ProblemClass::s, benchmark == Benchmark::lu ? 6u : 4u};
    for (std::uint32_t rank = 0; rank < job.processes; ++rank) {
      Counts each;
      Skeleton skeleton(job, {rank});
      for (Step step; skeleton.next(step);) {
        if (step.kind != StepKind::send && step.kind != StepKind::post_send) continue;
        if (step.peer.value == rank) {
          ++each.to_itself;
        } else {
          ++each.messages;
          each.bytes += step.bytes;
        }
      }
      const Counts counted = count_process(job, {rank});
      EXPECT_EQ(counted.messages, each.messages) << name_of(job) << " " << rank;
      EXPECT_EQ(counted.bytes, each.bytes) << name_of(job) << " " << rank;
      EXPECT_EQ(counted.to_itself, each.to_itself) << name_of(job) << " " << rank;
    }
  }
}

// Inside the grid of LU a process has four neighbours, in a corner two.
TEST(Counts, SpreadOverTheProcesses) {
  const JobCounts counts = count_job({Benchmark::lu, ProblemClass::b, 16});
  EXPECT_LT(counts.messages.least * 19, counts.messages.most * 10);
  EXPECT_LE(counts.messages.least * 16, counts.messages.sum);
  EXPECT_GE(counts.messages.most * 16, counts.messages.sum);
}

}  // namespace
}  // namespace holdfast::sim
