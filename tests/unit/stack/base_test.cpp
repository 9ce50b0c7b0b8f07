// Base types: the random streams against their published algorithms, the permutation, byte order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stack/base/bytes.hpp"
#include "stack/base/divisor.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/in_place.hpp"
#include "stack/base/permutation.hpp"
#include "stack/base/pool.hpp"
#include "stack/base/random.hpp"

namespace holdfast {
namespace {

// splitmix64 as its author publishes it: a counter that is mixed. Its first outputs from the seed
// 1234567 are widely quoted.
TEST(Random, MixIsSplitmix64) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
        16408922859458223821u}) {
    EXPECT_EQ(mix64(state), expected);
    state += 0x9e3779b97f4a7c15u;
  }
}

TEST(Random, StreamsDifferBySeedPurposeAndIndexAndRepeat) {
  std::vector<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint64_t purpose = 0; purpose < 8; ++purpose) {
      for (std::uint64_t index = 0; index < 8; ++index) {
        firsts.push_back(Random(seed, purpose, index).next());
        EXPECT_EQ(Random(seed, purpose, index).next(), firsts.back());
      }
    }
  }
  std::sort(firsts.begin(), firsts.end());
  EXPECT_EQ(std::adjacent_find(firsts.begin(), firsts.end()), firsts.end());
}

