// LANL records: made-up ones at every edge, and the published ones against counts made otherwise.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "sim/faults/trace.hpp"
#include "tests/unit/sim_faults/temporary_file.hpp"

namespace holdfast::sim {
namespace {

using test::TemporaryFile;

const std::string kHeader = "System,\"nodes, all\",nodenumz,Prob Started,Prob Fixed\n";

struct Read {
  Status status = Status::ok();
  FaultSchedule schedule;
  LanlReport report;
};

Read read(const std::string& path, const LanlSelection& selection,
          std::span<const std::uint32_t> hosts) {
  Read result;
  ScheduleBuilder builder;
  result.status = read_lanl_trace(path, selection, hosts, builder, result.report);
  result.schedule = builder.build();
  return result;
}

std::string error_of(const std::string& content, const LanlSelection& selection) {
  const TemporaryFile file(content);
  const std::array<std::uint32_t, 1> hosts = {0};
  const Read result = read(file.path(), selection, hosts);
  if (result.status.is_ok()) return "none";
  EXPECT_EQ(result.status.message().find(file.path()), 0u) << result.status.message();
  return result.status.message().substr(file.path().size());
}

constexpr std::int64_t kMinute = 60'000'000'000;

TEST(LanlTrace, PlaysTheYearOfOneSystemOnWrappedHosts) {
  const TemporaryFile file(kHeader +
                           "2,\"4,9\",4,1/2/2004 0:10,1/2/2004 1:00\n"     // node 4: host 1 of 3
                           "2,\"4,9\",0,1/1/2004 0:00,1/1/2004 0:01\n"     // the first minute
                           "3,\"4,9\",0,1/1/2004 0:00,1/1/2004 0:01\n"     // another system
                           "2,\"4,9\",2,12/31/2003 23:59,1/1/2004 0:01\n"  // started before
                           "2,\"4,9\",5,12/31/2004 23:59,1/1/2005 0:01\n"  // the last minute
                           "2,\"4,9\",0,1/1/2005 0:00,1/1/2005 0:01\n"     // started after
                           "2,\"4,9\",1,1/2/2004 0:20,1/2/2004 3:00\n"     // host 1 is down
                           "2,\"4,9\",,1/2/2004 0:20,1/2/2004 3:00\n"      // no node
                           "2,\"4,9\",3,1/3/2004 0:20,1/3/2004 0:19\n"     // fixed before
                           "2,\"4,9\",3,1/4/2004 0:20,\n");                // never fixed
  const std::array<std::uint32_t, 3> hosts = {20, 10, 30};
  const Read result = read(file.path(), {2, 2004, {}}, hosts);
  ASSERT_TRUE(result.status.is_ok()) << result.status.message();

  const auto minute = [](std::int64_t day, std::int64_t hour, std::int64_t m) {
    return Time{((day * 24 + hour) * 60 + m) * kMinute};
  };
  // Records by start: 0 node 0, 1 node 4, 2 node 1, 3 none, 4 node 3 (bad), 5 node 3, 6 node 5.
  const std::vector<FaultEvent> expected = {
      {minute(0, 0, 0), FaultAction::crash, FaultTarget::node, 20, 0},
      {minute(0, 0, 1), FaultAction::repair, FaultTarget::node, 20, 0},
      {minute(1, 0, 10), FaultAction::crash, FaultTarget::node, 10, 1},
      {minute(1, 1, 0), FaultAction::repair, FaultTarget::node, 10, 1},
      {minute(3, 0, 20), FaultAction::crash, FaultTarget::node, 20, 5},
      {minute(365, 23, 59), FaultAction::crash, FaultTarget::node, 30, 6},
      {minute(366, 0, 1), FaultAction::repair, FaultTarget::node, 30, 6},
  };
  EXPECT_EQ(result.schedule.events, expected);
  EXPECT_EQ(result.schedule.records_while_down, 1u);
  EXPECT_EQ(result.report.records, 7u);
  EXPECT_EQ(result.report.without_node, 1u);
  EXPECT_EQ(result.report.fixed_before_started, 1u);
  EXPECT_EQ(result.report.never_fixed, 1u);
  EXPECT_EQ(result.report.period, Duration{std::int64_t{366} * 24 * 60 * kMinute});
  const std::vector<LanlNode> nodes = {{0, 20, 1}, {1, 10, 1}, {3, 20, 2}, {4, 10, 1}, {5, 30, 1}};
  EXPECT_EQ(result.report.nodes, nodes);
}

TEST(LanlTrace, AMonthBeginsAtItsFirstMinute) {
  const TemporaryFile file(kHeader +
                           "2,1,0,1/31/2003 23:59,2/1/2003 0:30\n"
                           "2,1,0,2/28/2003 23:59,3/1/2003 0:30\n"
                           "2,1,0,3/1/2003 0:00,3/1/2003 0:30\n");
  const std::array<std::uint32_t, 1> hosts = {0};
  const Read result = read(file.path(), {2, 2003, 2}, hosts);
  ASSERT_TRUE(result.status.is_ok()) << result.status.message();
  EXPECT_EQ(result.report.records, 1u);
  EXPECT_EQ(result.report.period, Duration{std::int64_t{28} * 24 * 60 * kMinute});
  ASSERT_EQ(result.schedule.events.size(), 2u);
  EXPECT_EQ(result.schedule.events[0].at, (Time{(28 * 24 * 60 - 1) * kMinute}));
}

TEST(LanlTrace, UnpacksXz) {
  // `xz` of a header and one record: "2,0,2/29/2004 0:00,3/1/2004 0:00".
  constexpr char kPacked[] =
      "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00"
      "\x74\x2f\xe5\xa3\xe0\x00\x48\x00\x40\x5d\x00\x29\x9e\x4a\x67\x6f\x34\xb0\xd9\x82"
      "\x98\x71\xfb\x08\x9d\x03\xcf\xf7\xf1\xa4\x91\x85\x7c\x4a\x44\xbd\x8e\xa9\x31\x36"
      "\xb3\xb5\x0d\x9e\x9f\x21\x75\x0d\x1f\x81\xd8\x7f\x9c\x0c\x88\xc7\xc0\xdc\xe4\x86"
      "\xfb\x10\x73\xbd\xb3\x00\x49\xf6\xc1\xd5\x2a\x37\x96\xa0\x00\x00\x99\xa5\xac\xa4"
      "\x7b\x5e\x28\xf8\x00\x01\x5c\x49\x47\x5e\x88\x39\x1f\xb6\xf3\x7d\x01\x00\x00\x00"
      "\x00\x04\x59\x5a";
  const TemporaryFile file(std::string(kPacked, sizeof kPacked - 1), ".csv.xz");
  const std::array<std::uint32_t, 1> hosts = {6};
  const Read result = read(file.path(), {2, 2004, 2}, hosts);
  ASSERT_TRUE(result.status.is_ok()) << result.status.message();
  ASSERT_EQ(result.schedule.events.size(), 2u);
  EXPECT_EQ(result.schedule.events[0].at, (Time{28 * 24 * 60 * kMinute}));
  EXPECT_EQ(result.schedule.events[1].at, (Time{29 * 24 * 60 * kMinute}));

  const TemporaryFile cut(std::string(kPacked, sizeof kPacked - 20), ".csv.xz");
  EXPECT_EQ(read(cut.path(), {2, 2004, 2}, hosts).status.message(),
            cut.path() + ": the xz archive ends too early");
  const TemporaryFile text(kHeader, ".csv.xz");
  EXPECT_EQ(read(text.path(), {2, 2004, 2}, hosts).status.message(),
            text.path() + ": is not a sound xz archive (test it with `xz -t`)");
}

TEST(LanlTrace, NamesFileLineAndWhatWasExpected) {
  const std::string good = kHeader + "2,1,0,1/2/2004 0:10,1/2/2004 1:00\n";
  EXPECT_EQ(error_of("System,nodenumz,Prob Started\n", {2, 2004, {}}),
            ":1: the header has no column \"Prob Fixed\"; expected the failure records of LANL as "
            "they are published");
  EXPECT_EQ(error_of(good + "2,1,0,1/2/2004 0:10\n", {2, 2004, {}}),
            ":3: has 4 fields; the header has 5");
  EXPECT_EQ(error_of(good + "x,1,0,1/2/2004 0:10,\n", {2, 2004, {}}),
            ":3: System is \"x\"; expected a number");
  EXPECT_EQ(error_of(good + "2,1,x,1/2/2004 0:10,\n", {2, 2004, {}}),
            ":3: nodenumz is \"x\"; expected a number");
  for (const char* bad : {"13/1/2004 0:00", "2/30/2004 0:00", "1/1/2004", "1/1/2004 24:00",
                          "1/1/2004 0:60", "", "2004-01-01 0:00", "1/1/2004 0:00:00"})
    EXPECT_EQ(error_of(good + "2,1,0," + bad + ",\n", {2, 2004, {}}),
              std::string(":3: Prob Started is \"") + bad + "\"; expected M/D/YYYY H:MM");
  EXPECT_EQ(error_of(good + "2,1,0,1/2/2004 0:10,soon\n", {2, 2004, {}}),
            ":3: Prob Fixed is \"soon\"; expected M/D/YYYY H:MM");
  // Three centuries after the period are no time any more that is counted in nanoseconds.
  EXPECT_EQ(error_of(good + "2,1,0,1/2/2004 0:10,1/2/9999 0:10\n", {2, 2004, {}}),
            ":3: Prob Fixed is \"1/2/9999 0:10\", more than a century after the period that is "
            "played; leave it empty for a node that was never fixed");
  // What a terminal would obey stays out of messages.
  EXPECT_EQ(error_of(good + "2,1,0,1/2/2004 0:10,\x1b[2J\n", {2, 2004, {}}),
            ":3: Prob Fixed is \"?[2J\"; expected M/D/YYYY H:MM");
  EXPECT_EQ(error_of(good, {7, 2004, {}}), ": has no records of system 7; its systems are 2");
  EXPECT_EQ(error_of(good, {2, 1999, {}}),
            ": has no records of system 2 that start in 1999; it has them in 2004");
  EXPECT_EQ(error_of(good, {2, 2004, 3}),
            ": has no records of system 2 that start in month 3 of 2004; it has them in 2004");
  EXPECT_EQ(error_of(good, {2, 2004, 13}), ": month 13 is asked for; expected 1 … 12");
  EXPECT_EQ(error_of("", {2, 2004, {}}), ": is empty; expected a header");
}

// The published records, counted beforehand by other means (a dozen lines of Python's csv module):
// 1,141 records of system 18 start in 2004.
TEST(LanlTrace, ReadsThePublishedRecords) {
  const char* data = std::getenv("HOLDFAST_DATA");
  if (data == nullptr) GTEST_SKIP() << "HOLDFAST_DATA does not name the folder of outside data";
  std::vector<std::uint32_t> hosts(89);
  for (std::uint32_t i = 0; i < 89; ++i) hosts[i] = i;
  const Read result =
      read(std::string(data) + "/lanl-failures-1996-2005.csv.xz", {18, 2004, {}}, hosts);
  ASSERT_TRUE(result.status.is_ok()) << result.status.message();
  EXPECT_EQ(result.report.records, 1141u);
  EXPECT_EQ(result.report.without_node, 0u);
  EXPECT_EQ(result.report.never_fixed, 0u);
  EXPECT_EQ(result.schedule.records_while_down, 5u);
  EXPECT_EQ(result.schedule.events.size(), 2 * (1141u - 5u));
  for (const LanlNode& node : result.report.nodes) EXPECT_EQ(node.host, node.node % 89);
}

}  // namespace
}  // namespace holdfast::sim
