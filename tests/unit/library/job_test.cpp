// Jobs of real processes through the public interface: who hears what, how a job begins and ends,
// what the launcher makes of it.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/unit/library/launched_job.hpp"

namespace holdfast::hw {
namespace {

TEST(Job, AllHearOfAKillOnTheirMachine) {
  const Done done = run(plan_of("one_dies", 4, 4));
  EXPECT_TRUE(done.status.is_ok()) << done.status.message();
  EXPECT_EQ(done.exit_statuses, (std::vector<int>{0, 137, 0, 0}));
}

TEST(Job, AllHearOfAKillOnAnotherMachineByHeartbeats) {
  const Done done = run(plan_of("one_dies", 4, 1));
  EXPECT_TRUE(done.status.is_ok()) << done.status.message();
  EXPECT_EQ(done.exit_statuses, (std::vector<int>{0, 137, 0, 0}));
}

TEST(Job, WhoLeavesIsNotBelievedDead) {
  for (const std::uint32_t per_node : {4u, 2u, 1u}) {
    const Done done = run(plan_of("leave_in_turn", 4, per_node));
    EXPECT_TRUE(done.status.is_ok()) << done.status.message();
    EXPECT_EQ(done.exit_statuses, std::vector<int>(4, 0)) << per_node;
  }
}

TEST(Job, AVerdictMakesTheDescriptorReadable) {
  const Done done = run(plan_of("by_descriptor", 3, 3));
  EXPECT_EQ(done.exit_statuses, (std::vector<int>{137, 0, 0}));
}

TEST(Job, OnlyTheLatestVerdictOnAProcessWaits) {
  const Done done = run(plan_of("come_back", 3, 1));
  EXPECT_EQ(done.exit_statuses, std::vector<int>(3, 0));
}

TEST(Job, WhoLeavesWithoutPatienceIsToldSoAndHeardLater) {
  const Done done = run(plan_of("leave_unheard", 2, 1));
  EXPECT_EQ(done.exit_statuses, std::vector<int>(2, 0));
}

TEST(Job, MayBeAStaticObject) {
  const Done done = run(plan_of("leave_at_the_end", 2, 1));
  EXPECT_EQ(done.exit_statuses, std::vector<int>(2, 0));
}

TEST(Job, ADeadlineThatHasPassedIsNotWaitedFor) {
  const Done done = run(plan_of("look_too_late", 1, 1));
  EXPECT_EQ(done.exit_statuses, std::vector<int>{0});
}

TEST(Job, SignalsAreTheProgramsOwn) {
  const Done done = run(plan_of("block_a_signal", 2, 2));
  EXPECT_EQ(done.exit_statuses, std::vector<int>(2, 0));
}

TEST(Job, WhatAProcessStartsHasNoPartInIt) {
  const Done done = run(plan_of("start_another", 2, 2));
  EXPECT_EQ(done.exit_statuses, std::vector<int>(2, 0));
}

TEST(Job, ManyThreadsMayAskAtOnce) {
  const Done done = run(plan_of("many_threads", 6, 6));
  EXPECT_EQ(done.exit_statuses, (std::vector<int>{0, 137, 0, 137, 0, 137}));
}

TEST(Job, AProcessJoinsOnce) {
  const Done done = run(plan_of("join_twice", 2, 2));
  EXPECT_EQ(done.exit_statuses, std::vector<int>(2, 0));
}

TEST(Job, WhoEndsWithoutLeavingHasNotEndedWell) {
  const Done done = run(plan_of("end_without_leaving", 2, 2));
  EXPECT_TRUE(done.status.is_ok());
  EXPECT_EQ(done.exit_statuses, std::vector<int>(2, 1));
}

TEST(Job, ProgramsThatNeverJoinAreRunAsTheyAre) {
  const Done done = run(plan_of("no_member", 3, 3));
  EXPECT_TRUE(done.status.is_ok());
  EXPECT_EQ(done.exit_statuses, std::vector<int>(3, 0));
}

// The same command in every process, in a shell of its own; the first to come does `first`. The
// shell of a member that is killed lives on until another member has ended.
ProgramPlan with_a_shell(const std::string& first, const char* others) {
  const std::string mark = ::testing::TempDir() + "job_test." + std::to_string(::getpid());
  const std::string over = mark + ".over";
  std::filesystem::remove(mark);
  std::filesystem::remove(over);
  ProgramPlan plan = plan_of(others, 3, 3);
  const std::string member = plan.path + " member " + others;
  plan.path = "/bin/sh";
  plan.arguments = {"-c", "if mkdir " + mark + " 2>/dev/null; then " + first + "; fi; " + member +
                              "; status=$?; if [ $status -ge 128 ]; then while [ ! -e " + over +
                              " ]; do sleep 0.05; done; else touch " + over + "; fi; exit $status"};
  return plan;
}

TEST(Job, AShellInBetweenHidesNoDeath) {
  const Done done = run(with_a_shell("true", "one_dies"));
  EXPECT_EQ(done.exit_statuses, (std::vector<int>{0, 137, 0}));
}

TEST(Job, CannotBeginWithoutOneWhoEndsBeforeJoining) {
  const Done done = run(with_a_shell("exit 5", "one_dies"));
  EXPECT_NE(done.status.message().find("ended without joining"), std::string::npos)
      << done.status.message();
  EXPECT_EQ(done.result.ends.size(), 3u);
}

TEST(Job, WhoWaitsInVainSaysSoAndTheJobEnds) {
  const Done done = run(with_a_shell("exec sleep 60", "give_up"));
  EXPECT_NE(done.status.message().find("not joined yet:"), std::string::npos)
      << done.status.message();
  EXPECT_EQ(done.result.ends.size(), 3u);
}

// A job whose processes heed nothing but SIGKILL; the launcher is a child of the test.
class Outlive : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(output_), 0);
    launcher_ = ::fork();
    if (launcher_ != 0) {
      ::close(output_[1]);
      return;
    }
    ::dup2(output_[1], STDOUT_FILENO);
    ::close(output_[0]);
    ::close(output_[1]);
    ProgramPlan plan = plan_of("hang", 3, 3);
    const std::string member = plan.path + " member hang";
    plan.path = "/bin/sh";
    plan.arguments = {"-c", member + "; exit $?"};  // a shell, which dies before its child
    ProgramsResult result;
    const Status status = run_programs(
        plan, [](const ProgramEnd&) {}, result);
    ::_exit(status.is_ok() && result.ends.size() == 3 ? result.signal : 99);
  }
  // Until every process has said its number, and until nobody has the pipe any more.
  std::vector<int> numbers() {
    std::string text;
    while (std::count(text.begin(), text.end(), '\n') < 3 && read_more(text)) {
    }
    std::vector<int> found;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      found.push_back(std::stoi(text.substr(at)));
    return found;
  }
  bool read_more(std::string& text) {
    pollfd waiting{output_[0], POLLIN, 0};
    if (::poll(&waiting, 1, 10'000) <= 0) {
      ADD_FAILURE() << "somebody lives, but says nothing";
      return false;
    }
    char part[64];
    const ssize_t got = ::read(output_[0], part, sizeof part);
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
    return got > 0;
  }

  int output_[2]{};
  pid_t launcher_ = 0;
};

TEST_P(Outlive, NoProcessDoes) {
  const std::vector<int> members = numbers();
  ASSERT_EQ(members.size(), 3u);
  ASSERT_EQ(::kill(launcher_, GetParam()), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(launcher_, &status, 0), launcher_);
  if (GetParam() != SIGKILL) {
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), GetParam());
  }
  std::string rest;
  while (read_more(rest)) {  // ends with the last process that has the other end
  }
  ::close(output_[0]);
}

INSTANTIATE_TEST_SUITE_P(Signals, Outlive, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL));

}  // namespace
}  // namespace holdfast::hw
