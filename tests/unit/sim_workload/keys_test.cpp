// How IS's keys are shared out, against keys that are drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sim/workload/bucket_sort.hpp"
#include "stack/base/random.hpp"

namespace holdfast::sim {
namespace {

// The benchmark's rule on drawn keys: buckets go to a process until it and those before it have
// their share.
std::vector<double> drawn_shares(std::uint32_t processes, std::uint64_t keys) {
  constexpr std::uint32_t kBuckets = 1024;
  std::vector<std::uint64_t> bucket(kBuckets);
  Random random(7, 0, 0);
  for (std::uint64_t i = 0; i < keys; ++i) {
    const double mean = (random.unit() + random.unit() + random.unit() + random.unit()) / 4;
    ++bucket[static_cast<std::size_t>(mean * kBuckets)];
  }
  std::vector<double> shares(processes);
  std::uint64_t sum = 0, given = 0;
  std::uint32_t process = 0;
  for (const std::uint64_t keys_of_bucket : bucket) {
    sum += keys_of_bucket;
    if (sum < (process + 1) * (keys / processes)) continue;
    shares[process++] = static_cast<double>(sum - given) / static_cast<double>(keys);
    given = sum;
  }
  return shares;
}

TEST(Keys, AreSharedOutAsDrawnOnesAre) {
  constexpr std::uint32_t kProcesses = 16;
  const std::vector<double> drawn = drawn_shares(kProcesses, 1u << 20);
  const BucketSort sort({Benchmark::is, ProblemClass::c, kProcesses}, ProcessId{3});
  const double own = static_cast<double>((1u << 27) / kProcesses);
  for (std::uint32_t process = 0; process < kProcesses; ++process) {
    // A bucket at a border is with one process or with the next: up to 2.67 / 1024 of all keys.
    EXPECT_NEAR(static_cast<double>(sort.keys_to(process)) / own, drawn[process], 0.003) << process;
  }
}

// In the middle of the range a bucket has 2.67 times the keys of the mean one, so of 256 processes
// some get one bucket there and some two.
TEST(Keys, AreSharedOutAsUnevenlyAsDrawnOnes) {
  constexpr std::uint32_t kProcesses = 256;
  const std::vector<double> drawn = drawn_shares(kProcesses, 1u << 20);
  const BucketSort sort({Benchmark::is, ProblemClass::c, kProcesses}, ProcessId{0});
  double expected_unevenness = 0, drawn_unevenness = 0;
  for (std::uint32_t process = 0; process < kProcesses; ++process) {
    const double share = static_cast<double>(sort.keys_to(process)) / ((1u << 27) / kProcesses);
    expected_unevenness += std::abs(share - 1.0 / kProcesses);
    drawn_unevenness += std::abs(drawn[process] - 1.0 / kProcesses);
  }
  EXPECT_GT(drawn_unevenness, 0.1);
  EXPECT_NEAR(expected_unevenness, drawn_unevenness, 0.1 * drawn_unevenness);
}

TEST(Keys, NoneIsLostAndEverybodyGetsSome) {
  for (const ProblemClass problem_class : kProblemClasses) {
    for (std::uint32_t processes = 4; processes <= 256; processes *= 2) {
      const Job job{Benchmark::is, problem_class, processes};
      if (!check(job).is_ok()) continue;
      const BucketSort sort(job, ProcessId{0});
      std::uint64_t sum = 0;
      for (std::uint32_t process = 0; process < processes; ++process) {
        EXPECT_GT(sort.keys_to(process), 0u) << name_of(job) << " " << process;
        sum += sort.keys_to(process);
      }
      EXPECT_EQ(sum, (std::uint64_t{1} << sort_size(problem_class).keys) / processes);
    }
  }
}

}  // namespace
}  // namespace holdfast::sim
