// The order of fault schedules, and what of them is not played.
#include "sim/faults/schedule.hpp"

#include <gtest/gtest.h>

#include <map>

namespace holdfast::sim {
namespace {

Time at(std::int64_t s) {
  return Time{0} + seconds(s);
}

Outage crash_of_node(std::uint32_t node, std::int64_t from, std::optional<std::int64_t> until,
                     std::size_t record) {
  Outage outage{at(from), {}, FaultAction::crash, FaultTarget::node, node, record};
  if (until) outage.until = at(*until);
  return outage;
}

TEST(Schedule, OrdersByTimeThenByOrderOfTheScript) {
  ScheduleBuilder builder;
  builder.add(crash_of_node(7, 20, 40, 0));
  builder.add(crash_of_node(3, 10, 20, 1));
  builder.add({at(20), at(21), FaultAction::pause, FaultTarget::process, 5, 2});
  const std::vector<FaultEvent> expected = {
      {at(10), FaultAction::crash, FaultTarget::node, 3, 1},
      {at(20), FaultAction::crash, FaultTarget::node, 7, 0},
      {at(20), FaultAction::repair, FaultTarget::node, 3, 1},
      {at(20), FaultAction::pause, FaultTarget::process, 5, 2},
      {at(21), FaultAction::resume, FaultTarget::process, 5, 2},
      {at(40), FaultAction::repair, FaultTarget::node, 7, 0},
  };
  EXPECT_EQ(builder.build().events, expected);
  EXPECT_EQ(builder.build().records_while_down, 0u);
}

TEST(Schedule, CountsARecordOfAPartThatIsDownAndIgnoresItsEnd) {
  ScheduleBuilder builder;
  builder.add(crash_of_node(1, 10, 30, 0));
  builder.add(crash_of_node(1, 20, 90, 1));  // ends later than the outage that covers its start
  builder.add(crash_of_node(1, 25, 26, 2));
  builder.add({at(15), at(16), FaultAction::crash, FaultTarget::process, 1, 3});  // another part
  const FaultSchedule schedule = builder.build();
  const std::vector<FaultEvent> expected = {
      {at(10), FaultAction::crash, FaultTarget::node, 1, 0},
      {at(15), FaultAction::crash, FaultTarget::process, 1, 3},
      {at(16), FaultAction::repair, FaultTarget::process, 1, 3},
      {at(30), FaultAction::repair, FaultTarget::node, 1, 0},
  };
  EXPECT_EQ(schedule.events, expected);
  EXPECT_EQ(schedule.records_while_down, 2u);
  EXPECT_EQ(schedule.repairs_while_up, 0u);
}

TEST(Schedule, PlaysAnOutageThatBeginsWhenAnotherEnds) {
  ScheduleBuilder builder;
  builder.add(crash_of_node(1, 10, 30, 0));
  builder.add(crash_of_node(1, 30, {}, 1));
  const FaultSchedule schedule = builder.build();
  ASSERT_EQ(schedule.events.size(), 3u);
  EXPECT_EQ(schedule.events[1].action, FaultAction::repair);
  EXPECT_EQ(schedule.events[2].action, FaultAction::crash);
  EXPECT_EQ(schedule.events[2].record, 1u);
  EXPECT_EQ(schedule.records_while_down, 0u);
}

TEST(Schedule, ASingleRepairEndsTheOpenOutageAndTakesItsRecord) {
  ScheduleBuilder builder;
  builder.add_event({at(5), FaultAction::repair, FaultTarget::node, 2, 0});  // up: not played
  builder.add_event({at(10), FaultAction::crash, FaultTarget::node, 2, 1});
  builder.add_event({at(11), FaultAction::crash, FaultTarget::node, 2, 2});  // down already
  builder.add_event({at(20), FaultAction::repair, FaultTarget::node, 2, 3});
  const FaultSchedule schedule = builder.build();
  const std::vector<FaultEvent> expected = {
      {at(10), FaultAction::crash, FaultTarget::node, 2, 1},
      {at(20), FaultAction::repair, FaultTarget::node, 2, 1},
  };
  EXPECT_EQ(schedule.events, expected);
  EXPECT_EQ(schedule.records_while_down, 1u);
  EXPECT_EQ(schedule.repairs_while_up, 1u);
}

// Times of a trace that knows minutes only.
TEST(DrawnWithinMinutes, KeepsTheMinuteAndTheOrderOfEachPart) {
  constexpr std::int64_t kMinute = 60'000'000'000;
  FaultSchedule schedule;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const Time at{std::int64_t{i / 4} * kMinute};
    const FaultAction action = i % 2 == 0 ? FaultAction::crash : FaultAction::repair;
    schedule.events.push_back({at, action, FaultTarget::node, (i / 2) % 3, i});
  }
  const FaultSchedule drawn = drawn_within_minutes(schedule, 10, 1990, 7);
  ASSERT_EQ(drawn.events.size(), schedule.events.size());
  Time last{};
  std::int64_t sum = 0;
  std::map<std::uint32_t, std::size_t> last_record;
  for (const FaultEvent& event : drawn.events) {
    EXPECT_GE(event.at, last);
    last = event.at;
    EXPECT_EQ(event.at.ns / kMinute, std::int64_t(event.record) / 4);
    if (event.record < 10 || event.record >= 1990) {
      EXPECT_EQ(event.at.ns % kMinute, 0);
    }
    sum += event.at.ns % kMinute;
    const auto before = last_record.find(event.index);
    if (before != last_record.end()) {
      EXPECT_GT(event.record, before->second);
    }
    last_record[event.index] = event.record;
  }
  // Uniform: the mean of 2,000 instants is half a minute, within five standard deviations.
  const double mean = static_cast<double>(sum) / 2000 / kMinute;
  EXPECT_NEAR(mean, 0.5, 5 * 0.2887 / 31.6);
  EXPECT_EQ(drawn_within_minutes(schedule, 10, 1990, 7), drawn);
  EXPECT_NE(drawn_within_minutes(schedule, 10, 1990, 8), drawn);
}

}  // namespace
}  // namespace holdfast::sim
