// Campaigns with made-up replicates: order of rows, refusals, errors, interrupts, kills.
#include "experiments/runner/campaign.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <sstream>

#include "experiments/runner/input_digests.hpp"
#include "experiments/runner/tables.hpp"
#include "tests/unit/runner/example_campaign.hpp"
#include "tests/unit/runner/temporary_folder.hpp"

namespace holdfast::runner {
namespace {

using test::content_of;
using test::example_campaign;
using test::example_outcome;
using test::run_example;
using test::TemporaryFolder;

namespace fs = std::filesystem;

CampaignOptions quiet(const std::string& output, bool resume = false, std::uint32_t jobs = 1) {
  CampaignOptions options;
  options.output = output;
  options.resume = resume;
  options.jobs = jobs;
  options.quiet = true;
  return options;
}

CampaignResult run(const Campaign& campaign, const CampaignOptions& options,
                   const RunReplicate& replicate = run_example) {
  const std::atomic<bool> never{false};
  return run_campaign(campaign, replicate, options, never);
}

TEST(Campaign, WritesRowsInOrderForAnyNumberOfJobs) {
  const Campaign campaign = example_campaign(7);
  std::string results = results_header(campaign);
  for (std::uint32_t point = 0; point < 3; ++point)
    for (std::uint32_t r = 0; r < 7; ++r)
      results += results_row(campaign, {point, r}, example_outcome({point, r}));
  for (const std::uint32_t jobs : {1u, 4u, 64u}) {
    const TemporaryFolder folder;
    const std::string output = folder.file("out");
    const CampaignResult result = run(campaign, quiet(output, false, jobs));
    EXPECT_EQ(result.end, CampaignEnd::complete) << result.message;
    EXPECT_EQ(content_of(output + "/results.csv"), results);
    EXPECT_EQ(content_of(output + "/resolved.json"), campaign.resolved);
    EXPECT_EQ(content_of(output + "/topology.json"), "{}\n");
    EXPECT_NE(content_of(output + "/run.json").find("\"replicates\": 21"), std::string::npos);
    EXPECT_FALSE(fs::exists(output + "/replicates"));
  }
}

TEST(Campaign, NeverOverwrites) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  CampaignOptions options = quiet("");
  const Campaign campaign = example_campaign(1);
  EXPECT_EQ(run(campaign, options).folder, "results/example");
  EXPECT_EQ(run(campaign, options).folder, "results/example-2");
  EXPECT_EQ(run(campaign, options).folder, "results/example-3");
  options.resume = true;  // the last one, which is complete
  EXPECT_EQ(run(campaign, options).folder, "results/example-3");
  const CampaignResult refused = run(campaign, quiet("results/example"));
  EXPECT_EQ(refused.end, CampaignEnd::refused);
  EXPECT_NE(refused.message.find("--resume"), std::string::npos);
  fs::current_path(before);
}

// The configuration names files and does not say what is in them.
TEST(Campaign, IsNotResumedWithOtherContentsOfItsFiles) {
  const TemporaryFolder folder;
  const std::string trace = folder.file("trace.csv");
  const auto campaign_of = [&](const std::string& text) {
    std::ofstream(trace) << text;
    Campaign campaign = example_campaign(1);
    campaign.points.front().experiment.trace.emplace();
    campaign.points.front().experiment.trace->file = trace;
    EXPECT_TRUE(digest_inputs(campaign.points, campaign.inputs).is_ok());
    return campaign;
  };
  const std::string output = folder.file("results");
  EXPECT_EQ(run(campaign_of("one\ntwo 1"), quiet(output)).end, CampaignEnd::complete);
  EXPECT_EQ(run(campaign_of("one\ntwo 1"), quiet(output, true)).end, CampaignEnd::complete);
  for (const char* other : {"one\ntwo 2", "one\ntwo 1\n", "", "One\ntwo 1"}) {
    const CampaignResult refused = run(campaign_of(other), quiet(output, true));
    EXPECT_EQ(refused.end, CampaignEnd::refused);
    EXPECT_NE(refused.message.find("trace.csv"), std::string::npos) << refused.message;
  }
  EXPECT_EQ(run(campaign_of("one\ntwo 1"), quiet(output, true)).end, CampaignEnd::complete);
}

TEST(Campaign, RefusesAFolderThatIsNotItsOwn) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("thesis.tex")) << "precious";
  EXPECT_EQ(run(example_campaign(1), quiet(folder.path())).end, CampaignEnd::refused);
  EXPECT_EQ(run(example_campaign(1), quiet(folder.path(), true)).end, CampaignEnd::refused);
  EXPECT_FALSE(fs::exists(folder.file("resolved.json")));
  EXPECT_EQ(run(example_campaign(1), quiet(folder.file("thesis.tex"))).end, CampaignEnd::refused);
}

TEST(Campaign, RefusesAFolderThatAnotherRunWritesTo) {
  const TemporaryFolder folder;
  const int other = open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const CampaignResult result = run(example_campaign(1), quiet(folder.path(), true));
  EXPECT_EQ(result.end, CampaignEnd::refused);
  EXPECT_EQ(result.message, folder.path() + ": another run is writing to it");
  close(other);
}

