// Plans cover every message exactly and grow as the paper says.
#include "stack/pipeline/chunk_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "stack/base/random.hpp"

namespace holdfast {
namespace {

// Denis, Trahay and Ishikawa, sections 3 to 4.3: lambda = 1.4 us, B_net = 3 GB/s, copy 4.53 GB/s,
// g = 300 ns, 4 KB sub-blocks.
constexpr NetworkCost kJack{3e9, nanoseconds(1'400), nanoseconds(300)};
constexpr double kJackCopy = 4.53e9;

ChunkGrowth growth(const NetworkCost& network, double copy, const ChunkLimits& limits) {
  const auto made = ChunkGrowth::of(network, copy, limits);
  EXPECT_TRUE(made.has_value());
  return made.value();
}

// Everything that is promised of one plan, but how it grows.
void expect_whole(const ChunkPlan& plan, std::uint64_t bytes, const ChunkLimits& limits) {
  const std::uint64_t most = limits.chunk_bytes_max / limits.fragment_bytes * limits.fragment_bytes;
  std::uint64_t covered = 0;
  for (std::uint64_t n = 0; n < plan.chunks(); ++n) {
    const ByteRange chunk = plan.chunk(n);
    ASSERT_EQ(chunk.offset, covered);
    ASSERT_GT(chunk.bytes, 0u);
    ASSERT_LE(chunk.bytes, most);
    if (n + 1 < plan.chunks()) {
      ASSERT_EQ(chunk.bytes % limits.fragment_bytes, 0u);
    }
    covered += chunk.bytes;
    if (n > 0 && n + 1 < plan.chunks()) continue;
    std::uint64_t in_blocks = chunk.offset;
    for (std::uint64_t i = 0; i < plan.blocks(n); ++i) {
      const ByteRange block = plan.block(n, i);
      ASSERT_EQ(block.offset, in_blocks);
      ASSERT_GT(block.bytes, 0u);
      ASSERT_LE(block.bytes, limits.block_bytes);
      in_blocks += block.bytes;
    }
    ASSERT_EQ(in_blocks, covered);
  }
  ASSERT_EQ(covered, bytes);
}

TEST(ChunkPlan, CoversEveryMessageExactly) {
  Random random(1, 0, 0);
  for (int i = 0; i < 3'000; ++i) {
    const NetworkCost network{1e9 * (1 + random.unit() * 9),
                              nanoseconds(static_cast<std::int64_t>(random.below(20'000)))};
    const double copy = network.bytes_per_s * (0.5 + 3 * random.unit() * random.unit());
    const std::uint64_t fragment = 1 + random.below(random.below(2) == 0 ? 16 : 65'536);
    const ChunkLimits limits{fragment, 1 + random.below(10'000),
                             fragment * (1 + random.below(200)) + random.below(fragment)};
    const std::uint64_t bytes = random.below(std::uint64_t{1} << random.below(25));
    const ChunkPlan plan(growth(network, copy, limits), bytes);
    ASSERT_NO_FATAL_FAILURE(expect_whole(plan, bytes, limits))
        << "draw " << i << ": " << bytes << " bytes, fragments of " << fragment;
  }
}

// C_n = C_0 q^n, rounded to whole fragments, until buffers are full.
TEST(ChunkPlan, GrowsGeometricallyUpToTheBuffers) {
  constexpr std::uint64_t kFragment = 1'000, kMost = 500'000;
  Random random(2, 0, 0);
  for (int i = 0; i < 300; ++i) {
    const NetworkCost network{3e9,
                              nanoseconds(500 + static_cast<std::int64_t>(random.below(5'000)))};
    const double copy = 3e9 * (1.05 + 2 * random.unit());
    const ChunkPlan plan(growth(network, copy, {kFragment, 4'096, kMost}), 20'000'000);
    const double q = copy / 3e9;
    const double first =
        std::max(1.0, std::round(2 * 1e-9 * static_cast<double>(network.latency.ns) * copy /
                                 kFragment)) *
        kFragment;
    for (std::uint64_t n = 0; n + 1 < plan.chunks(); ++n) {
      const double ideal = std::min<double>(first * std::pow(q, static_cast<double>(n)), kMost);
      // The one before the longest may be the longest already.
      ASSERT_NEAR(static_cast<double>(plan.chunk(n).bytes), ideal, kFragment * 1.001)
          << "chunk " << n << " of q = " << q;
    }
  }
}

TEST(ChunkPlan, ChunksAreEqualWhereCopyingIsNoFasterThanTheWire) {
  for (const double copy : {3e9, 2e9, 3.0029e9}) {
    const ChunkGrowth equal = growth(kJack, copy, {1, 4'096, 1 << 20});
    EXPECT_EQ(equal.ratio(), 1);
    const auto first = static_cast<std::uint64_t>(2 * 1.4e-6 * copy + 0.5);
    const ChunkPlan plan(equal, 10 * first + 1);
    ASSERT_EQ(plan.chunks(), 11u);
    for (std::uint64_t n = 0; n < 10; ++n) EXPECT_EQ(plan.chunk(n), (ByteRange{n * first, first}));
    EXPECT_EQ(plan.chunk(10), (ByteRange{10 * first, 1}));
  }
}

TEST(ChunkPlan, OfTheJackCluster) {
  const ChunkGrowth jack = growth(kJack, kJackCopy, {1, 4'096, 1 << 20});
  EXPECT_EQ(jack.first_bytes(), 12'684u);
  EXPECT_DOUBLE_EQ(jack.ratio(), 1.51);
  const ChunkPlan plan(jack, 1'000'000);
  EXPECT_EQ(plan.chunks(), 10u);  // n = 9.02
  EXPECT_EQ(plan.chunk(1), (ByteRange{12'684, 19'153}));
  EXPECT_EQ(plan.block(0, 3), (ByteRange{3 * 4'096, 12'684 - 3 * 4'096}));
}

TEST(ChunkPlan, AnEmptyMessageHasNoChunksAndTheLongestHasThemAll) {
  const ChunkGrowth bytes = growth(kJack, kJackCopy, {1, 4'096, 1 << 20});
  EXPECT_EQ(ChunkPlan(bytes, 0).chunks(), 0u);
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t fragment : {1u, 1'400u}) {
    const ChunkPlan plan(growth(kJack, kJackCopy, {fragment, 4'096, 1 << 20}), most);
    const ByteRange last = plan.chunk(plan.chunks() - 1);
    EXPECT_EQ(last.offset + (last.bytes - 1), most - 1);
    const ByteRange before = plan.chunk(plan.chunks() - 2);
    EXPECT_EQ(before.offset + before.bytes, last.offset);
  }
}

TEST(ChunkPlan, WhatIsNoMachineOrNoLimitIsRefused) {
  const ChunkLimits good{1'400, 4'096, 1 << 20};
  EXPECT_TRUE(ChunkGrowth::of(kJack, kJackCopy, good).has_value());
  const double nan = std::nan(""), endless = std::numeric_limits<double>::infinity();
  for (const double rate : {0.0, -1.0, nan, endless}) {
    EXPECT_FALSE(ChunkGrowth::of(kJack, rate, good).has_value()) << rate;
    EXPECT_FALSE(ChunkGrowth::of({rate, kJack.latency}, kJackCopy, good).has_value()) << rate;
  }
  EXPECT_FALSE(ChunkGrowth::of({1e-300, kJack.latency}, 1e300, good).has_value());
  EXPECT_FALSE(ChunkGrowth::of({3e9, nanoseconds(-1)}, kJackCopy, good).has_value());
  for (const ChunkLimits& bad :
       {ChunkLimits{0, 4'096, 1 << 20}, ChunkLimits{1'400, 0, 1 << 20},
        ChunkLimits{1'400, 1, 1'399}, ChunkLimits{1, 1, (std::uint64_t{1} << 32) + 1}})
    EXPECT_FALSE(ChunkGrowth::of(kJack, kJackCopy, bad).has_value());
  EXPECT_TRUE(ChunkGrowth::of({3e9, nanoseconds(0)}, kJackCopy, {1'400, 1, 1'400}).has_value());
}

}  // namespace
}  // namespace holdfast
