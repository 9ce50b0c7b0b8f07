// What trials come to, and what is promised of them.
#include "experiments/failover/gap_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace holdfast::failover {
namespace {

using bench::LimitShow;

Time at_ms(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

// A message of 1,000 bytes each millisecond; broken from 100 ms to 300 ms, in which the first
// 20 ms deliver nothing.
TrialResult recovered() {
  TrialResult result;
  result.trace.message_bytes = 1000;
  for (std::int64_t ms = 0; ms <= 500; ++ms) {
    if (ms <= 100 || ms >= 120) result.trace.deliveries.push_back(at_ms(ms));
  }
  result.broken = at_ms(100);
  result.mended = at_ms(300);
  result.ended = at_ms(500);
  result.noticed = Noticed::silence;
  result.health = {milliseconds(15), milliseconds(80), 3};
  return result;
}

const FaultKind& silent() {
  return *find_fault_kind("silent_out");
}

TEST(GapRow, SaysWhatAFaultCost) {
  const GapRow row = row_of(recovered(), silent(), 1e6);
  EXPECT_EQ(row.fault, "silent_out");
  EXPECT_DOUBLE_EQ(row.lasted_s, 0.2);
  EXPECT_EQ(row.outcome, "recovered");
  EXPECT_EQ(row.noticed_by, "silence");
  EXPECT_DOUBLE_EQ(row.noticed_s.value(), 0.015);
  EXPECT_DOUBLE_EQ(row.gap_s, 0.02);
  // 950 bytes a millisecond for 50 ms: the 20 ms have one message, so all but two of them go.
  EXPECT_DOUBLE_EQ(row.regained_s.value(), 0.018);
  EXPECT_NEAR(row.share.value(), 180.1 / 182, 1e-9);
  EXPECT_DOUBLE_EQ(row.back_s.value(), 0.08);
  EXPECT_EQ(row.left_well, 3u);
  EXPECT_EQ(row.messages, 482u);
}

TEST(GapRow, SaysWhenTheGapBeganAfterTheFault) {
  for (const auto& [broken_ms, at_s] : {std::pair{97, 0.003}, {100, 0.0}, {104, -0.004}}) {
    TrialResult result = recovered();
    result.broken = at_ms(broken_ms);
    EXPECT_DOUBLE_EQ(row_of(result, silent(), 1e6).gap_at_s, at_s);
  }
}

// 7 ms of nothing, 50 ms and 150 ms after the fault.
TEST(GapRow, TellsTheGapOfAFaultFromLaterOnes) {
  for (const auto& [ms, first_gap_s] : {std::pair{150, 0.007}, {250, 0.001}}) {
    TrialResult result = recovered();
    auto& all = result.trace.deliveries;
    all.clear();
    for (std::int64_t at = 0; at <= 500; ++at) {
      if (at <= ms || at >= ms + 7) all.push_back(at_ms(at));
    }
    const GapRow row = row_of(result, silent(), 1e6);
    EXPECT_DOUBLE_EQ(row.gap_s, 0.007);
    EXPECT_DOUBLE_EQ(row.first_gap_s, first_gap_s);
  }
}

// Whoever never goes on has waited for as long as was looked.
TEST(GapRow, HasAFirstGapUntilTheEndOfWhatIsLookedAt) {
  TrialResult result = recovered();
  std::erase_if(result.trace.deliveries, [](Time at) { return at > at_ms(100); });
  EXPECT_DOUBLE_EQ(row_of(result, silent(), 1e6).first_gap_s, 0.1);
  result.ended = at_ms(150);
  EXPECT_DOUBLE_EQ(row_of(result, silent(), 1e6).first_gap_s, 0.05);
}

TEST(GapRow, SaysWhatBecameOfAStreamThatDidNotRecover) {
  TrialResult result = recovered();
  result.is_back = false;
  result.health.back_after.reset();
  EXPECT_EQ(row_of(result, silent(), 1e6).outcome, "rail_not_back");
  result.resumed = false;
  EXPECT_EQ(row_of(result, silent(), 1e6).outcome, "hung");
  result.failure = "mpirun has ended: it says why";
  EXPECT_EQ(row_of(result, silent(), 1e6).outcome, result.failure);
  EXPECT_FALSE(row_of(result, silent(), 3e6).regained_s.has_value());
}

TEST(Quantile, IsAValueByNearestRank) {
  const std::vector<double> values{5, 1, 4, 2, 3};
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.99), 5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.2), 1);
  std::vector<double> hundred;
  for (int i = 100; i > 0; --i) hundred.push_back(i);
  EXPECT_DOUBLE_EQ(quantile(hundred, 0.99), 99);
}

