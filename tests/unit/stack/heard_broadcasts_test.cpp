// Which copy of a broadcast is the first: against a set that forgets nothing, and at the limits.
#include "stack/propagate/heard_broadcasts.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "stack/base/random.hpp"

namespace holdfast {
namespace {

Broadcast broadcast(std::uint32_t starter, std::uint32_t number, std::uint8_t cube = 0,
                    std::uint32_t boot = 0) {
  return {{starter}, first_incarnation_of_boot(boot), number, cube};
}

TEST(HeardBroadcasts, OneCopyInEachCubeIsTheFirst) {
  HeardBroadcasts heard;
  EXPECT_TRUE(heard.first_copy(broadcast(3, 1), true));
  EXPECT_FALSE(heard.first_copy(broadcast(3, 1), false));
  EXPECT_TRUE(heard.first_copy(broadcast(3, 1, 1), false));  // known from the other cube
  EXPECT_FALSE(heard.first_copy(broadcast(3, 1, 1), false));
  EXPECT_TRUE(heard.first_copy(broadcast(4, 1), false));  // known from another starter
}

TEST(HeardBroadcasts, InAnyOrderEachIsFirstOnce) {
  Random random(1, 6, 0);
  for (int round = 0; round < 50; ++round) {
    HeardBroadcasts heard;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>> model;
    for (int i = 0; i < 2000; ++i) {
      const auto starter = static_cast<std::uint32_t>(random.below(200));
      const auto number = static_cast<std::uint32_t>(1 + random.below(60));
      const auto cube = static_cast<std::uint8_t>(random.below(2));
      EXPECT_EQ(heard.first_copy(broadcast(starter, number, cube), random.below(2) == 0),
                model.emplace(starter, number, cube).second);
    }
  }
}

TEST(HeardBroadcasts, WhatIsOlderThanTheWindowCountsAsHeard) {
  HeardBroadcasts heard;
  EXPECT_TRUE(heard.first_copy(broadcast(3, 100), true));
  EXPECT_TRUE(heard.first_copy(broadcast(3, 37), true));
  EXPECT_FALSE(heard.first_copy(broadcast(3, 36), true));
  EXPECT_TRUE(heard.first_copy(broadcast(3, 1000), true));
  EXPECT_TRUE(heard.first_copy(broadcast(3, 999), true));
  EXPECT_FALSE(heard.first_copy(broadcast(3, 100), true));
}

// A starter counts from 1 again when it has been restarted.
TEST(HeardBroadcasts, ALaterBootComesAfterAnEarlierOne) {
  HeardBroadcasts heard;
  EXPECT_TRUE(heard.first_copy(broadcast(3, 9), true));
  EXPECT_TRUE(heard.first_copy(broadcast(3, 1, 0, 1), true));
  EXPECT_FALSE(heard.first_copy(broadcast(3, 1, 0, 1), true));
  EXPECT_FALSE(heard.first_copy(broadcast(3, 8), true));
}

// With more starters than there is memory for, what is repeated for ever goes on no more than once,
// and news always does.
TEST(HeardBroadcasts, MemoryIsBoundedAndNothingGoesRoundForEver) {
  constexpr std::uint32_t kStarters = 3 * HeardBroadcasts::kStartersMax;
  HeardBroadcasts heard;
  std::uint32_t passed_on = 0;
  for (int round = 0; round < 20; ++round) {
    for (std::uint32_t starter = 0; starter < kStarters; ++starter) {
      if (heard.first_copy(broadcast(starter, 5), false)) ++passed_on;
      if (heard.first_copy(broadcast(starter, 4), false)) ++passed_on;
    }
  }
  EXPECT_EQ(passed_on, 2 * HeardBroadcasts::kStartersMax);
  for (std::uint32_t starter = 0; starter < kStarters; ++starter) {
    EXPECT_TRUE(heard.first_copy(broadcast(starter, 6), true));
    EXPECT_TRUE(heard.first_copy(broadcast(starter, 6, 1), false));
  }
}

}  // namespace
}  // namespace holdfast
