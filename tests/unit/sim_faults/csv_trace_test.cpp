// csv traces: what is read, and what each mistake is told.
#include <gtest/gtest.h>

#include "sim/faults/trace.hpp"
#include "tests/unit/sim_faults/temporary_file.hpp"

namespace holdfast::sim {
namespace {

using test::TemporaryFile;

// Processes 0 … 7 by rank, nodes "host a" (4) and "host,b" (5) by name.
std::optional<std::uint32_t> resolve(FaultTarget target, std::string_view which) {
  if (target == FaultTarget::node) {
    if (which == "host a") return 4;
    if (which == "host,b") return 5;
    return {};
  }
  if (which.size() != 1 || which[0] < '0' || which[0] > '7') return {};
  return static_cast<std::uint32_t>(which[0] - '0');
}

std::string error_of(const std::string& content) {
  const TemporaryFile file(content);
  ScheduleBuilder builder;
  const Status status = read_csv_trace(file.path(), resolve, builder);
  if (status.is_ok()) return "none";
  EXPECT_EQ(status.message().find(file.path()), 0u) << status.message();
  return status.message().substr(file.path().size());
}

TEST(CsvTrace, ReadsEventsExactly) {
  const TemporaryFile file(
      "# two parts\r\n"
      "at_s,action,what,which\r\n"
      "\n"
      "12.000000001,crash,process,3\n"
      "0.5, repair , process,3\n"
      "7,crash,node,host a\n"
      "8,pause,node,\"host,b\"\n"
      "9.25,resume,node,\"host,b\"\n");
  ScheduleBuilder builder;
  const Status status = read_csv_trace(file.path(), resolve, builder);
  ASSERT_TRUE(status.is_ok()) << status.message();
  const std::vector<FaultEvent> expected = {
      {Time{7'000'000'000}, FaultAction::crash, FaultTarget::node, 4, 2},
      {Time{8'000'000'000}, FaultAction::pause, FaultTarget::node, 5, 3},
      {Time{9'250'000'000}, FaultAction::resume, FaultTarget::node, 5, 4},
      {Time{12'000'000'001}, FaultAction::crash, FaultTarget::process, 3, 0},
  };
  EXPECT_EQ(builder.build().events, expected);
  EXPECT_EQ(builder.build().repairs_while_up, 1u);
}

TEST(CsvTrace, NamesFileLineAndWhatWasExpected) {
  const std::string header = "at_s,action,what,which\n";
  EXPECT_EQ(error_of(""), ": is empty; expected the header at_s,action,what,which");
  EXPECT_EQ(error_of("time,what\n"), ":1: is not the header; expected at_s,action,what,which");
  EXPECT_EQ(error_of(header + "1,crash,process\n"),
            ":2: has 3 fields; expected 4: at_s,action,what,which");
  for (const char* bad : {"-1", "1e3", "1.", "", "1.0000000001", "1 s", "9223372037"})
    EXPECT_EQ(
        error_of(header + "1,crash,process,1\n" + bad + ",crash,process,1\n"),
        std::string(":3: at_s is \"") + bad + "\"; expected seconds such as 12.5, not negative");
  EXPECT_EQ(error_of(header + "1,break,process,1\n"),
            ":2: action is \"break\"; expected crash, repair, pause or resume");
  EXPECT_EQ(error_of(header + "1,crash,switch,1\n"),
            ":2: what is \"switch\"; expected process or node");
  EXPECT_EQ(error_of(header + "1,crash,process,8\n"),
            ":2: which is \"8\"; the run has no such process");
  EXPECT_EQ(error_of(header + "1,crash,node,\"a\n"), ":2: has an unclosed quote");
}

TEST(CsvTrace, NamesAFileThatIsNotThere) {
  ScheduleBuilder builder;
  const Status status = read_csv_trace("no-such-trace.csv", resolve, builder);
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.message(), "no-such-trace.csv: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace holdfast::sim
