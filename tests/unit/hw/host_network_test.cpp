// Hosts as network namespaces, looked at with datagrams; skipped where the system does not allow
// them.
#include "hw/inject/host_network.hpp"

#include <gtest/gtest.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "hw/inject/in_namespace.hpp"
#include "hw/inject/run_tool.hpp"
#include "hw/inject/silent_ports.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/internet_socket.hpp"
#include "tests/unit/hw/launched_program.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint16_t kPort = 7777;

SocketName name_of(std::uint32_t host) {
  return SocketName({HostNetwork::address(host), kPort});
}

// On a thread of its own, since a thread has one namespace at a time.
Descriptor socket_in(const HostNetwork& network, std::uint32_t host) {
  Descriptor made;
  std::thread([&] {
    if (::setns(network.name_space(host), CLONE_NEWNET) != 0) return;
    made = Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const SocketName name = name_of(host);
    const timeval patience{0, 200'000};
    ::setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::bind(made.get(), &name.any, name.size) != 0) made.close();
  }).join();
  return made;
}

class HostNetworkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status status = HostNetwork::open(3, 1, network_);
    if (not_possible_here(status)) GTEST_SKIP() << status.message();
    ASSERT_TRUE(status.is_ok()) << status.message();
    for (std::uint32_t host = 0; host < 3; ++host) {
      sockets_[host] = socket_in(*network_, host);
      ASSERT_TRUE(sockets_[host].is_open());
    }
  }

  // Whether one of several datagrams arrives; the kernel needs a moment to see a link that is back.
  bool reaches(std::uint32_t from, std::uint32_t to) { return any_arrives(from, to, 20); }
  bool stays_silent(std::uint32_t from, std::uint32_t to) { return !any_arrives(from, to, 1); }

  bool any_arrives(std::uint32_t from, std::uint32_t to, int datagrams) {
    const SocketName name = name_of(to);
    for (int i = 0; i < datagrams; ++i) {
      const char sent = ++number_;
      (void)::sendto(sockets_[from].get(), &sent, 1, 0, &name.any, name.size);
      char got = 0;
      while (::recv(sockets_[to].get(), &got, 1, 0) == 1)
        if (got == sent) return true;
    }
    return false;
  }

  // Whether a host need not ask where another one is.
  bool knows(std::uint32_t host, std::uint32_t other) {
    arpreq request{};
    const SocketName name = name_of(other);
    std::memcpy(&request.arp_pa, &name.any, sizeof request.arp_pa);
    std::strcpy(request.arp_dev, "rail-0");
    return ::ioctl(sockets_[host].get(), SIOCGARP, &request) == 0 &&
           (request.arp_flags & ATF_PERM) != 0;
  }

  void begin(std::uint32_t host, RailFault fault) {
    const Status status = network_->begin(host, 0, fault);
    ASSERT_TRUE(status.is_ok()) << status.message();
  }
  void end(std::uint32_t host, RailFault fault) {
    const Status status = network_->end(host, 0, fault);
    ASSERT_TRUE(status.is_ok()) << status.message();
  }

  std::unique_ptr<HostNetwork> network_;
  Descriptor sockets_[3];
  char number_ = 0;  // of the last datagram
};

TEST_F(HostNetworkTest, ACutRailCarriesNothingEitherWayUntilTheLastCutHasEnded) {
  for (std::uint32_t from = 0; from < 3; ++from)
    for (std::uint32_t to = 0; to < 3; ++to) EXPECT_TRUE(reaches(from, to)) << from << to;
  begin(1, RailFault::cut);
  begin(1, RailFault::cut);
  EXPECT_TRUE(stays_silent(0, 1));
  EXPECT_TRUE(stays_silent(1, 2));
  EXPECT_TRUE(reaches(0, 2));
  EXPECT_TRUE(reaches(1, 1));  // within a host there is no rail
  end(1, RailFault::cut);
  EXPECT_TRUE(stays_silent(0, 1));
  end(1, RailFault::cut);
  EXPECT_TRUE(reaches(0, 1));
  EXPECT_TRUE(reaches(1, 2));
}

TEST_F(HostNetworkTest, ASilentRailIsSilentInOneDirection) {
  const Status status = network_->begin(1, 0, RailFault::silent_from);
  if (not_possible_here(status)) GTEST_SKIP() << status.message();
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_TRUE(stays_silent(1, 0));
  EXPECT_TRUE(reaches(0, 1));
  begin(2, RailFault::silent_to);
  EXPECT_TRUE(stays_silent(0, 2));
  EXPECT_TRUE(reaches(2, 0));
  end(1, RailFault::silent_from);
  end(2, RailFault::silent_to);
  EXPECT_TRUE(reaches(1, 0));
  EXPECT_TRUE(reaches(0, 2));
}

