// Real processes: this program starts itself as the processes of a job, kills some, and looks at
// what the others came to believe, not at how long it took.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/unit/hw/launched_program.hpp"

namespace holdfast::hw {
namespace {

class LaunchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "launch_test." + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

// A node as a whole, whose silence must be noticed; the agent of another, whom its node sees end.
LaunchPlan eight_processes_three_kills() {
  LaunchPlan plan = plan_of(8, "2", seconds(7));
  plan.actions = {{seconds(1), LaunchAction::crash, {2}, 10},
                  {seconds(1), LaunchAction::crash, {3}, 11},
                  {seconds(1), LaunchAction::crash, {3}, 12},
                  {milliseconds(1500), LaunchAction::crash, {6}, 13},
                  {milliseconds(4500), LaunchAction::restart, {6}, 14},
                  {milliseconds(4500), LaunchAction::restart, {0}, 15}};
  return plan;
}

void expect_killed(const ProcessLife& life) {
  EXPECT_TRUE(life.crashed.has_value());
  EXPECT_TRUE(WIFSIGNALED(life.wait_status) && WTERMSIG(life.wait_status) == SIGKILL);
}

void expect_informed(const ProcessLife& life) {
  EXPECT_FALSE(life.crashed.has_value());
  EXPECT_TRUE(WIFEXITED(life.wait_status) && WEXITSTATUS(life.wait_status) == 0);
  EXPECT_FALSE(life.killed_at_end);
  EXPECT_TRUE(believed(life, 2, 0, MemberState::failed));
  EXPECT_TRUE(believed(life, 3, 0, MemberState::failed));
  EXPECT_TRUE(believed(life, 6, 1, MemberState::alive));
  for (const std::uint32_t alive : {0u, 1u, 4u, 5u, 7u}) {
    EXPECT_FALSE(believed(life, alive, 0, MemberState::failed)) << alive;
  }
  EXPECT_NE(life.notes.find("heartbeats "), std::string::npos);
}

void flip_a_bit_in_the_middle(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(path) / 2);
  file.seekg(middle);
  const int byte = file.get();
  file.seekp(middle);
  file.put(static_cast<char>(byte ^ 4));
}

class LaunchOverEachFabric : public LaunchTest, public ::testing::WithParamInterface<JobFabric> {};

std::string name_of(const ::testing::TestParamInfo<JobFabric>& fabric) {
  constexpr std::array kNames = {"udp", "tcp", "shm"};
  return kNames[static_cast<std::size_t>(fabric.param)];
}

INSTANTIATE_TEST_SUITE_P(Fabrics, LaunchOverEachFabric,
                         ::testing::Values(JobFabric::udp, JobFabric::tcp, JobFabric::shm),
                         name_of);

TEST_P(LaunchOverEachFabric, EightProcessesLearnOfKillsAndOfTheReturn) {
  LaunchPlan plan = eight_processes_three_kills();
  plan.fabric = GetParam();
  LaunchResult result;
  const Status status = launch(plan, result);
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_FALSE(result.interrupted);
  ASSERT_EQ(result.actions.size(), 6u);
  for (const DoneAction& action : result.actions) {
    EXPECT_EQ(!action.processes.empty(), action.planned.tag != 12 && action.planned.tag != 15);
    EXPECT_GE(action.at, result.start + action.planned.at);
  }
  ASSERT_EQ(result.lives.size(), 9u);
  EXPECT_EQ(result.lives[8].process, ProcessId{6});
  EXPECT_EQ(result.lives[8].boot, 1u);
  for (std::size_t i = 0; i < result.lives.size(); ++i) {
    SCOPED_TRACE("life " + std::to_string(i));
    const ProcessLife& life = result.lives[i];
    if (i == 2 || i == 3 || i == 6) {
      expect_killed(life);
    } else {
      expect_informed(life);
      EXPECT_TRUE(i == 8 || believed(life, 6, 0, MemberState::failed));
    }
  }
  // The end of 6 is seen by its node without a timeout.
  const auto& seen = result.lives[7].events;
  const auto first = std::find_if(seen.begin(), seen.end(), [](const BeliefEvent& event) {
    return event.process == ProcessId{6} && event.state == MemberState::failed;
  });
  ASSERT_NE(first, seen.end());
  EXPECT_LT(first->at, result.actions[3].at + milliseconds(1000));
}

TEST_P(LaunchOverEachFabric, EveryRecordingReplaysAndAFlippedBitStopsIt) {
  LaunchPlan plan = plan_of(4, "2", seconds(3));
  plan.fabric = GetParam();
  plan.folder = folder_;
  plan.record = true;
  plan.actions = {{milliseconds(500), LaunchAction::crash, {2}, 0},
                  {milliseconds(2500), LaunchAction::restart, {2}, 0}};
  LaunchResult result;
  ASSERT_TRUE(launch(plan, result).is_ok());
  ASSERT_EQ(result.lives.size(), 5u);
  for (const ProcessLife& life : result.lives) {
    const std::string name = folder_ + "/process-" + std::to_string(life.process.value) + ".boot-" +
                             std::to_string(life.boot) + ".recording";
    SCOPED_TRACE(name);
    NodeReplay replay;
    const Status replayed = replay_node(name, make_program, replay);
    ASSERT_TRUE(replayed.is_ok()) << replayed.message();
    EXPECT_FALSE(replay.difference) << replay.difference->message;
    EXPECT_GE(replay.turns, 1u);
    EXPECT_EQ(replay.self, life.process);
    EXPECT_EQ(replay.boot, life.boot);
  }
  const std::string name = folder_ + "/process-0.boot-0.recording";
  flip_a_bit_in_the_middle(name);
  NodeReplay replay;
  ASSERT_TRUE(replay_node(name, make_program, replay).is_ok());
  ASSERT_TRUE(replay.difference);
  EXPECT_EQ(replay.difference->turn, replay.turns + 1);
  EXPECT_GT(replay.turns, 5u);
}

TEST_F(LaunchTest, ARecordingIsNeverOverwritten) {
  LaunchPlan plan = plan_of(2, "1", milliseconds(300));
  plan.folder = folder_;
  plan.record = true;
  const std::string name = folder_ + "/process-1.boot-0.recording";
  std::ofstream(name) << "of another job";
  LaunchResult result;
  const Status status = launch(plan, result);
  EXPECT_FALSE(status.is_ok());
  EXPECT_NE(status.message().find("cannot create " + name + ": File exists"), std::string::npos)
      << status.message();
  EXPECT_EQ(std::filesystem::file_size(name), 14u);
}

TEST_F(LaunchTest, AJobHasTheKeyThatItIsGivenAndARecordingKeepsItFromOthers) {
  LaunchPlan plan = plan_of(1, "1", milliseconds(100));
  plan.folder = folder_;
  plan.record = true;
  plan.key = JobKey{};
  plan.key->bytes.fill(std::byte{'k'});
  LaunchResult result;
  ASSERT_TRUE(launch(plan, result).is_ok());
  const std::string name = folder_ + "/process-0.boot-0.recording";
  std::ifstream file(name, std::ios::binary);
  const std::string recorded{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(recorded.find(std::string(plan.key->bytes.size(), 'k')), std::string::npos);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(name).permissions() & (perms::group_all | perms::others_all),
            perms::none);
}

TEST_F(LaunchTest, APauseShorterThanTheTimeoutIsNoDeath) {
  LaunchPlan plan = plan_of(4, "1", seconds(2));
  plan.actions = {{milliseconds(300), LaunchAction::pause, {1}, 0},
                  {milliseconds(900), LaunchAction::resume, {1}, 0}};
  LaunchResult result;
  ASSERT_TRUE(launch(plan, result).is_ok());
  ASSERT_EQ(result.lives.size(), 4u);
  for (const ProcessLife& life : result.lives) {
    for (std::uint32_t process = 0; process < 4; ++process) {
      EXPECT_FALSE(believed(life, process, 0, MemberState::failed));
    }
  }
}

TEST_F(LaunchTest, WhoSleptThroughADeathAndAReturnDoesNotJudgeTheNewLife) {
  LaunchPlan plan = plan_of(4, "2", seconds(3));
  plan.actions = {{milliseconds(500), LaunchAction::pause, {3}, 0},
                  {milliseconds(600), LaunchAction::crash, {2}, 0},
                  {milliseconds(700), LaunchAction::restart, {2}, 0},
                  {milliseconds(1500), LaunchAction::resume, {3}, 0}};
  LaunchResult result;
  ASSERT_TRUE(launch(plan, result).is_ok());
  ASSERT_EQ(result.lives.size(), 5u);
  EXPECT_TRUE(believed(result.lives[3], 2, 0, MemberState::failed));
  EXPECT_TRUE(believed(result.lives[3], 2, 1, MemberState::alive));
  for (const ProcessLife& life : result.lives) {
    EXPECT_FALSE(believed(life, 2, 1, MemberState::failed)) << life.process.value;
  }
}

TEST_F(LaunchTest, AHostDiesAndComesBackAsOne) {
  LaunchPlan plan = plan_of(4, "2", seconds(1));
  plan.host_of = {0, 1, 1, 0};
  plan.actions = {{milliseconds(200), LaunchAction::crash, {1}, 0},
                  {milliseconds(300), LaunchAction::crash, {1, LaunchTarget::Kind::host}, 1},
                  {milliseconds(400), LaunchAction::restart, {1, LaunchTarget::Kind::host}, 2}};
  LaunchResult result;
  ASSERT_TRUE(launch(plan, result).is_ok());
  ASSERT_EQ(result.actions.size(), 3u);
  EXPECT_EQ(result.actions[1].processes, std::vector<ProcessId>{{2}});
  EXPECT_EQ(result.actions[2].processes, (std::vector<ProcessId>{{1}, {2}}));
  ASSERT_EQ(result.lives.size(), 6u);
  expect_killed(result.lives[1]);
  expect_killed(result.lives[2]);
}

TEST_F(LaunchTest, AProcessThatIsStoppedAtTheEndIsEndedAllTheSame) {
  LaunchPlan plan = plan_of(2, "1", milliseconds(300));
  plan.actions = {{milliseconds(100), LaunchAction::pause, {1}, 0}};
  LaunchResult result;
  ASSERT_TRUE(launch(plan, result).is_ok());
  for (const ProcessLife& life : result.lives) {
    EXPECT_TRUE(WIFEXITED(life.wait_status));
    EXPECT_FALSE(life.killed_at_end);
  }
}

TEST_F(LaunchTest, AConfigurationThatTheProcessesRefuseIsAnError) {
  LaunchResult result;
  const Status status = launch(plan_of(3, "none", seconds(5)), result);
  ASSERT_FALSE(status.is_ok());
  EXPECT_NE(status.message().find("exit status 2"), std::string::npos) << status.message();
}

TEST_F(LaunchTest, AProgramThatIsNotThereIsAnError) {
  LaunchPlan plan = plan_of(2, "1", seconds(5));
  plan.program = "/nonexistent/program";
  LaunchResult result;
  const Status status = launch(plan, result);
  ASSERT_FALSE(status.is_ok());
  EXPECT_NE(status.message().find("exit status 127"), std::string::npos) << status.message();
}

TEST_F(LaunchTest, ASignalEndsALaunchEarlyAndInOrder) {
  LaunchPlan plan = plan_of(2, "1", seconds(600));
  plan.actions = {{milliseconds(200), LaunchAction::pause, {0}, 0}};
  const pid_t self = ::getpid();
  const pid_t helper = ::fork();
  if (helper == 0) {
    ::usleep(700'000);
    ::kill(self, SIGTERM);
    ::_exit(0);
  }
  LaunchResult result;
  // If the signal came before the launch has taken it over, this program would end: that is a
  // failure.
  const Status status = launch(plan, result);
  ::waitpid(helper, nullptr, 0);
  EXPECT_TRUE(status.is_ok()) << status.message();
  EXPECT_TRUE(result.interrupted);
  for (const ProcessLife& life : result.lives) EXPECT_FALSE(life.killed_at_end);
}

TEST_F(LaunchTest, AProcessThatEndsByItselfIsAnError) {
  LaunchPlan plan = plan_of(2, "1", seconds(600));
  plan.arguments = {"node", "die"};
  LaunchResult result;
  const Status status = launch(plan, result);
  ASSERT_FALSE(status.is_ok());
  EXPECT_NE(status.message().find("ended by itself (signal 14)"), std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace holdfast::hw
