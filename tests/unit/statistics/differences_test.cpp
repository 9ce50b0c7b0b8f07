// Differences of samples against counting every case, against published values, and on drawn
// samples: how often the intervals hold the truth, and how often chance is called a difference.
#include "experiments/statistics/differences.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "stack/base/random.hpp"

namespace holdfast::statistics {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
using Samples = std::vector<double>;

// All ways in which m and n samples, given in order of size, may belong to two sides: the share in
// which U lies as far from its mean as it does here, or further.
double p_by_counting(const Samples& a, const Samples& b) {
  Samples all = a;
  all.insert(all.end(), b.begin(), b.end());
  const auto distance = [&](unsigned chosen) {
    double u = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < all.size(); ++j)
        if ((chosen >> i & 1u) == 1u && (chosen >> j & 1u) == 0u)
          u += all[i] > all[j] ? 1.0 : all[i] == all[j] ? 0.5 : 0.0;
    return std::abs(u - static_cast<double>(a.size() * b.size()) / 2);
  };
  const unsigned own = ((1u << b.size()) - 1u) << a.size();
  int count = 0, as_far = 0;
  for (unsigned chosen = 0; chosen < 1u << all.size(); ++chosen) {
    if (static_cast<std::size_t>(std::popcount(chosen)) != b.size()) continue;
    ++count;
    as_far += distance(chosen) >= distance(own);
  }
  return static_cast<double>(as_far) / count;
}

Samples drawn(Random& random, std::size_t count, std::uint64_t values) {
  Samples samples(count);
  for (double& sample : samples) sample = static_cast<double>(random.below(values));
  return samples;
}

TEST(Differences, IndependentIsTheCountOfAllChoices) {
  Random random(1, 2, 3);
  for (const std::uint64_t values : {3u, 10u, 1'000'000u}) {  // many ties, some, none
    for (int trial = 0; trial < 20; ++trial) {
      const Samples a = drawn(random, 2 + random.below(5), values);
      const Samples b = drawn(random, 2 + random.below(5), values);
      EXPECT_NEAR(independent_difference(a, b).p, p_by_counting(a, b), 1e-12);
    }
  }
}

TEST(Differences, IndependentEstimateAndIntervalAreOfAllPairs) {
  Random random(1, 2, 4);
  // Ranks of the interval, counted from 1, for m and n samples, as textbooks print them: one more
  // than the critical value of U for 5 %, two-sided (Conover; Siegel).
  const std::vector<std::vector<std::size_t>> published = {
      {4, 4, 0}, {5, 5, 2}, {6, 6, 5}, {8, 8, 13}, {10, 10, 23}, {5, 10, 8}, {20, 20, 127}};
  for (const auto& row : published) {
    const std::size_t m = row[0], n = row[1], critical = row[2];
    const Samples a = drawn(random, m, 1'000'000), b = drawn(random, n, 1'000'000);
    Samples pairs;
    for (const double x : a)
      for (const double y : b) pairs.push_back(y - x);
    std::sort(pairs.begin(), pairs.end());
    const Difference found = independent_difference(a, b);
    EXPECT_EQ(found.estimate, median(pairs));
    ASSERT_TRUE(found.interval.has_value()) << m << " " << n;
    EXPECT_EQ(found.interval->first, pairs[critical]) << m << " " << n;
    EXPECT_EQ(found.interval->second, pairs[pairs.size() - 1 - critical]) << m << " " << n;
  }
  EXPECT_FALSE(independent_difference({1, 2, 3}, {4, 5, 6}).interval.has_value());
}

// 41 a side are approximated, 40 are not; a sample more changes p a little, this way or that.
TEST(Differences, LargeSamplesAgreeWithExactOnes) {
  Random random(1, 2, 5);
  double ratios = 0.0;
  for (int trial = 0; trial < 40; ++trial) {
    Samples a = drawn(random, 41, 1000), b = drawn(random, 41, 1000);
    for (double& value : b) value += 100;
    const double approximated = independent_difference(a, b).p;
    a.pop_back();
    b.pop_back();
    ratios += std::log(approximated / independent_difference(a, b).p);
  }
  EXPECT_LT(std::abs(ratios / 40), 0.25);
  EXPECT_EQ(independent_difference(Samples(50, 1.0), Samples(60, 1.0)).p, 1.0);
}

TEST(Differences, PairedIsTheSignTest) {
  // Nine of ten pairs above: 2 (1 + 10) / 2^10.
  Samples a(10, 1.0), b = {2, 2, 3, 4, 5, 6, 7, 8, 9, 0};
  const Difference nine = paired_difference(a, b);
  EXPECT_NEAR(nine.p, 22.0 / 1024, 1e-12);
  EXPECT_EQ(nine.estimate, 3.5);
  EXPECT_EQ(nine.interval.value(), (std::pair{1.0, 7.0}));  // ranks 2 and 9
  EXPECT_NEAR(nine.p_least, 2.0 / 1024, 1e-15);
  b[0] = 1.0;  // says nothing: eight of nine
  EXPECT_NEAR(paired_difference(a, b).p, 20.0 / 512, 1e-12);
  EXPECT_EQ(paired_difference(a, a).p, 1.0);
  EXPECT_FALSE(paired_difference({1, 2, 3}, {2, 3, 4}).interval.has_value());
}