TEST(Campaign, AnErrorEndsItAndKeepsWhatIsFinished) {
  const TemporaryFolder folder;
  const Campaign campaign = example_campaign(3);
  const auto failing = [](Job job, ReplicateMonitor& monitor, Outcome& outcome) {
    if (job == Job{1, 1}) return Status::error("the disk is on fire");
    return run_example(job, monitor, outcome);
  };
  const CampaignResult failed = run(campaign, quiet(folder.path()), failing);
  EXPECT_EQ(failed.end, CampaignEnd::failed);
  EXPECT_EQ(failed.message, "point 1 replicate 1: the disk is on fire");
  EXPECT_FALSE(fs::exists(folder.file("run.json")));

  std::vector<Job> run_now;
  const auto noting = [&](Job job, ReplicateMonitor& monitor, Outcome& outcome) {
    run_now.push_back(job);
    return run_example(job, monitor, outcome);
  };
  EXPECT_EQ(run(campaign, quiet(folder.path(), true), noting).end, CampaignEnd::complete);
  const std::vector<Job> expected = {{1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
  EXPECT_EQ(run_now, expected);
}

TEST(Campaign, AnExceptionIsAnError) {
  const TemporaryFolder folder;
  const auto throwing = [](Job, ReplicateMonitor&, Outcome&) -> Status { throw std::bad_alloc(); };
  EXPECT_EQ(run(example_campaign(1), quiet(folder.path(), false, 2), throwing).end,
            CampaignEnd::failed);
}

TEST(Campaign, StopsWhenAskedAndResumes) {
  const TemporaryFolder folder;
  const Campaign campaign = example_campaign(3);
  std::atomic<bool> stop{false};
  const auto stopping = [&](Job job, ReplicateMonitor& monitor, Outcome& outcome) {
    if (job != Job{1, 0}) return run_example(job, monitor, outcome);
    stop = true;
    while (!monitor.stop) std::this_thread::yield();  // it is passed on to who runs
    return Status::error("stopped");
  };
  const CampaignResult stopped = run_campaign(campaign, stopping, quiet(folder.path()), stop);
  EXPECT_EQ(stopped.end, CampaignEnd::interrupted);
  EXPECT_EQ(stopped.folder, folder.path());
  EXPECT_EQ(run(campaign, quiet(folder.path(), true)).end, CampaignEnd::complete);
}

TEST(Campaign, RefusesToResumeAnotherConfiguration) {
  const TemporaryFolder folder;
  Campaign campaign = example_campaign(1);
  ASSERT_EQ(run(campaign, quiet(folder.path())).end, CampaignEnd::complete);
  campaign.resolved = "{\n  \"name\": \"other\"\n}\n";
  const CampaignResult result = run(campaign, quiet(folder.path(), true));
  EXPECT_EQ(result.end, CampaignEnd::refused);
  EXPECT_NE(result.message.find("line 2 says `\"name\": \"example\"` there and `\"name\": "
                                "\"other\"` now"),
            std::string::npos)
      << result.message;
}

// The lines of run.log that begin a job after it was finished.
std::vector<std::string> run_again(const std::string& folder) {
  std::istringstream log(content_of(folder + "/run.log"));
  std::set<std::string> finished;
  std::vector<std::string> again;
  for (std::string line; std::getline(log, line);) {
    if (line.rfind("finish ", 0) == 0) finished.insert(line.substr(7));
    if (line.rfind("begin ", 0) == 0 && finished.count(line.substr(6)) > 0) again.push_back(line);
  }
  return again;
}

TEST(Campaign, SurvivesKillsAtRandomMoments) {
  const Campaign campaign = example_campaign(10);
  const TemporaryFolder undisturbed;
  ASSERT_EQ(run(campaign, quiet(undisturbed.path(), false, 2)).end, CampaignEnd::complete);
  Random random(1, 2, 3);
  for (int trial = 0; trial < 3; ++trial) {
    const TemporaryFolder folder;
    int kills = 0;
    for (int status = 0;;) {
      const pid_t child = fork();
      if (child == 0)
        _exit(run(campaign, quiet(folder.path(), true, 2)).end != CampaignEnd::complete);
      // Later and later, so that it ends on a slow disk as well.
      usleep(static_cast<useconds_t>(random.below(20'000 + 4'000 * static_cast<unsigned>(kills))));
      kill(child, SIGKILL);
      ASSERT_EQ(waitpid(child, &status, 0), child);
      if (WIFEXITED(status)) {
        ASSERT_EQ(WEXITSTATUS(status), 0);
        break;
      }
      ++kills;
    }
    EXPECT_GT(kills, 0);
    for (const char* table : {"/results.csv", "/failures.csv"})
      EXPECT_EQ(content_of(folder.path() + table), content_of(undisturbed.path() + table));
    EXPECT_EQ(run_again(folder.path()), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace holdfast::runner
