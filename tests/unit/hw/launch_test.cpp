// Real processes: this program starts itself as the processes of a job, kills some, and looks at
// what the others came to believe, not at how long it took.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "hw/launch/launcher.hpp"
#include "hw/launch/node.hpp"
#include "hw/launch/reserved_port.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "hw/watch/watch_fabric.hpp"

namespace holdfast::hw {
namespace {

// The whole "experiment": how many processes a node has. Periods are long for a busy machine.
class TestProgram final : public NodeProgram {
 public:
  TestProgram(const NodeStart& start, std::uint32_t per_node)
      : roster_({.nodes = start.processes / per_node, .per_node = per_node}),
        engine_(options(start), roster_, start.addresses, start.rails, scratch_) {}

  Engine& engine() override { return engine_; }
  std::string notes() override {
    return "heartbeats " + std::to_string(engine_.membership().counts().heartbeats) + "\n";
  }

 private:
  static EngineOptions options(const NodeStart& start) {
    EngineOptions options;
    options.membership.self = start.self;
    options.membership.incarnation = start.incarnation();
    options.membership.rejoining = start.rejoining();
    options.membership.detection.period = milliseconds(50);
    options.membership.detection.timeout = milliseconds(1500);
    options.job = start.job;
    options.key = start.key;
    options.seal = "siphash128";
    options.receive_slots = 8;
    return options;
  }

