// Cells, rows and replicate files, against texts written by hand.
#include "experiments/runner/tables.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "experiments/runner/replicate_file.hpp"
#include "tests/unit/runner/example_campaign.hpp"

namespace holdfast::runner {
namespace {

TEST(Tables, SecondsAreExact) {
  EXPECT_EQ(seconds_text(Duration{0}), "0.000000000");
  EXPECT_EQ(seconds_text(Duration{1}), "0.000000001");
  EXPECT_EQ(seconds_text(Duration{-1}), "-0.000000001");
  EXPECT_EQ(seconds_text(Duration{1'999'999'999}), "1.999999999");
  EXPECT_EQ(seconds_text(Duration{-12'000'000'000}), "-12.000000000");
  EXPECT_EQ(seconds_text(Duration{std::numeric_limits<std::int64_t>::max()}),
            "9223372036.854775807");
  EXPECT_EQ(seconds_text(Duration{std::numeric_limits<std::int64_t>::min()}),
            "-9223372036.854775808");
}

TEST(Tables, MedianIsTheMiddle) {
  EXPECT_FALSE(median({}));
  EXPECT_EQ(median({Duration{5}}), Duration{5});
  EXPECT_EQ(median({Duration{9}, Duration{1}, Duration{4}}), Duration{4});
  EXPECT_EQ(median({Duration{9}, Duration{1}, Duration{4}, Duration{7}}), Duration{5});
}

TEST(Tables, CellsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csv_cell("a b"), "a b");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
}

Outcome some_outcome() {
  Outcome outcome;
  outcome.processes = 8;
  outcome.nodes = 4;
  outcome.records_while_down = 1;
  outcome.false_verdicts = 2;
  outcome.unreachable_verdicts = 5;
  outcome.missed = 3;
  outcome.mistakes = 3;
  outcome.mistake_durations = {milliseconds(4), milliseconds(2)};
  outcome.lived_ms = 10'000;
  outcome.frames = {4, 31, 32, 36, 33, 34, 35};
  outcome.packets = {{31, 0, 30, 0, 0, 0, 1, nanoseconds(1'500), microseconds(7)},
                     {50, 1, 32, 2, 3, 4, 5, microseconds(2), milliseconds(3)},
                     {}};
  outcome.messages = {11, 12, 13, 14, 15, 16, 17};
  outcome.state_hash = 0xabcdu;
  outcome.events = 21;
  outcome.heartbeats_skipped = 22;
  outcome.failures = {
      {Time{1'000'000'000}, "node", "a,b", 2, milliseconds(20), milliseconds(30), nanoseconds(5),
       Time{2'500'000'000}, microseconds(1), 5},
      {Time{1'500'000'000}, "process", "7", 0, {}, {}, {}, {}, {}, 0},
      {Time{2'000'000'000}, "process", "6", 1, milliseconds(9), milliseconds(10), {}, {}, {}, 0},
  };
  const auto fault = [](std::int64_t ms, const char* source, std::int64_t entry, const char* which,
                        std::uint32_t ended) {
    FaultOutcome made;
    made.at = Time{ms * 1'000'000};
    made.source = source;
    made.entry = entry;
    made.what = "node";
    made.which = which;
    made.effect = "crash";
    made.times = 1;
    made.pieces = ended;
    made.ended = ended;
    return made;
  };
  outcome.faults = {fault(1000, "script", 0, "a,b", 1), fault(1400, "model", 2, "c", 4),
                    fault(2400, "trace", -1, "d", 1), fault(2450, "model", 1, "link", 0)};
  outcome.faults[1].until = Time{7'000'000'000};
  CutOutcome cut;
  cut.at = Time{2'450'000'000};
  cut.fault = 3;
  cut.nodes = "3 5-6";
  cut.cut_off = 3;
  cut.others = 2;
  cut.others_knew = seconds(1);
  cut.healed_at = Time{3'000'000'000};
  cut.pairs = 6;
  cut.believed_by_others = 6;
  cut.believed_by_cut_off = 4;
  cut.reconciled = milliseconds(70);
  outcome.cuts = {cut, cut};
  outcome.cuts[1].at = Time{9'000'000'000};
  outcome.cuts[1].reconciled.reset();
  outcome.raw_events = {
      {Time{8}, RawEventKind::suspected, ProcessId{7}, ProcessId{1}, ProcessId{1}, Incarnation{3},
       0},
      {Time{9}, RawEventKind::failed, ProcessId{7}, ProcessId{1}, ProcessId{2}, Incarnation{3}, 0},
      {Time{10}, RawEventKind::crash, kNoProcess, ProcessId{1}, ProcessId{1}, Incarnation{3}, 1},
      {Time{10}, RawEventKind::trusted, ProcessId{6}, ProcessId{2}, ProcessId{2}, Incarnation{3},
       kNoFailure},
      {.at = Time{11}, .kind = RawEventKind::ends_here}};
  return outcome;
}

TEST(Tables, RowsHoldTheOutcome) {
  Campaign campaign = test::example_campaign(1);
  EXPECT_EQ(results_row(campaign, {2, 0}, some_outcome()),
            "2,0,\"one, two\",8,4,2,2,0.010000000,0.020000000,0.030000000,1,0.000000005,,,"
            "0.030000005,,,3,2,5,3,0.002000000,0.003000000,0.004000000,"
            "3.333,10.000,4,2,5,2,1,0.070000000,,,1,11,12,13,14,15,16,17,4,31,32,36,33,34,35,"
            "31,0,30,0,0,0,1,0.000001500,0.000007000,50,1,32,2,3,4,5,0.000002000,0.003000000,"
            "0,0,0,0,0,0,0,,,000000000000abcd\n");
  EXPECT_EQ(
      results_row(campaign, {0, 5}, {}),
      "0,5,bmg,0,0,0,0,,,,0,,,,,,,0,0,0,0,,,,,0.000,0,0,0,0,0,,,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
      ",,,,,,,,,,,,,,,,,,,,,,,,,,,,0000000000000000\n");
  const std::string header = results_header(campaign);
  EXPECT_EQ(header.find("point,replicate,propagation.kind,processes,nodes,failures,detected,"), 0u);
  const std::string row = results_row(campaign, {0, 5}, {});
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), std::count(row.begin(), row.end(), ','));
  EXPECT_EQ(failures_rows({2, 1}, some_outcome()),
            "2,1,1.000000000,node,\"a,b\",2,0.020000000,0.030000000,0.000000005,"
            "2.500000000,0.000001000,5\n"
            "2,1,1.500000000,process,7,0,,,,,,0\n"
            "2,1,2.000000000,process,6,1,0.009000000,0.010000000,,,,0\n");
  EXPECT_EQ(events_rows({2, 1}, some_outcome()),
            "2,1,0.000000008,suspected,7,1,3,0\n"
            "2,1,0.000000009,failed,7,1-2,3,0\n"
            "2,1,0.000000010,crash,,1,3,1\n"
            "2,1,0.000000010,trusted,6,2,3,\n"
            "2,1,0.000000011,ends_here,,,,\n");
  EXPECT_EQ(faults_rows({2, 1}, some_outcome()),
            "2,1,0,1.000000000,,script,0,node,\"a,b\",crash,1,1,1,0\n"
            "2,1,1,1.400000000,7.000000000,model,2,node,c,crash,1,4,4,0\n"
            "2,1,2,2.400000000,,trace,,node,d,crash,1,1,1,0\n"
            "2,1,3,2.450000000,,model,1,node,link,crash,1,0,0,6\n");
  EXPECT_EQ(cuts_rows({2, 1}, some_outcome()),
            "2,1,3,2.450000000,3.000000000,3,2,3 5-6,1.000000000,,6,6,4,0.070000000\n"
            "2,1,3,9.000000000,3.000000000,3,2,3 5-6,1.000000000,,6,6,4,\n");
}

TEST(ReplicateFile, KeepsEverything) {
  FinishedReplicate before{some_outcome(), nanoseconds(77)};
  before.outcome.state_hash = std::numeric_limits<std::uint64_t>::max();
  FinishedReplicate after;
  const Status status = parse_replicate("x", replicate_text(before), after);
  ASSERT_TRUE(status.is_ok()) << status.message();
  const Campaign campaign = test::example_campaign(1);
  EXPECT_EQ(results_row(campaign, {0, 0}, after.outcome),
            results_row(campaign, {0, 0}, before.outcome));
  EXPECT_EQ(failures_rows({0, 0}, after.outcome), failures_rows({0, 0}, before.outcome));
  EXPECT_EQ(faults_rows({0, 0}, after.outcome), faults_rows({0, 0}, before.outcome));
  EXPECT_EQ(cuts_rows({0, 0}, after.outcome), cuts_rows({0, 0}, before.outcome));
  EXPECT_EQ(after.outcome.raw_events, before.outcome.raw_events);
  EXPECT_EQ(after.wall, before.wall);
  EXPECT_EQ(after.outcome.events, 21u);
  EXPECT_EQ(after.outcome.heartbeats_skipped, 22u);
}

TEST(ReplicateFile, RefusesWhatItHasNotWritten) {
  FinishedReplicate replicate;
  const std::string whole = replicate_text({some_outcome(), {}});
  for (const std::string& text :
       {std::string(), std::string("{}"), whole.substr(0, whole.size() / 2)})
    EXPECT_FALSE(parse_replicate("x", text, replicate).is_ok());
}

TEST(ReplicateFile, RefusesAFraction) {
  FinishedReplicate replicate;
  replicate.wall = Duration{7};
  std::string text = replicate_text(replicate);
  text.replace(text.find("\"wall_ns\":7"), 11, "\"wall_ns\":7.5");
  const Status status = parse_replicate("000001.json", text, replicate);
  EXPECT_EQ(status.message(),
            "000001.json: is not a replicate that this program has written (a number is not "
            "whole); delete it, and it is run again");
}

}  // namespace
}  // namespace holdfast::runner
