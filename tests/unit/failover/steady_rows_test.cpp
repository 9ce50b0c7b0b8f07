// What a stream does while no rail fails.
#include "experiments/failover/steady_rows.hpp"

#include <gtest/gtest.h>

namespace holdfast::failover {
namespace {

Time at_ms(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

// 1,000 bytes every 2 ms, with 50 ms of nothing before the last second and 8 ms within it.
TEST(SteadyRow, IsOfTheLastSecondOnly) {
  TrialResult result;
  result.trace.message_bytes = 1000;
  for (std::int64_t ms = 0; ms <= 1500; ms += 2) {
    if ((ms <= 100 || ms >= 150) && (ms <= 700 || ms >= 707))
      result.trace.deliveries.push_back(at_ms(ms));
  }
  result.ended = at_ms(1500);
  const SteadyRow row = steady_row_of(result);
  EXPECT_DOUBLE_EQ(row.gap_s, 0.008);
  EXPECT_DOUBLE_EQ(row.bytes_per_second, 497'000);
}

TEST(SteadySummaries, AreOfEachContenderAndChoiceOfRails) {
  std::vector<SteadyRow> rows;
  for (std::uint32_t i = 0; i < 5; ++i) {
    rows.push_back({"ours", "0", i, 100.0 + i, 0.010 - 0.001 * i});
    rows.push_back({"ours", "0 and 1", i, 200.0 + i, 0.001});
    rows.push_back({"theirs", "0", i, 7, 0.002});
  }
  const auto summaries = summaries_of(rows);
  ASSERT_EQ(summaries.size(), 3u);
  EXPECT_EQ(summaries[0].contender, "ours");
  EXPECT_EQ(summaries[0].rails, "0");
  EXPECT_DOUBLE_EQ(summaries[0].bytes_per_second, 102);
  EXPECT_DOUBLE_EQ(summaries[0].gap_median_s, 0.008);
  EXPECT_DOUBLE_EQ(summaries[0].gap_99_s, 0.010);
  EXPECT_EQ(summaries[1].rails, "0 and 1");
  EXPECT_EQ(summaries[2].contender, "theirs");
}

}  // namespace
}  // namespace holdfast::failover