  TurnScratch scratch_;
  Roster roster_;
  Engine engine_;
};

Status make_program(const NodeStart& start, std::unique_ptr<NodeProgram>& program) {
  const int per_node = std::atoi(std::string(start.configuration).c_str());
  if (per_node < 1) return Status::error("per_node: expected a whole number of at least 1");
  program = std::make_unique<TestProgram>(start, static_cast<std::uint32_t>(per_node));
  return Status::ok();
}

LaunchPlan plan_of(std::uint32_t processes, const std::string& per_node, Duration duration) {
  LaunchPlan plan;
  plan.program = "/proc/self/exe";
  plan.arguments = {"node"};
  plan.configuration = per_node;
  plan.processes = processes;
  plan.duration = duration;
  return plan;
}

// Whether this life came to believe that life of `process` failed, or alive.
bool believed(const ProcessLife& life, std::uint32_t process, std::uint32_t boot,
              MemberState state) {
  return std::any_of(life.events.begin(), life.events.end(), [&](const BeliefEvent& event) {
    return event.process.value == process && event.incarnation.value >> 16 == boot &&
           event.state == state;
  });
}

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

TEST_F(LaunchTest, EightProcessesLearnOfKillsAndOfTheReturn) {
  LaunchResult result;
  const Status status = launch(eight_processes_three_kills(), result);
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_FALSE(result.interrupted);
  ASSERT_EQ(result.actions.size(), 6u);
  for (const DoneAction& action : result.actions) {
    EXPECT_EQ(action.done, action.planned.tag != 12 && action.planned.tag != 15);
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

TEST_F(LaunchTest, EveryRecordingReplaysAndAFlippedBitStopsIt) {
  LaunchPlan plan = plan_of(4, "2", seconds(3));
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

bool stopped(const ProcessIdentity& process) {
  std::ifstream file("/proc/" + std::to_string(process.pid) + "/stat");
  std::string line;
  std::getline(file, line);
  return line.find(") T ") != std::string::npos;
}

// Starts a launcher of four processes, which print their numbers, waits until `worth_killing` of
// them, kills it, and waits for their end.
void expect_end_with_launcher(const char* mode,
                              bool (*worth_killing)(const std::array<ProcessIdentity, 4>&)) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    ::dup2(ends[1], 1);
    ::execl("/proc/self/exe", "launch_test", "launch", mode, nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  FILE* lines = ::fdopen(ends[0], "r");
  std::array<ProcessIdentity, 4> processes;
  for (ProcessIdentity& process : processes) {
    int pid = 0;
    ASSERT_EQ(std::fscanf(lines, "%d", &pid), 1);
    process = identify(pid).value();
  }
  for (int attempt = 0; attempt < 1000 && !worth_killing(processes); ++attempt) ::usleep(10'000);
  EXPECT_TRUE(worth_killing(processes));
  ::kill(launcher, SIGKILL);
  ::waitpid(launcher, nullptr, 0);
  WatchFabric watch(4);
  for (const ProcessIdentity& process : processes) {
    ASSERT_NE(watch.attach(to_address(process), Service::watch), kNoPeer);
  }
  std::size_t ended = 0;
  std::array<Event, 4> events;
  for (int attempt = 0; attempt < 1000 && ended < 4; ++attempt) {
    ended += watch.poll(events);
    ::usleep(10'000);
  }
  EXPECT_EQ(ended, 4u);
  std::fclose(lines);
}

TEST_F(LaunchTest, NoStoppedProcessOutlivesALauncherThatIsKilled) {
  expect_end_with_launcher("print", [](const std::array<ProcessIdentity, 4>& processes) {
    return std::any_of(processes.begin(), processes.end(), stopped);
  });
}

TEST_F(LaunchTest, NoHangingProcessOutlivesALauncherThatIsKilled) {
  expect_end_with_launcher("hang", [](const std::array<ProcessIdentity, 4>&) { return true; });
}

TEST_F(LaunchTest, AReservedPortStaysUsableAndHearsNothing) {
  ReservedPort reserved;
  ASSERT_TRUE(reserved.reserve().is_ok());
  UdpOptions options;
  options.local.port = reserved.port();
  options.share_port = true;
  // A connected socket learns from ICMP whether anyone is at the port.
  const Descriptor probe(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(reserved.port());
  ASSERT_EQ(::connect(probe.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  for (int life = 0; life < 3; ++life) {
    std::byte frame{1};
    {
      std::unique_ptr<UdpFabric> process;
      const Status status = UdpFabric::open(options, process);
      ASSERT_TRUE(status.is_ok()) << status.message();
      std::byte memory{};
      const ReceiveSlot slot{{}, &memory, 1, 0};
      ASSERT_EQ(process->offer({&slot, 1}), 1u);
      ASSERT_EQ(::send(probe.get(), &frame, 1, 0), 1);
      pollfd waiting{process->arm().descriptor, POLLIN, 0};
      if (waiting.fd >= 0) ::poll(&waiting, 1, 5000);
      Event event;
      EXPECT_EQ(process->poll({&event, 1}), 1u);
    }
    ASSERT_EQ(::send(probe.get(), &frame, 1, 0), 1);
    pollfd waiting{probe.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 5000), 1) << "somebody has taken a frame for the dead";
    EXPECT_LT(::recv(probe.get(), &frame, 1, MSG_DONTWAIT), 0);
    EXPECT_EQ(errno, ECONNREFUSED);
  }
}

// For the tests of a launcher that is killed.
int launch_until_killed(const std::string& mode) {
  LaunchPlan plan = plan_of(4, "1", seconds(600));
  plan.arguments = {"node", mode};
  plan.actions = {{milliseconds(100), LaunchAction::pause, {1}, 0}};
  LaunchResult result;
  return launch(plan, result).is_ok() ? 0 : 1;
}

// Of a process that this program starts as one of a job.
int run_node(const std::string& mode) {
  if (!mode.empty()) {
    std::printf("%d\n", static_cast<int>(::getpid()));
    std::fflush(stdout);
  }
  while (mode == "hang") ::pause();
  return node_main(make_program);
}

}  // namespace
}  // namespace holdfast::hw

int main(int count, char** arguments) {
  const std::string role = count > 1 ? arguments[1] : "";
  const std::string mode = count > 2 ? arguments[2] : "";
  if (role == "node") return holdfast::hw::run_node(mode);
  if (role == "launch") return holdfast::hw::launch_until_killed(mode);
  ::testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
