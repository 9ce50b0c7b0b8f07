// Groups of processes that do nothing but wait for a signal.
#include "hw/inject/process_groups.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::hw {
namespace {

pid_t start_in(ProcessGroups& groups, std::uint32_t host) {
  const pid_t group = groups.group(host);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::alarm(20);  // if the test forgets it
    while (true) ::pause();
  }
  ::setpgid(pid, group);
  groups.joined(host, pid);
  return pid;
}

// Waits for its next stop or end; 0: it goes on without.
int signal_of(pid_t pid) {
  for (int tries = 0; tries < 500; ++tries) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG | WUNTRACED) == pid)
      return WIFSTOPPED(status) ? WSTOPSIG(status) : WTERMSIG(status);
    ::usleep(1000);
  }
  return 0;
}

TEST(ProcessGroups, ASignalReachesAllOfAHostAndNobodyElse) {
  ProcessGroups groups(2);
  EXPECT_FALSE(groups.signal(0, SIGKILL));
  const pid_t first = start_in(groups, 0);
  const pid_t second = start_in(groups, 0);
  const pid_t elsewhere = start_in(groups, 1);
  EXPECT_TRUE(groups.signal(0, SIGSTOP));
  EXPECT_EQ(signal_of(first), SIGSTOP);
  EXPECT_EQ(signal_of(second), SIGSTOP);
  EXPECT_TRUE(groups.signal(0, SIGKILL));
  EXPECT_EQ(signal_of(first), SIGKILL);
  EXPECT_EQ(signal_of(second), SIGKILL);
  ::kill(elsewhere, SIGTERM);
  EXPECT_EQ(signal_of(elsewhere), SIGTERM);
}

// A host whose first process is dead and reaped goes on under that number; one of which nothing is
// left begins anew.
TEST(ProcessGroups, OutliveTheirFirstProcessAndNotTheirLast) {
  ProcessGroups groups(1);
  const pid_t first = start_in(groups, 0);
  const pid_t second = start_in(groups, 0);
  ::kill(first, SIGKILL);
  EXPECT_EQ(signal_of(first), SIGKILL);
  groups.reaped(0);
  const pid_t third = start_in(groups, 0);
  EXPECT_EQ(::getpgid(third), first);
  EXPECT_TRUE(groups.signal(0, SIGKILL));
  EXPECT_EQ(signal_of(second), SIGKILL);
  EXPECT_EQ(signal_of(third), SIGKILL);
  groups.reaped(0);
  groups.reaped(0);
  EXPECT_EQ(groups.group(0), 0);
  EXPECT_FALSE(groups.signal(0, SIGKILL));
}

}  // namespace
}  // namespace holdfast::hw