TEST(Differences, NeverIsAboveAllAndEqualToItself) {
  const Difference later = paired_difference(Samples(8, 1.0), Samples(8, kNever));
  EXPECT_EQ(later.estimate, kNever);
  EXPECT_NEAR(later.p, 2.0 / 256, 1e-12);
  EXPECT_EQ(paired_difference(Samples(8, kNever), Samples(8, kNever)).estimate, 0.0);
  const Difference apart = independent_difference(Samples(8, 1.0), Samples(8, kNever));
  EXPECT_EQ(apart.estimate, kNever);
  EXPECT_EQ(apart.interval.value(), (std::pair{kNever, kNever}));
  EXPECT_EQ(independent_difference(Samples(8, kNever), Samples(9, kNever)).estimate, 0.0);
}

TEST(Differences, HolmCorrects) {
  const std::vector<double> corrected = holm({0.04, 0.01, 0.03, 0.9});
  EXPECT_DOUBLE_EQ(corrected[1], 0.04);  // 4 × 0.01
  EXPECT_DOUBLE_EQ(corrected[2], 0.09);  // 3 × 0.03
  EXPECT_DOUBLE_EQ(corrected[0], 0.09);  // 2 × 0.04, but no less than the one before
  EXPECT_DOUBLE_EQ(corrected[3], 0.9);
  EXPECT_TRUE(holm({}).empty());
}

// Skewed, and shifted by a half on one side.
double skewed(Random& random) {
  const double u = random.unit();
  return u * u * u;
}

TEST(Differences, IntervalsHoldTheTruth) {
  constexpr int kDraws = 1'500;
  const double least = 0.95 * kDraws - 3 * std::sqrt(0.95 * 0.05 * kDraws);
  for (const std::size_t count : {std::size_t{12}, std::size_t{60}}) {
    Random random(7, 1, count);
    int paired = 0, independent = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      Samples a(count), b(count), shared(count);
      for (std::size_t i = 0; i < count; ++i) {
        a[i] = skewed(random);
        b[i] = skewed(random) + 0.5;
        shared[i] = a[i] + 0.4 + 0.2 * random.unit();  // differences with the median 0.5
      }
      const auto holds = [](const Difference& d) {
        return d.interval->first <= 0.5 && 0.5 <= d.interval->second;
      };
      paired += holds(paired_difference(a, shared));
      independent += holds(independent_difference(a, b));
    }
    EXPECT_GT(paired, least) << count;
    EXPECT_GT(independent, least) << count;
    EXPECT_LT(paired, 0.995 * kDraws) << count;
    EXPECT_LT(independent, 0.995 * kDraws) << count;
  }
}

// Comparisons of like with like, ten columns each that hang together, some with ties.
template <class Compare>
int called_real(std::uint64_t seed, std::size_t count, int comparisons, const Compare& compare) {
  Random random(seed, 1, count);
  int real = 0;
  for (int i = 0; i < comparisons; ++i) {
    std::vector<double> p;
    Samples base_a(count), base_b(count);
    for (std::size_t k = 0; k < count; ++k) base_a[k] = skewed(random), base_b[k] = skewed(random);
    for (int column = 0; column < 10; ++column) {
      Samples a = base_a, b = base_b;
      for (Samples* side : {&a, &b})
        for (double& value : *side) {
          value += 0.3 * random.unit();
          if (column % 3 == 0) value = std::floor(10 * value);
        }
      p.push_back(compare(a, b).p);
    }
    const std::vector<double> corrected = holm(p);
    real += *std::min_element(corrected.begin(), corrected.end()) < 0.05;
  }
  return real;
}

TEST(Differences, LikeWithLikeIsCalledRealInOneOfTwentyAtMost) {
  constexpr int kComparisons = 1'000;
  const double most = 0.05 * kComparisons + 3 * std::sqrt(0.05 * 0.95 * kComparisons);
  for (const std::size_t count : {std::size_t{15}, std::size_t{50}}) {
    const int paired = called_real(11, count, kComparisons, paired_difference);
    EXPECT_LT(paired, most) << count;
    EXPECT_GT(paired, 0) << count;  // or it would never call anything real
  }
  EXPECT_LT(called_real(12, 50, kComparisons, independent_difference), most);
  EXPECT_LT(called_real(13, 10, 300, independent_difference),
            0.05 * 300 + 3 * std::sqrt(0.05 * 0.95 * 300));
}

}  // namespace
}  // namespace holdfast::statistics
