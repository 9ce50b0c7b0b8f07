// Campaigns that end when their medians are known well enough: when that is, by counting written
// down here; that nothing but the replicates' findings decides it; kills and resuming.
#include "experiments/runner/precision.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "experiments/config/schema.hpp"
#include "experiments/runner/agenda.hpp"
#include "experiments/runner/csv_row.hpp"
#include "experiments/runner/tables.hpp"
#include "tests/unit/runner/example_campaign.hpp"
#include "tests/unit/runner/temporary_folder.hpp"

namespace holdfast::runner {
namespace {

using test::content_of;
using test::TemporaryFolder;

// One failure, detected after 0.9 to 1 s, evenly, as a ring of heartbeats does.
Duration drawn_detection(Job job) {
  Random random(job.point, 7, job.replicate);
  return milliseconds(900) + nanoseconds(static_cast<std::int64_t>(random.below(100'000'000)));
}

Outcome outcome_of(Job job) {
  Outcome outcome = test::example_outcome(job);
  outcome.failures.assign(1, {});
  outcome.failures[0].what = "node";
  outcome.failures[0].processes = 1;
  outcome.failures[0].detection = drawn_detection(job);
  outcome.failures[0].propagation = microseconds(4);
  return outcome;
}

Status run_drawn(Job job, ReplicateMonitor&, Outcome& outcome) {
  // So that replicates end in another order than they began.
  std::this_thread::sleep_for(std::chrono::microseconds(100 * ((job.replicate * 5) % 7)));
  outcome = outcome_of(job);
  return Status::ok();
}

Campaign campaign_until(std::uint32_t until_ppm, std::uint32_t least, std::uint32_t most) {
  Campaign campaign = test::example_campaign(most);
  for (CampaignPoint& point : campaign.points) {
    point.experiment.precision.emplace();
    point.experiment.precision->until_ppm = until_ppm;
    point.experiment.precision->least = least;
    point.experiment.precision->columns = {"detection_median_s", "propagation_median_s"};
  }
  return campaign;
}

CampaignResult run(const Campaign& campaign, const std::string& output, std::uint32_t jobs = 1,
                   const RunReplicate& replicate = run_drawn) {
  CampaignOptions options;
  options.output = output;
  options.resume = true;
  options.jobs = jobs;
  options.quiet = true;
  const std::atomic<bool> never{false};
  return run_campaign(campaign, replicate, options, never);
}

// Ranks by counting heads in long double, in other code than the product's.
std::size_t rank_of(std::size_t count) {
  long double term = std::exp2l(-static_cast<long double>(count));
  long double at_most = 0;
  std::size_t rank = 0;
  for (; rank < count / 2; ++rank) {
    at_most += term;
    if (2 * at_most > 0.05L) break;
    term *= static_cast<long double>(count - rank) / static_cast<long double>(rank + 1);
  }
  return rank;
}

// What a point should take: looks after 20 and then whenever there are a quarter more.
std::uint32_t expected_count(std::uint32_t point, long double share) {
  for (std::uint32_t count = 20;; count += count / 4) {
    std::vector<std::int64_t> values;
    for (std::uint32_t r = 0; r < count; ++r) values.push_back(drawn_detection({point, r}).ns);
    std::sort(values.begin(), values.end());
    const std::size_t rank = rank_of(count);
    const std::int64_t width = values[count - rank] - values[rank - 1];
    const std::int64_t twice_median = values[(count - 1) / 2] + values[count / 2];
    if (2 * static_cast<long double>(width) <= share * static_cast<long double>(twice_median))
      return count;
  }
}

std::vector<std::size_t> counts(const std::string& folder, std::size_t points = 3) {
  std::istringstream rows(content_of(folder + "/results.csv"));
  std::vector<std::size_t> found(points);
  std::string row;
  std::getline(rows, row);
  while (std::getline(rows, row)) ++found.at(std::stoul(split_csv_row(row)[0]));
  return found;
}

TEST(Precision, StopsWhenTheIntervalIsThatNarrow) {
  const Campaign campaign = campaign_until(20'000, 20, 10'000);
  Agenda agenda(campaign);
  while (const std::optional<Job> job = agenda.begin()) agenda.finish(*job, outcome_of(*job));
  EXPECT_TRUE(agenda.complete());
  for (std::uint32_t point = 0; point < 3; ++point) {
    EXPECT_EQ(agenda.wanted(point), expected_count(point, 0.02L));
    // Evenly spread over w, the interval of n is 1.96 w / sqrt(n) wide: 2 % of 0.95 s at n = 106.
    EXPECT_GT(agenda.wanted(point), 106 / 2.5);
    EXPECT_LT(agenda.wanted(point), 106 * 2.5);
  }
}

// The price of looking more than once: of the intervals that it stops with, somewhat fewer than
// 95 % hold the median. Of 2,000 points 92.1 % did.
TEST(Precision, TheIntervalThatItStopsWithHoldsTheMedian) {
  constexpr std::uint32_t kPoints = 2'000;
  PrecisionConfig precision;
  precision.columns = {"detection_median_s"};
  int held = 0;
  for (std::uint32_t point = 0; point < kPoints; ++point) {
    std::vector<Measured> measured;
    const auto draw = [&] {
      const auto r = static_cast<std::uint32_t>(measured.size());
      measured.push_back({drawn_detection({point, r}).ns});
    };
    while (measured.size() < precision.least) draw();
    while (!narrowness(measured, precision).enough)
      for (std::size_t more = measured.size() / 4; more > 0; --more) draw();
    std::sort(measured.begin(), measured.end());
    const std::size_t rank = rank_of(measured.size());
    held +=
        measured[rank - 1][0] <= 950'000'000 && 950'000'000 <= measured[measured.size() - rank][0];
  }
  EXPECT_GT(held, 0.91 * kPoints);
  EXPECT_LT(held, 0.99 * kPoints);
  RecordProperty("held", held);
}

TEST(Precision, WhatIsRunDependsOnWhatIsFoundAlone) {
  const Campaign campaign = campaign_until(40'000, 20, 10'000);
  const TemporaryFolder alone;
  ASSERT_EQ(run(campaign, alone.path(), 1).end, CampaignEnd::complete);
  for (const std::uint32_t jobs : {2u, 7u}) {
    const TemporaryFolder folder;
    std::mutex mutex;
    std::set<std::pair<std::uint32_t, std::uint32_t>> begun;
    const auto noting = [&](Job job, ReplicateMonitor& monitor, Outcome& outcome) {
      {
        const std::lock_guard lock(mutex);
        EXPECT_TRUE(begun.emplace(job.point, job.replicate).second);
      }
      return run_drawn(job, monitor, outcome);
    };
    ASSERT_EQ(run(campaign, folder.path(), jobs, noting).end, CampaignEnd::complete);
    for (const char* table : {"/results.csv", "/failures.csv"})
      EXPECT_EQ(content_of(folder.path() + table), content_of(alone.path() + table)) << jobs;
    std::size_t rows = 0;
    for (const std::size_t count : counts(folder.path())) rows += count;
    EXPECT_EQ(begun.size(), rows) << "replicates were run that are in no table";
  }
}

TEST(Precision, SurvivesKills) {
  const Campaign campaign = campaign_until(50'000, 10, 10'000);
  const TemporaryFolder undisturbed;
  ASSERT_EQ(run(campaign, undisturbed.path()).end, CampaignEnd::complete);
  const TemporaryFolder folder;
  Random random(1, 2, 4);
  int kills = 0;
  for (int status = 0;; ++kills) {
    const pid_t child = fork();
    if (child == 0) _exit(run(campaign, folder.path(), 2).end != CampaignEnd::complete);
    usleep(static_cast<useconds_t>(random.below(20'000 + 8'000 * static_cast<unsigned>(kills))));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      break;
    }
  }
  EXPECT_GT(kills, 0);
  EXPECT_EQ(content_of(folder.path() + "/results.csv"),
            content_of(undisturbed.path() + "/results.csv"));
  std::istringstream log(content_of(folder.path() + "/run.log"));
  std::set<std::string> finished;
  for (std::string line; std::getline(log, line);) {
    if (line.rfind("begin ", 0) == 0) {
      EXPECT_EQ(finished.count(line.substr(6)), 0u) << line;
    }
    if (line.rfind("finish ", 0) == 0) finished.insert(line.substr(7));
  }
}

// Of three columns' digits: the interval of 6 samples is the first to the last of them.
Narrowness six(std::int64_t low, std::int64_t middle, std::int64_t high, std::uint32_t ppm) {
  PrecisionConfig precision;
  precision.until_ppm = ppm;
  precision.columns = {"notices"};
  return narrowness({{low}, {middle}, {middle}, {middle}, {middle}, {high}}, precision);
}

TEST(Precision, IsExactAtItsLimit) {
  // From 99 to 101 is 2 % of 100, and a digit more is not.
  EXPECT_TRUE(six(99'000'000, 100'000'000, 101'000'000, 20'000).enough);
  EXPECT_FALSE(six(99'000'000, 100'000'000, 101'000'001, 20'000).enough);
  EXPECT_FALSE(six(99'000'000, 100'000'000, 101'000'000, 19'999).enough);
  EXPECT_DOUBLE_EQ(six(99, 100, 101, 20'000).share.value(), 0.02);
}

TEST(Precision, KnowsNeverAndNothing) {
  EXPECT_TRUE(six(kNever, kNever, kNever, 1).enough);  // surely never
  EXPECT_FALSE(six(1, 1, kNever, 1'000'000).enough);   // has no end
  EXPECT_FALSE(six(1, 1, kNever, 1'000'000).share.has_value());
  EXPECT_TRUE(six(0, 0, 0, 1).enough);           // always nothing
  EXPECT_FALSE(six(0, 0, 1, 1'000'000).enough);  // a share of nothing is none
  PrecisionConfig precision;
  precision.columns = {"a", "b"};
  const std::vector<Measured> five(5, {1, 1});
  EXPECT_FALSE(narrowness(five, precision).enough);
  std::vector<Measured> all(6, {100, 100});
  all[0] = {100, 90};
  EXPECT_EQ(narrowness(all, precision).column, 1u);
  EXPECT_FALSE(narrowness(all, precision).enough);
}

TEST(Precision, EndsAtItsMostAndNoLater) {
  const TemporaryFolder folder;
  ASSERT_EQ(run(campaign_until(1, 6, 11), folder.path(), 2).end, CampaignEnd::complete);
  EXPECT_EQ(counts(folder.path()), (std::vector<std::size_t>{11, 11, 11}));
}

TEST(Precision, TellsHowFarItIs) {
  const Campaign campaign = campaign_until(10'000, 20, 1000);
  Agenda agenda(campaign);
  EXPECT_EQ(agenda.expected(), 60u);
  EXPECT_FALSE(agenda.least_known().has_value());
  for (int i = 0; i < 20; ++i) {
    const Job job = agenda.begin().value();
    EXPECT_EQ(job, (Job{0, static_cast<std::uint32_t>(i)}));
    agenda.finish(job, outcome_of(job));
  }
  EXPECT_EQ(agenda.wanted(0), 25u);
  EXPECT_EQ(agenda.least_known(), 0u);
  const double share = agenda.known(0)->share.value();
  EXPECT_EQ(agenda.expected(), 40u + static_cast<std::size_t>(20 * share * share * 1e4));
  EXPECT_EQ(narrowness_text({0, 0.041, false}, *campaign.points[0].experiment.precision),
            "4.1 % (1 % wanted)");
}

// The schema names the columns that may be asked for; the tables have them.
TEST(Precision, ColumnsAreInTheTable) {
  Campaign campaign = test::example_campaign(1);
  std::set<std::string> columns;
  for (const std::string& name : split_csv_row(results_header(campaign))) columns.insert(name);
  const config::Node& words = *config::schema_at({"replicates", "of", "0"})->find("enum");
  EXPECT_GT(words.items.size(), 20u);
  for (const config::Node& word : words.items) EXPECT_EQ(columns.count(word.text), 1u) << word.text;
}

TEST(CsvRow, IsTheWayBackFromACell) {
  const std::vector<std::string> cells = {"", "a,b", "say \"no\"", "line\nbreak", "", "1.5", ""};
  std::string row;
  for (const std::string& cell : cells) row += (row.empty() ? "," : ",") + csv_cell(cell);
  EXPECT_EQ(split_csv_row(row.substr(1) + "\n"), cells);
}

}  // namespace
}  // namespace holdfast::runner
