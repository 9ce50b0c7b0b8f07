// What is particular to watching real processes: identities, and numbers that the kernel gives
// again.
#include "hw/watch/watch_fabric.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace holdfast::hw {
namespace {

pid_t sleeping_child() {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) ::pause();
}

TEST(WatchFabric, ANumberThatBelongsToAnotherProcessNowIsAnEnd) {
  const pid_t child = sleeping_child();
  ProcessIdentity identity = identify(child).value();
  identity.start_ticks -= 1;
  WatchFabric fabric(2);
  const Peer peer = fabric.attach(to_address(identity), Service::watch);
  ASSERT_NE(peer, kNoPeer);
  std::array<Event, 2> events;
  ASSERT_EQ(fabric.poll(events), 1u);
  EXPECT_EQ(events[0].kind, EventKind::peer_down);
  EXPECT_EQ(events[0].peer, peer);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(WatchFabric, AnEndFoundByAttachIsNotToldAfterDetach) {
  ProcessIdentity nobody = identify(::getpid()).value();
  nobody.start_ticks += 1;
  WatchFabric fabric(1);
  std::array<Event, 2> events;
  const Peer peer = fabric.attach(to_address(nobody), Service::watch);
  ASSERT_NE(peer, kNoPeer);
  fabric.detach(peer);
  EXPECT_EQ(fabric.poll(events), 0u);
  EXPECT_NE(fabric.attach(to_address(nobody), Service::watch), kNoPeer);
  EXPECT_EQ(fabric.poll(events), 1u);
}

TEST(WatchFabric, AProcessThatNobodyHasWaitedForHasEnded) {
  const pid_t child = sleeping_child();
  const Address address = to_address(identify(child).value());
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  WatchFabric fabric(2);
  ASSERT_NE(fabric.attach(address, Service::watch), kNoPeer);
  std::array<Event, 2> events;
  EXPECT_EQ(fabric.poll(events), 1u);
  ::waitpid(child, nullptr, 0);
}

TEST(WatchFabric, AnIdentityIsPidAndStartTime) {
  const ProcessIdentity self = identify(::getpid()).value();
  EXPECT_EQ(self.pid, ::getpid());
  EXPECT_GT(self.start_ticks, 0u);
  EXPECT_EQ(to_process_identity(to_address(self)), self);
  EXPECT_EQ(to_process_identity(WatchFabric(1).local_address()), self);
}

TEST(WatchFabric, AProgramNameWithBracketsAndSpacesIsUnderstood) {
  std::array<char, 16> name{};
  ::prctl(PR_GET_NAME, name.data());
  const ProcessIdentity before = identify(::getpid()).value();
  ::prctl(PR_SET_NAME, "a) R 1 2 (b");
  const auto after = identify(::getpid());
  ::prctl(PR_SET_NAME, name.data());
  EXPECT_EQ(after, before);
}

TEST(WatchFabric, ManyEndsComeInPortionsEachOnce) {
  constexpr std::size_t kChildren = 5;
  WatchFabric fabric(kChildren);
  std::array<pid_t, kChildren> children;
  for (pid_t& child : children) {
    child = sleeping_child();
    ASSERT_NE(fabric.attach(to_address(identify(child).value()), Service::watch), kNoPeer);
  }
  EXPECT_EQ(fabric.attach(fabric.local_address(), Service::watch), kNoPeer);
  for (const pid_t child : children) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  std::array<Event, 2> events;
  EXPECT_EQ(fabric.poll(events), 2u);
  EXPECT_EQ(fabric.poll(events), 2u);
  EXPECT_EQ(fabric.poll(events), 1u);
  EXPECT_EQ(fabric.poll(events), 0u);
}

}  // namespace
}  // namespace holdfast::hw
