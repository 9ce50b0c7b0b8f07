// What is particular to watching real processes: identities, and numbers that the kernel gives
// again.
#include "hw/watch/watch_fabric.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "tests/unit/hw/few_descriptors.hpp"

namespace holdfast::hw {
namespace {

pid_t sleeping_child() {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) ::pause();
}

std::unique_ptr<WatchFabric> watching(std::uint32_t peers_max) {
  std::unique_ptr<WatchFabric> fabric;
  EXPECT_EQ(WatchFabric::open(peers_max, fabric).message(), "");
  return fabric;
}

// As a container does that does not know the call.
void refuse_pidfd_open() {
  std::array<sock_filter, 4> filter{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{filter.size(), filter.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST(WatchFabric, ANumberThatBelongsToAnotherProcessNowIsAnEnd) {
  const pid_t child = sleeping_child();
  ProcessIdentity identity = identify(child).value();
  identity.start_ticks -= 1;
  const auto fabric = watching(2);
  const Peer peer = fabric->attach(to_address(identity), Service::watch);
  ASSERT_NE(peer, kNoPeer);
  std::array<Event, 2> events;
  ASSERT_EQ(fabric->poll(events), 1u);
  EXPECT_EQ(events[0].kind, EventKind::peer_down);
  EXPECT_EQ(events[0].peer, peer);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(WatchFabric, AnEndFoundByAttachIsNotToldAfterDetach) {
  ProcessIdentity nobody = identify(::getpid()).value();
  nobody.start_ticks += 1;
  const auto fabric = watching(1);
  std::array<Event, 2> events;
  const Peer peer = fabric->attach(to_address(nobody), Service::watch);
  ASSERT_NE(peer, kNoPeer);
  fabric->detach(peer);
  EXPECT_EQ(fabric->poll(events), 0u);
  EXPECT_NE(fabric->attach(to_address(nobody), Service::watch), kNoPeer);
  EXPECT_EQ(fabric->poll(events), 1u);
}

TEST(WatchFabric, AProcessThatNobodyHasWaitedForHasEnded) {
  const pid_t child = sleeping_child();
  const Address address = to_address(identify(child).value());
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const auto fabric = watching(2);
  ASSERT_NE(fabric->attach(address, Service::watch), kNoPeer);
  std::array<Event, 2> events;
  EXPECT_EQ(fabric->poll(events), 1u);
  ::waitpid(child, nullptr, 0);
}

TEST(WatchFabric, AnIdentityIsPidAndStartTime) {
  const ProcessIdentity self = identify(::getpid()).value();
  EXPECT_EQ(self.pid, ::getpid());
  EXPECT_GT(self.start_ticks, 0u);
  EXPECT_EQ(to_process_identity(to_address(self)), self);
  EXPECT_EQ(to_process_identity(watching(1)->local_address()), self);
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
  const auto fabric = watching(kChildren);
  std::array<pid_t, kChildren> children;
  for (pid_t& child : children) {
    child = sleeping_child();
    ASSERT_NE(fabric->attach(to_address(identify(child).value()), Service::watch), kNoPeer);
  }
  EXPECT_EQ(fabric->attach(fabric->local_address(), Service::watch), kNoPeer);
  for (const pid_t child : children) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  std::array<Event, 2> events;
  EXPECT_EQ(fabric->poll(events), 2u);
  EXPECT_EQ(fabric->poll(events), 2u);
  EXPECT_EQ(fabric->poll(events), 1u);
  EXPECT_EQ(fabric->poll(events), 0u);
}

// Its number may be a thread's by now.
TEST(WatchFabric, ANumberThatIsAThreadsIsNoProcess) {
  std::atomic<std::int32_t> number = 0;
  std::jthread thread([&](std::stop_token stop) {
    number = static_cast<std::int32_t>(::syscall(SYS_gettid));
    number.notify_all();
    while (!stop.stop_requested()) ::usleep(1000);
  });
  number.wait(0);
  const auto fabric = watching(1);
  EXPECT_NE(fabric->attach(to_address(ProcessIdentity{number, 1}), Service::watch), kNoPeer);
  std::array<Event, 2> events;
  EXPECT_EQ(fabric->poll(events), 1u);
}

TEST(WatchFabric, WithoutADescriptorLeftNobodyHasEnded) {
  const auto fabric = watching(2);
  const Address self = fabric->local_address();
  std::array<Event, 2> events;
  for (const int left : {0, 1}) {  // with one the number is pinned, and nobody says whose it is
    {
      const FewDescriptors few(left);
      EXPECT_EQ(fabric->attach(self, Service::watch), kNoPeer);
      EXPECT_FALSE(has_ended(*to_process_identity(self))) << left;
    }
    const Peer peer = fabric->attach(self, Service::watch);
    EXPECT_NE(peer, kNoPeer);
    EXPECT_EQ(fabric->poll(events), 0u);
    fabric->detach(peer);
  }
}

TEST(WatchFabric, WhatIsNotToBeHadIsSaidWhenItIsOpened) {
  const auto message = [] {
    std::unique_ptr<WatchFabric> fabric;
    return WatchFabric::open(1, fabric).message();
  };
  const auto mend = [](const char* call) {
    return std::string("the ends of processes cannot be watched: ") + call +
           ": Too many open files; raise the limit of open files (ulimit -n)";
  };
  for (const auto& [left, call] :
       {std::pair{0, "epoll_create1"}, {1, "/proc/self/stat cannot be read"}}) {
    const FewDescriptors few(left);
    EXPECT_EQ(message(), mend(call));
  }
  {
    const FewDescriptors few(0);
    EXPECT_EQ(WatchFabric::try_watching().message(), mend("pidfd_open"));
  }
  EXPECT_TRUE(WatchFabric::try_watching().is_ok());
  EXPECT_EXIT(
      {
        refuse_pidfd_open();
        if (!message().empty()) ::_exit(4);  // whoever watches nobody can do without
        std::fputs(WatchFabric::try_watching().message().c_str(), stderr);
        ::_exit(3);
      },
      ::testing::ExitedWithCode(3),
      "cannot be watched: pidfd_open: Function not implemented; it needs Linux 5.3, and a "
      "container that allows the call");
}

}  // namespace
}  // namespace holdfast::hw
