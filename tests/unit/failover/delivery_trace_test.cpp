// What is read from the deliveries of a stream in which nothing came for a while.
#include "experiments/failover/delivery_trace.hpp"

#include <gtest/gtest.h>

#include <array>

namespace holdfast::failover {
namespace {

Time at_ms(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

// 1,000 bytes a millisecond until 100 ms; nothing until 160 ms; then 500 a millisecond until 400.
DeliveryTrace interrupted() {
  DeliveryTrace trace;
  trace.message_bytes = 2000;
  for (std::int64_t ms = 0; ms <= 100; ms += 2) trace.deliveries.push_back(at_ms(ms));
  for (std::int64_t ms = 160; ms <= 400; ms += 4) trace.deliveries.push_back(at_ms(ms));
  return trace;
}

TEST(DeliveryTrace, BytesComeEvenlyBetweenTwoDeliveries) {
  const DeliveryTrace trace = interrupted();
  EXPECT_DOUBLE_EQ(bytes_between(trace, at_ms(0), at_ms(100)), 100'000);
  EXPECT_DOUBLE_EQ(bytes_between(trace, at_ms(3), at_ms(4)), 1000);
  EXPECT_DOUBLE_EQ(bytes_between(trace, at_ms(100), at_ms(130)), 1000);
  EXPECT_DOUBLE_EQ(bytes_between(trace, at_ms(162), at_ms(164)), 1000);
}

TEST(DeliveryTrace, BeforeTheFirstAndAfterTheLastDeliveryNothingCame) {
  const DeliveryTrace trace = interrupted();
  EXPECT_DOUBLE_EQ(bytes_between(trace, Time{-5'000'000}, at_ms(0)), 0);
  EXPECT_DOUBLE_EQ(bytes_between(trace, at_ms(400), at_ms(900)), 0);
  EXPECT_DOUBLE_EQ(bytes_between({2000, {}}, at_ms(0), at_ms(9)), 0);
}

TEST(LongestGap, IsOneThatTheSpanTouches) {
  const DeliveryTrace trace = interrupted();
  for (const auto& [from, to, begin, length] :
       {std::array{0, 400, 100, 60}, {120, 130, 100, 60}, {3, 100, 2, 2}, {160, 400, 160, 4}}) {
    const Gap gap = longest_gap(trace, at_ms(from), at_ms(to));
    EXPECT_EQ(gap.begin, at_ms(begin)) << from;
    EXPECT_EQ(gap.length, milliseconds(length)) << from;
  }
}

TEST(LongestGap, LastsUntilTheEndWhereNothingComesAnyMore) {
  EXPECT_EQ(longest_gap(interrupted(), at_ms(300), at_ms(1400)).length, seconds(1));
}

// From 159 ms on there are 500 bytes a millisecond, but for that first one.
TEST(RegainedAt, IsTheBeginningOfASpanWithEnoughBandwidth) {
  const DeliveryTrace trace = interrupted();
  EXPECT_EQ(regained_at(trace, at_ms(100), at_ms(400), 500'000), at_ms(160));
  EXPECT_EQ(regained_at(trace, at_ms(100), at_ms(400), 475'000), at_ms(158));
  EXPECT_EQ(regained_at(trace, at_ms(10), at_ms(400), 500'000), at_ms(10));
}

TEST(RegainedAt, IsNeverWhereTheBandwidthIsLessOrTheSpanTooShort) {
  const DeliveryTrace trace = interrupted();
  EXPECT_EQ(regained_at(trace, at_ms(100), at_ms(400), 510'000), std::nullopt);
  EXPECT_EQ(regained_at(trace, at_ms(100), at_ms(209), 500'000), std::nullopt);
}

TEST(Bins, AreWholeSpansOnly) {
  const std::vector<double> bins =
      bandwidth_in_bins(interrupted(), at_ms(80), at_ms(185), milliseconds(20));
  ASSERT_EQ(bins.size(), 5u);
  EXPECT_DOUBLE_EQ(bins[0], 1'000'000);
  EXPECT_NEAR(bins[1], 2000.0 / 60 * 1000, 1e-6);
  EXPECT_DOUBLE_EQ(bins[4], 500'000);
}

}  // namespace
}  // namespace holdfast::failover
