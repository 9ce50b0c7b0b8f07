// What steps come to, and what is promised of them.
#include "experiments/goodput/goodput_rows.hpp"

#include <gtest/gtest.h>

namespace holdfast::goodput {
namespace {

const Fault kThousandth{"some lost", {.loss = 1e-3}, 0.95};

// The second round was disturbed, all of it: the share is 0.9 in each, but that of the medians is
// not.
TEST(GoodputRows, SharesAreOfTheSameRound) {
  const GoodputRow row = row_of("ours", "f", {{90}, {9}, {108}}, {{100}, {10}, {120}});
  ASSERT_TRUE(row.share);
  EXPECT_DOUBLE_EQ(*row.share, 0.9);
  EXPECT_DOUBLE_EQ(row.median_bytes_per_second, 90);
  EXPECT_EQ(row.samples, 3u);
  EXPECT_FALSE(row.share_interval);  // of three rounds
}

TEST(GoodputRows, WithoutAFaultThereIsNoShare) {
  const GoodputRow row = row_of("ours", "none", {{90}}, {});
  EXPECT_FALSE(row.share);
  EXPECT_TRUE(shows_of(losses()[0], row).empty());
}

// A round that lost nothing and sent something again counts, too.
TEST(GoodputShows, WhatIsSentAgainIsHeldAgainstAllThatWasLost) {
  const GoodputRow row =
      row_of("ours", "f", {{96, 1000, 2, 0}, {96, 1000, 10, 10}}, {{100}, {100}});
  const auto shows = shows_of(kThousandth, row);
  ASSERT_EQ(shows.size(), 2u);
  EXPECT_DOUBLE_EQ(shows[0].value, 0.96);
  EXPECT_TRUE(shows[0].kept());
  EXPECT_DOUBLE_EQ(shows[1].value, 1.2);
  EXPECT_TRUE(shows[1].kept());
  EXPECT_FALSE(shows_of(kThousandth, row_of("ours", "f", {{96, 1000, 13, 10}}, {{100}}))[1].kept());
  EXPECT_FALSE(shows_of(kThousandth, row_of("ours", "f", {{94, 1000, 10, 10}}, {{100}}))[0].kept());
}

TEST(GoodputShows, OfAStreamThatLostNothingNothingIsPromisedOfLosses) {
  EXPECT_EQ(shows_of(kThousandth, row_of("ours", "f", {{100, 9, 0, 0}}, {{100}})).size(), 1u);
}

// From the issue: at most 0.1 % in vain where one in twenty is late by up to half a round trip.
TEST(GoodputShows, WhatIsSentAgainForLateFragmentsIsInVain) {
  const Fault late = lateness(microseconds(200));
  EXPECT_DOUBLE_EQ(late.faults.reorder, 0.95);
  EXPECT_EQ(late.faults.jitter, microseconds(100));
  const auto shows = shows_of(late, row_of("ours", "f", {{50, 1000, 1, 0}}, {{100}}));
  ASSERT_EQ(shows.size(), 1u);
  EXPECT_TRUE(shows[0].kept());
  EXPECT_FALSE(shows_of(late, row_of("ours", "f", {{50, 1000, 2, 0}}, {{100}}))[0].kept());
}

}  // namespace
}  // namespace holdfast::goodput
