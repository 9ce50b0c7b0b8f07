// What run.json says of events, which only a simulator has.
#include "experiments/runner/run_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/unit/runner/example_campaign.hpp"

namespace holdfast::runner {
namespace {

// run.json of three points, those of `real` with real processes; each took 2 s, and simulated ones
// had 10 events.
nlohmann::json run_with(const std::set<std::uint32_t>& real) {
  Campaign campaign = test::example_campaign(1);
  RunRecord record;
  record.by_point.resize(campaign.points.size());
  for (std::uint32_t point = 0; point < campaign.points.size(); ++point) {
    FinishedReplicate replicate;
    replicate.outcome = test::example_outcome({point, 0});
    replicate.wall = seconds(2);
    if (real.contains(point)) {
      campaign.points[point].experiment.fabric.target = Target::udp;
      replicate.outcome.events = 0;
    }
    record.totals.add(replicate);
    record.by_point[point].add(replicate);
  }
  return nlohmann::json::parse(run_json(campaign, {}, record));
}

TEST(RunRecord, TheRateOfEventsIsOverTheTimeThatWasSimulated) {
  EXPECT_EQ(run_with({})["events_per_second"], 5.0);
  EXPECT_EQ(run_with({1})["events_per_second"], 5.0);  // 20 events in 4 of 6 s
}

TEST(RunRecord, WhereNothingIsSimulatedThereIsNoRateOfEvents) {
  const nlohmann::json run = run_with({0, 1, 2});
  EXPECT_FALSE(run.contains("events_per_second"));
  EXPECT_TRUE(run.contains("heartbeats_per_second"));
}

}  // namespace
}  // namespace holdfast::runner