const LimitShow* find(const std::vector<LimitShow>& shows, const std::string& show) {
  const auto found = std::find_if(shows.begin(), shows.end(),
                                  [&](const LimitShow& one) { return one.show == show; });
  return found == shows.end() ? nullptr : &*found;
}

GapRow row(double gap_s, double share, double back_s) {
  GapRow made;
  made.contender = "holdfast";
  made.outcome = "recovered";
  made.gap_s = gap_s;
  made.first_gap_s = gap_s / 2;
  made.share = share;
  made.back_s = back_s;
  return made;
}

// From the issue: 10 ms for a cut, 25 ms for a silent rail, 95 % of a single rail, 250 ms.
TEST(GapShows, HoldTheTimesOfNearlyAllAgainstTheirLimits) {
  const std::vector<GapRow> rows{row(0.011, 0.94, 0.1), row(0.009, 0.96, 0.26),
                                 row(0.008, 0.97, 0.1)};
  for (const auto& [name, limit] : {std::pair{"cut", 0.01}, {"silent_both", 0.025}}) {
    const auto shows = shows_of(*find_fault_kind(name), rows);
    const LimitShow* const gap = find(shows, "gap, 99 %, s");
    ASSERT_NE(gap, nullptr);
    EXPECT_EQ(gap->fault, name);
    EXPECT_EQ(gap->samples, 3u);
    EXPECT_DOUBLE_EQ(gap->value, 0.011);
    EXPECT_DOUBLE_EQ(gap->limit, limit);
    EXPECT_EQ(gap->kept(), limit > 0.011);
    EXPECT_DOUBLE_EQ(find(shows, "first gap, 99 %, s")->value, 0.0055);
    EXPECT_DOUBLE_EQ(find(shows, "first gap, 99 %, s")->limit, limit);
    EXPECT_TRUE(find(shows, "gap, median, s")->kept());
    const LimitShow* const share = find(shows, "share of a single rail, median");
    EXPECT_DOUBLE_EQ(share->value, 0.96);
    EXPECT_DOUBLE_EQ(share->limit, 0.95);
    EXPECT_TRUE(share->kept());
    EXPECT_DOUBLE_EQ(find(shows, "rail back, median, s")->value, 0.1);
    EXPECT_DOUBLE_EQ(find(shows, "rail back, 99 %, s")->limit, 0.25);
    EXPECT_FALSE(find(shows, "rail back, 99 %, s")->kept());
  }
}

TEST(GapShows, CountWhatNeverCameAsLaterThanAll) {
  GapRow hung = row(0.001, 1, 0);
  hung.outcome = "hung";
  hung.share.reset();
  hung.back_s.reset();
  const auto shows = shows_of(*find_fault_kind("flap"), {row(0.002, 1, 0.1), hung, hung});
  EXPECT_TRUE(std::isinf(find(shows, "gap, median, s")->value));
  EXPECT_DOUBLE_EQ(find(shows, "share of a single rail, median")->value, 0);
  EXPECT_TRUE(std::isinf(find(shows, "rail back, median, s")->value));
}

// A rail that both ends used all the time has no return that could be late.
TEST(GapShows, AreSilentOfTheReturnOfARailThatNobodyLeft) {
  GapRow stayed = row(0.002, 1, 0);
  stayed.back_s.reset();
  EXPECT_EQ(find(shows_of(silent(), {stayed, stayed}), "rail back, median, s"), nullptr);
  EXPECT_TRUE(shows_of(silent(), {}).empty());
}

}  // namespace
}  // namespace holdfast::failover