// What the kernel refuses is said; what it was told before stays as it was.
TEST_F(HostNetworkTest, ASilenceThatHasNotBegunCannotEnd) {
  SilentPorts ports;
  const Status opened = SilentPorts::open(network_->name_space(0), ports);
  if (not_possible_here(opened)) GTEST_SKIP() << opened.message();
  ASSERT_TRUE(opened.is_ok()) << opened.message();
  constexpr auto kIn = SilentPorts::Way::in, kOut = SilentPorts::Way::out;
  const std::string longest(IFNAMSIZ - 1, 'x');
  for (const std::string& port : {std::string("a"), longest}) {
    EXPECT_TRUE(ports.begin(port, kIn).is_ok());
    EXPECT_TRUE(ports.begin(port, kIn).is_ok()) << "again";
    EXPECT_EQ(ports.end(port, kOut).message(),
              "cannot change what " + port + " carries: No such file or directory");
    EXPECT_TRUE(ports.end(port, kIn).is_ok());
    EXPECT_FALSE(ports.end(port, kIn).is_ok());
  }
}

// Neither ends this process, nor does the length of what they are told keep anybody waiting.
TEST_F(HostNetworkTest, ToolsThatAreMissingOrDoNotListenSaySo) {
  const std::string much(1 << 20, ' ');
  const int host = network_->name_space(0);
  EXPECT_EQ(run_tool({"no-such-tool", "its-package"}, {}, host, much).message(),
            "the program no-such-tool is missing; install the Debian package its-package");
  EXPECT_EQ(run_tool({"sh", "dash"}, {"-c", "echo why; exit 1"}, host, much).message(),
            "sh failed: why");
  EXPECT_TRUE(run_tool({"sh", "dash"}, {"-c", "exit 0"}, host, much).is_ok());
  EXPECT_TRUE(run_tool({"sh", "dash"}, {"-c", "test $(wc -c) = 1048576"}, host, much).is_ok());
  EXPECT_FALSE(run_tool({"sh", "dash"}, {}, -1, "").is_ok()) << "there is no such namespace";
}

// The host is told with each send; the others see nothing of it.
TEST_F(HostNetworkTest, AClosedRailRefusesWhatItsHostSends) {
  EXPECT_TRUE(knows(1, 0));
  begin(1, RailFault::closed);
  EXPECT_TRUE(stays_silent(0, 1));
  const SocketName zero = name_of(0), one = name_of(1);
  EXPECT_EQ(::sendto(sockets_[1].get(), "", 1, 0, &zero.any, zero.size), -1);
  EXPECT_EQ(::sendto(sockets_[0].get(), "", 1, 0, &one.any, one.size), 1);
  EXPECT_FALSE(knows(1, 0));
  end(1, RailFault::closed);
  EXPECT_TRUE(knows(1, 0));
  EXPECT_TRUE(reaches(0, 1));
  EXPECT_TRUE(reaches(1, 0));
}

// 100 datagrams of 1,400 bytes are more than the bucket holds: what is beyond takes its time. Only
// a lower bound is asserted.
TEST_F(HostNetworkTest, WhatAHostSendsTakesTheTimeOfItsRate) {
  const Status status = network_->limit(0, 0, 1);
  if (not_possible_here(status) || status.message().find("with the queueing") != std::string::npos)
    GTEST_SKIP() << status.message();
  ASSERT_TRUE(status.is_ok()) << status.message();
  const SocketName name = name_of(1);
  const std::string text(1400, 'x');
  const Time begun = monotonic_now();
  for (int i = 0; i < 100; ++i)
    ASSERT_GT(::sendto(sockets_[0].get(), text.data(), text.size(), 0, &name.any, name.size), 0);
  std::string got(text.size(), ' ');
  int count = 0;
  while (count < 100 && monotonic_now() - begun < seconds(20))
    count += ::recv(sockets_[1].get(), got.data(), got.size(), 0) > 0 ? 1 : 0;
  EXPECT_EQ(count, 100);
  // 140,000 bytes, of which 131,072 are the bucket's, at 125,000 a second.
  EXPECT_GE(monotonic_now() - begun, milliseconds(60));
}

std::uint64_t name_space_of_this_thread() {
  struct stat file {};
  EXPECT_EQ(::stat("/proc/thread-self/ns/net", &file), 0);
  return file.st_ino;
}

TEST_F(HostNetworkTest, WhatIsDoneInANamespaceIsDoneThereAndNothingStaysThere) {
  const std::uint64_t here = name_space_of_this_thread();
  std::uint64_t there = here;
  const Status done = in_namespace(network_->name_space(1), [&] {
    there = name_space_of_this_thread();
    return Status::error("what it says");
  });
  EXPECT_EQ(done.message(), "what it says");
  EXPECT_NE(there, here);
  EXPECT_EQ(name_space_of_this_thread(), here);

  bool was_done = false;
  const Status refused = in_namespace(-1, [&] {
    was_done = true;
    return Status::ok();
  });
  EXPECT_FALSE(refused.is_ok());
  EXPECT_FALSE(was_done);
}

}  // namespace
}  // namespace holdfast::hw
