// The published counts, and that every difference to ours is the one that experiments/nas-skeletons
// explains.
#include "sim/workload/published_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace holdfast::sim {
namespace {

using Calls = std::array<std::uint64_t, Counts::kSizes>;

const PublishedCounts& published(Benchmark benchmark) {
  for (const PublishedCounts& one : published_counts())
    if (one.job.benchmark == benchmark) return one;
  std::abort();
}

Calls ours(Benchmark benchmark) {
  return count_process(published(benchmark).job, ProcessId{0}).calls;
}

// The versions differ in what they broadcast at the beginning, which is small.
void expect_equal_but_for_small_ones(Benchmark benchmark, std::uint64_t small_max) {
  Calls mine = ours(benchmark), theirs = published(benchmark).calls;
  EXPECT_LE(std::max(mine[0], theirs[0]) - std::min(mine[0], theirs[0]), small_max);
  mine[0] = theirs[0] = 0;
  EXPECT_EQ(mine, theirs);
}

TEST(Published, BtAndSpAndCgAndFtAndIsAgree) {
  EXPECT_EQ(ours(Benchmark::bt), published(Benchmark::bt).calls);
  expect_equal_but_for_small_ones(Benchmark::sp, 2);
  expect_equal_but_for_small_ones(Benchmark::cg, 1);
  expect_equal_but_for_small_ones(Benchmark::ft, 1);
  expect_equal_but_for_small_ones(Benchmark::is, 1);
}

// An iteration more, which is not timed, with a first residual of its own: 2 sends and 2 receives
// for each layer exchange, twice; 2 sends and 2 receives in each of 100 planes and both sweeps of
// which one sends and the other receives; a norm and a time. And one broadcast more.
TEST(Published, LuHasOneIterationMoreHere) {
  const Calls mine = ours(Benchmark::lu), theirs = published(Benchmark::lu).calls;
  EXPECT_EQ(mine[2] - theirs[2], 2u * 4u);
  EXPECT_EQ(mine[0] - theirs[0], 100u * 4u + 2u + 1u);
  EXPECT_EQ(mine[1], 0u);
  EXPECT_EQ(mine[3], 0u);
}

// MG posts each receive with the largest buffer that there is. Half of its messages are received:
// 6 in each of 21 cycles of 3 exchanges on levels 2 … 8 and 2 on level 1, and 4 times more.
TEST(Published, MgCountsReceivesByTheirBuffers) {
  const Calls mine = ours(Benchmark::mg), theirs = published(Benchmark::mg).calls;
  const std::uint64_t receives = 6 * (21 * (7 * 3 + 2) + 4);
  const auto sum = [](const Calls& calls) { return calls[0] + calls[1] + calls[2] + calls[3]; };
  EXPECT_EQ(sum(mine), sum(theirs) + 1);  // a broadcast more
  // What is up to 1 MiB is sent and received alike, so half of it is what was sent.
  EXPECT_EQ(theirs[2], mine[2] / 2 + receives);
  EXPECT_EQ(theirs[1], mine[1] / 2);
  // Of the small ones 96 are collective: 7 broadcasts, 88 sums and maxima, a reduction.
  EXPECT_EQ(theirs[0], (mine[0] - 96) / 2 + 95);
}

}  // namespace
}  // namespace holdfast::sim
