// The interval of a median against the binomial written down, against analysis/, and on drawn
// samples.
#include "experiments/statistics/median_interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "stack/base/random.hpp"

namespace holdfast::statistics {
namespace {

// Rows of Pascal's triangle in whole numbers.
std::vector<std::uint64_t> binomials(std::size_t count) {
  std::vector<std::uint64_t> row = {1};
  for (std::size_t n = 1; n <= count; ++n) {
    row.push_back(0);
    for (std::size_t k = n; k > 0; --k) row[k] += row[k - 1];
  }
  return row;
}

TEST(MedianInterval, HasTheRanksOfTheBinomial) {
  for (std::size_t count = 0; count <= 60; ++count) {
    const std::vector<std::uint64_t> ways = binomials(count);
    // 2 * at_most / 2^count <= 1/20, in whole numbers.
    std::size_t rank = 0;
    std::uint64_t at_most = 0;
    while (rank < count / 2 && 40 * (at_most + ways[rank]) <= std::uint64_t{1} << count)
      at_most += ways[rank++];
    EXPECT_EQ(rank_of_interval(count), rank) << count;
  }
  EXPECT_EQ(rank_of_interval(5), 0u);
  EXPECT_EQ(rank_of_interval(6), 1u);
  EXPECT_EQ(kSamplesMin, 6u);
}

// Both this and analysis/ (tests/unit/analysis/intervals_test.py) agree with one list.
TEST(MedianInterval, HasTheRanksOfTheAnalysis) {
  std::ifstream list(HOLDFAST_RANKS);
  std::size_t count = 0, rank = 0, lines = 0;
  for (; list >> count >> rank; ++lines) EXPECT_EQ(rank_of_interval(count), rank) << count;
  EXPECT_GT(lines, 300u);
}

TEST(MedianInterval, CountsHeads) {
  for (const std::size_t count : {1u, 2u, 7u, 20u, 60u}) {
    const std::vector<std::uint64_t> ways = binomials(count);
    double sum = 0.0;
    for (std::size_t heads = 0; heads <= count; ++heads) {
      sum += static_cast<double>(ways[heads]);
      EXPECT_NEAR(probability_at_most(count, heads), sum / std::exp2(count), 1e-14);
    }
  }
  EXPECT_NEAR(probability_at_most(100'000, 50'000), 0.5 + 0.5 * std::sqrt(2 / (M_PI * 1e5)), 1e-8);
  EXPECT_EQ(probability_at_most(0, 0), 1.0);
}

// Of 4,000 samples of a skewed distribution at least 95 % of the intervals hold its median, less
// three standard deviations of so many draws; and not 99 %, or they would be wider than they need.
TEST(MedianInterval, HoldsTheMedianOfDrawnSamples) {
  constexpr int kDraws = 4'000;
  for (const std::size_t count : {std::size_t{20}, std::size_t{101}}) {
    Random random(1, 2, count);
    const std::size_t rank = rank_of_interval(count);
    int held = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<double> values(count);
      for (double& value : values) {
        const double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
        value = u * u * u;  // median 1/8
      }
      std::sort(values.begin(), values.end());
      held += values[rank - 1] <= 0.125 && 0.125 <= values[count - rank];
    }
    EXPECT_GT(held, 0.95 * kDraws - 3 * std::sqrt(0.95 * 0.05 * kDraws)) << count;
    EXPECT_LT(held, 0.99 * kDraws) << count;
  }
}

}  // namespace
}  // namespace holdfast::statistics
