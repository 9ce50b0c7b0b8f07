// No process outlives a launcher that is killed, whatever state it is in.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "hw/watch/watch_fabric.hpp"

namespace holdfast::hw {
namespace {

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
  std::unique_ptr<WatchFabric> watch;
  ASSERT_TRUE(WatchFabric::open(4, watch).is_ok());
  for (const ProcessIdentity& process : processes) {
    ASSERT_NE(watch->attach(to_address(process), Service::watch), kNoPeer);
  }
  std::size_t ended = 0;
  std::array<Event, 4> events;
  for (int attempt = 0; attempt < 1000 && ended < 4; ++attempt) {
    ended += watch->poll(events);
    ::usleep(10'000);
  }
  EXPECT_EQ(ended, 4u);
  std::fclose(lines);
}

TEST(LauncherDeath, NoStoppedProcessOutlivesALauncherThatIsKilled) {
  expect_end_with_launcher("print", [](const std::array<ProcessIdentity, 4>& processes) {
    return std::any_of(processes.begin(), processes.end(), stopped);
  });
}

TEST(LauncherDeath, NoHangingProcessOutlivesALauncherThatIsKilled) {
  expect_end_with_launcher("hang", [](const std::array<ProcessIdentity, 4>&) { return true; });
}

}  // namespace
}  // namespace holdfast::hw
