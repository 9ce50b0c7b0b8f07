// Raw events: what the judge was told, once each, and where the limit ends them.
#include "experiments/runner/event_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/runner/judge.hpp"
#include "experiments/runner/tables.hpp"
#include "tests/unit/runner/judged.hpp"

namespace holdfast::runner {
namespace {

std::string rows_of(EventLog& events) {
  Outcome outcome;
  outcome.raw_events = events.take();
  return events_rows({1, 2}, outcome);
}

TEST(EventLog, HasWhatHappenedAndEachChangeOfBeliefOnce) {
  EventLog events({.replicates = 1}, 0);
  Judge judge(6, &events);
  judge.believe(at(1), {4}, {5}, kFirst, true);  // a mistake
  judge.believe(at(2), {4}, {5}, Incarnation{1}, false);
  judge.crash(at(10), "node", "a", ids({0, 1, 3}));
  judge.crash(at(11), "node", "a", ids({0, 1}));  // down already
  for (const std::uint32_t subject : {0u, 1u, 3u})
    judge.believe(at(20), {2}, {subject}, kFirst, true);
  judge.believe(at(21), {2}, {0}, kFirst, true);  // said twice
  judge.believe(at(22), {0}, {1}, kFirst, true);  // by the dead
  judge.believe(at(23), {4}, {0}, kFirst, true);
  judge.believe(at(24), {4}, {1}, kFirst, true);
  judge.repair(at(30), ids({0}), kSecond);
  judge.believe(at(31), {2}, {0}, kSecond, false);
  judge.believe(at(32), {5}, {0}, kSecond, false);  // never believed otherwise
  EXPECT_EQ(rows_of(events),
            "1,2,0.001000000,failed,4,5,0,\n"
            "1,2,0.002000000,alive,4,5,1,\n"
            "1,2,0.010000000,crash,,0-1,0,0\n"
            "1,2,0.010000000,crash,,3,0,0\n"
            "1,2,0.020000000,failed,2,0-1,0,0\n"
            "1,2,0.020000000,failed,2,3,0,0\n"
            "1,2,0.023000000,failed,4,0,0,0\n"
            "1,2,0.024000000,failed,4,1,0,0\n"
            "1,2,0.030000000,repair,,0,65536,0\n"
            "1,2,0.031000000,alive,2,0,65536,0\n");
  const std::string header = events_header();
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), 7);
}

TEST(EventLog, SaysWhereItsLimitIs) {
  EventLog events({.replicates = 1, .rows = 2}, 0);
  Judge judge(6, &events);
  judge.crash(at(10), "node", "a", ids({0, 1}));
  judge.believe(at(20), {2}, {0}, kFirst, true);
  judge.believe(at(20), {2}, {1}, kFirst, true);  // one row with the one before
  EXPECT_EQ(rows_of(events),
            "1,2,0.010000000,crash,,0-1,0,0\n"
            "1,2,0.020000000,failed,2,0-1,0,0\n");
  EventLog shorter({.replicates = 1, .rows = 1}, 0);
  Judge other(6, &shorter);
  other.crash(at(10), "node", "a", ids({0, 1}));
  for (const std::uint32_t observer : {2u, 3u, 4u})
    other.believe(at(20 + observer), {observer}, {0}, kFirst, true);
  EXPECT_EQ(rows_of(shorter),
            "1,2,0.010000000,crash,,0-1,0,0\n"
            "1,2,0.022000000,ends_here,,,,\n");
}

TEST(EventLog, IsEmptyUnlessAskedFor) {
  for (const std::uint32_t replicate : {3u, 4u}) {
    EventLog events({.replicates = 3}, replicate);
    Judge judge(4, &events);
    judge.crash(at(10), "process", "0", ids({0}));
    EXPECT_EQ(rows_of(events), "");
  }
}

}  // namespace
}  // namespace holdfast::runner