TEST(Random, BelowIsUniform) {
  Random random(1, 2, 3);
  constexpr std::uint64_t kBound = 7, kDraws = 70'000;
  std::vector<std::uint64_t> counts(kBound);
  for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[random.below(kBound)];
  // Chi square with 6 degrees of freedom exceeds 22.5 once in a thousand streams.
  double chi_square = 0.0;
  for (const std::uint64_t count : counts) {
    const double deviation = static_cast<double>(count) - kDraws / kBound;
    chi_square += deviation * deviation / (kDraws / kBound);
  }
  EXPECT_LT(chi_square, 22.5);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
  // With a bound of three quarters of the range, taking the product without rejection would favour
  // every third value: it must come as often as the others.
  const std::uint64_t large = 3u * (std::uint64_t{1} << 62);
  int thirds[3] = {};
  for (int i = 0; i < 30'000; ++i) ++thirds[random.below(large) % 3];
  for (const int count : thirds) EXPECT_NEAR(count, 10'000, 400);
}

TEST(Random, UnitStaysBelowOne) {
  Random random(9, 9, 9);
  double sum = 0.0;
  for (int i = 0; i < 10'000; ++i) {
    const double x = random.unit();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.015);
}

TEST(Permutation, IsABijectionAndInverseUndoesIt) {
  for (const std::uint32_t size : {1u, 2u, 3u, 4u, 5u, 15u, 16u, 17u, 48u, 1000u, 1024u, 4097u}) {
    for (const std::uint64_t key : {0u, 1u, 77u}) {
      const Permutation permutation(size, key);
      std::vector<bool> taken(size);
      for (std::uint32_t x = 0; x < size; ++x) {
        const std::uint32_t y = permutation.forward(x);
        ASSERT_LT(y, size);
        EXPECT_FALSE(taken[y]) << size;
        taken[y] = true;
        EXPECT_EQ(permutation.inverse(y), x);
      }
    }
  }
}

TEST(Permutation, KeysGiveOtherOrdersAndNeighboursPart) {
  constexpr std::uint32_t kSize = 1024;
  const Permutation a(kSize, 1), b(kSize, 2);
  int same = 0, neighbours = 0;
  for (std::uint32_t x = 0; x + 1 < kSize; ++x) {
    if (a.forward(x) == b.forward(x)) ++same;
    const auto distance = static_cast<std::int64_t>(a.forward(x)) - a.forward(x + 1);
    if (distance == 1 || distance == -1) ++neighbours;
  }
  // A random pair of permutations agrees in one place on average, and keeps about two neighbours.
  EXPECT_LT(same, 8);
  EXPECT_LT(neighbours, 12);
}

// Two given neighbours on a circle of n are neighbours after a random permutation with probability
// 2 / (n - 1), so n / (n - 1) · 2 of the n pairs are on average. The count is nearly Poisson.
TEST(Permutation, NeighboursStayNeighboursAsOftenAsByChance) {
  for (const std::uint32_t size : {16u, 48u, 324u, 1024u}) {
    const std::uint32_t keys = 1'600'000 / size;
    double together = 0;
    for (std::uint64_t key = 0; key < keys; ++key) {
      const Permutation permutation(size, mix64(key));
      for (std::uint32_t x = 0; x < size; ++x) {
        const std::uint32_t a = permutation.inverse(x), b = permutation.inverse((x + 1) % size);
        const std::uint32_t apart = (a + size - b) % size;
        if (apart == 1 || apart == size - 1) ++together;
      }
    }
    const double expected = 2.0 * keys * size / (size - 1);
    EXPECT_NEAR(together, expected, 5 * std::sqrt(expected)) << size;
  }
}

TEST(Divisor, DividesAsTheProcessorDoes) {
  const std::uint32_t interesting[] = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       10,
                                       48,
                                       641,
                                       65535,
                                       65536,
                                       999'999'999,
                                       (1u << 31) - 1,
                                       1u << 31,
                                       (1u << 31) + 1,
                                       UINT32_MAX - 1,
                                       UINT32_MAX};
  for (const std::uint32_t divisor : interesting) {
    if (divisor == 0) continue;
    const Divisor by(divisor);
    for (const std::uint32_t n : interesting) {
      for (const std::uint32_t near : {n - 1, n, n + 1, n * divisor, n * divisor - 1}) {
        EXPECT_EQ(by.quotient(near), near / divisor) << near << " / " << divisor;
        EXPECT_EQ(by.remainder(near), near % divisor) << near << " % " << divisor;
      }
    }
  }
}

struct Shape {
  virtual ~Shape() = default;
  virtual int sides() const = 0;
};

struct Triangle final : Shape {
  explicit Triangle(int& ended) : ended_(ended) {}
  ~Triangle() override { ++ended_; }
  int sides() const override { return 3; }
  int& ended_;
};

TEST(InPlace, HoldsWhatWasMadeAndEndsItOnce) {
  int ended = 0;
  {
    InPlace<Shape, 32> place;
    EXPECT_FALSE(place.made());
    place.make<Triangle>(ended);
    ASSERT_TRUE(place.made());
    EXPECT_EQ(place->sides(), 3);
    EXPECT_EQ(ended, 0);
  }
  EXPECT_EQ(ended, 1);
}

TEST(Pool, GivesBackWhatWasGivenAsItWas) {
  Pool<std::vector<int>> pool;
  std::vector<int>& first = pool.take();
  std::vector<int>& second = pool.take();
  EXPECT_NE(&first, &second);
  EXPECT_EQ(pool.in_use(), 2u);
  first.reserve(100);
  pool.give(first);
  EXPECT_EQ(pool.in_use(), 1u);
  EXPECT_EQ(&pool.take(), &first);
  EXPECT_GE(first.capacity(), 100u);
}

TEST(Bytes, AreLittleEndian) {
  std::byte bytes[8];
  store_le<std::uint64_t>(bytes, 0x0807060504030201u);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(bytes[i], std::byte(i + 1));
  EXPECT_EQ(load_le<std::uint16_t>(bytes + 1), 0x0302);
  EXPECT_EQ(load_le<std::uint32_t>(bytes + 3), 0x07060504u);
}

TEST(Incarnation, BootOutranksEveryRefutation) {
  EXPECT_EQ(first_incarnation_of_boot(3).value, 3u * 65536);
  EXPECT_EQ(next(Incarnation{8}).value, 9u);
  EXPECT_GT(first_incarnation_of_boot(1), Incarnation{0xffff});
}

}  // namespace
}  // namespace holdfast
