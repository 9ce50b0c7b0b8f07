// What is particular to UDP: a full kernel, refused and truncated frames, ICMP, allocation,
// buffers. The kernel's answers that cannot be had on loopback are given by a sendmmsg of our own,
// and the wall clock is stepped by a clock_gettime of our own.
#include "hw/udp/udp_fabric.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string_view>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "tests/unit/hw/counting_new.hpp"
#include "tests/unit/hw/send_faults.hpp"

namespace {

long wall_clock_step_s = 0;

}  // namespace

SendFaults send_faults;

// These are found before libc's by the linker.
extern "C" int sendmmsg(int socket, mmsghdr* headers, unsigned count, int flags) {
  using Function = int (*)(int, mmsghdr*, unsigned, int);
  static const auto kernel = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "sendmmsg"));
  SendFaults& faults = send_faults;
  ++faults.calls;
  faults.buffers += count;
  for (unsigned i = 0; i < count; ++i) {
    faults.pieces += headers[i].msg_hdr.msg_iovlen;
    faults.latest_piece = headers[i].msg_hdr.msg_iov->iov_base;
  }
  for (unsigned i = 0; i < count && faults.cuts_nothing; ++i) {
    if (headers[i].msg_hdr.msg_controllen == 0) continue;
    if (i > 0) return kernel(socket, headers, i, flags);
    ++faults.not_cut;
    errno = EINVAL;
    return -1;
  }
  if (faults.sends_that_fail == 0) return kernel(socket, headers, count, flags);
  if (faults.buffers_before_failing > 0) {
    const unsigned before = std::exchange(faults.buffers_before_failing, 0u);
    return kernel(socket, headers, before, flags);
  }
  --faults.sends_that_fail;
  errno = faults.errno_of_next_sends;
  return -1;
}

extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  if (clock == CLOCK_REALTIME) now->tv_sec += wall_clock_step_s;
  return result;
}

namespace holdfast::hw {
namespace {

class UdpFabricTest : public ::testing::Test {
 protected:
  void SetUp() override {
    send_faults = {};
    wall_clock_step_s = 0;
    ASSERT_TRUE(UdpFabric::open(UdpOptions{}, a_).is_ok());
    ASSERT_TRUE(UdpFabric::open(UdpOptions{}, b_).is_ok());
    to_b_ = a_->attach(b_->local_address(), Service::datagram);
    ASSERT_NE(to_b_, kNoPeer);
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      operations_[i].peer = to_b_;
      operations_[i].data = &bytes_[i];
      operations_[i].size = static_cast<std::uint32_t>(i + 1);  // no two make a run
      operations_[i].cookie = i;
      bytes_[i] = static_cast<std::byte>(i);
    }
  }

  void offer(std::uint32_t size, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const ReceiveSlot slot{{}, slots_[i].data(), size, i};
      ASSERT_EQ(b_->offer({&slot, 1}), 1u);
    }
  }

  // Loopback delivers within the send, but says so nowhere; wait for the socket to be readable.
  void wait_for_b() {
    const Armed armed = b_->arm();
    if (!armed.idle) return;
    pollfd waiting{armed.descriptor, POLLIN, 0};
    ASSERT_EQ(::poll(&waiting, 1, 5000), 1);
  }

  std::unique_ptr<UdpFabric> a_;
  std::unique_ptr<UdpFabric> b_;
  Peer to_b_;
  std::array<std::byte, 8> bytes_{};
  std::array<Operation, 4> operations_{};
  std::array<std::array<std::byte, 64>, 8> slots_{};
  std::array<Event, 16> events_{};
};

TEST_F(UdpFabricTest, AFullKernelIsBackPressureAndWritableFollowsWhenItHasRoom) {
  send_faults.errno_of_next_sends = EAGAIN;
  send_faults.sends_that_fail = 1;
  send_faults.buffers_before_failing = 2;
  EXPECT_EQ(a_->post(operations_), 2u);
  // The socket has room in truth, so a process that sleeps on the descriptor is woken at once.
  EXPECT_FALSE(a_->arm().idle);
  ASSERT_EQ(a_->poll(events_), 3u);
  EXPECT_EQ(events_[0].kind, EventKind::sent);
  EXPECT_EQ(events_[1].kind, EventKind::sent);
  EXPECT_EQ(events_[2].kind, EventKind::writable);
  EXPECT_EQ(a_->post(std::span(operations_).subspan(2)), 2u);
}

TEST_F(UdpFabricTest, ARefusedFrameIsLostAndTheOthersLeave) {
  send_faults.errno_of_next_sends = EPERM;
  send_faults.sends_that_fail = 2;
  send_faults.buffers_before_failing = 1;
  offer(64, 4);
  EXPECT_EQ(a_->post(operations_), 4u);
  ASSERT_EQ(a_->poll(events_), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(events_[i].completion, i == 1 ? Completion::local_error : Completion::ok) << i;
  }
  EXPECT_EQ(a_->counters().send_errors, 1u);
  EXPECT_EQ(a_->counters().frames_sent, 3u);
}

// A filter, or no memory, may take one frame and not the next.
TEST_F(UdpFabricTest, ARefusedInlineFrameIsOnlyCounted) {
  for (const int error : {EPERM, ENOBUFS, ENOMEM}) {
    send_faults.errno_of_next_sends = error;
    send_faults.sends_that_fail = 2;
    operations_[0].inline_data = true;
    EXPECT_EQ(a_->post({operations_.data(), 1}), 1u);
    EXPECT_EQ(a_->poll(events_), 0u);
  }
  EXPECT_EQ(a_->counters().send_errors, 3u);
}

TEST_F(UdpFabricTest, OneInlineFrameOfAPostSaysThatNoWayLeadsToItsPeer) {
  for (const int error : {ENETUNREACH, ENETDOWN, EHOSTUNREACH}) {
    send_faults.errno_of_next_sends = error;
    send_faults.sends_that_fail = 6;
    for (std::size_t i = 0; i < 3; ++i) operations_[i].inline_data = true;
    EXPECT_EQ(a_->post(operations_), 4u);
    ASSERT_EQ(a_->poll(events_), 2u);
    EXPECT_EQ(events_[0].completion, Completion::ok);  // the one that is not inline, and left
    EXPECT_EQ(events_[1].completion, Completion::local_error);
    EXPECT_EQ(events_[1].peer, operations_[0].peer);
    EXPECT_EQ(events_[1].cookie, operations_[0].cookie);
  }
  EXPECT_EQ(a_->counters().send_errors, 9u);
}

TEST_F(UdpFabricTest, AnErrorThatAnEarlierFrameLeftCostsNothing) {
  send_faults.errno_of_next_sends = ECONNREFUSED;
  send_faults.sends_that_fail = 1;
  EXPECT_EQ(a_->post(operations_), 4u);
  ASSERT_EQ(a_->poll(events_), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(events_[i].completion, Completion::ok);
  EXPECT_EQ(a_->counters().send_errors, 0u);
}

TEST_F(UdpFabricTest, ATruncatedFrameIsLostCountedAndItsSlotStaysOffered) {
  std::array<std::byte, 9> long_frame{};
  operations_[0].data = long_frame.data();
  operations_[0].size = 9;
  offer(8, 1);
  ASSERT_EQ(a_->post({operations_.data(), 1}), 1u);
  wait_for_b();
  EXPECT_EQ(b_->poll(events_), 0u);
  EXPECT_EQ(b_->counters().truncated, 1u);
  ASSERT_EQ(a_->post({operations_.data() + 1, 1}), 1u);
  wait_for_b();
  ASSERT_EQ(b_->poll(events_), 1u);
  EXPECT_EQ(events_[0].size, 2u);
  EXPECT_EQ(slots_[0][0], bytes_[1]);
}

// Each frame is sent by itself, so that the kernel drops it by itself.
TEST_F(UdpFabricTest, WhatFindsTheReceiveBufferFullIsCountedAsLost) {
  UdpOptions options;
  options.receive_buffer_bytes = 16 * 1024;
  ASSERT_TRUE(UdpFabric::open(options, b_).is_ok());
  operations_[0].peer = a_->attach(b_->local_address(), Service::datagram);
  operations_[0].inline_data = true;
  const auto lost = [this] {
    std::array<LostFrames, Fabric::kLossReasonsMax> losses;
    const std::size_t reasons = b_->losses(losses);
    const auto found =
        std::find_if(losses.begin(), losses.begin() + static_cast<std::ptrdiff_t>(reasons),
                     [](const LostFrames& one) {
                       return std::string_view(one.reason) == "receive_buffer_full";
                     });
    return found == losses.end() ? ~std::uint64_t{0} : found->frames;
  };
  EXPECT_EQ(lost(), 0u);
  constexpr std::uint64_t kFrames = 1'000;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(a_->post({operations_.data(), 1}), 1u);
  }
  std::uint64_t received = 0;
  const Time give_up = monotonic_now() + seconds(30);
  while (received + lost() < kFrames && monotonic_now() < give_up) {
    offer(64, 1);
    received += b_->poll(events_);
  }
  EXPECT_GT(received, 0u);
  EXPECT_GT(lost(), 0u);
  EXPECT_EQ(received + lost(), kFrames);
}

TEST_F(UdpFabricTest, AStepOfTheWallClockCostsAtMostTheTimeSinceTheLastPoll) {
  offer(64, 2);
  const Time before = monotonic_now();
  ASSERT_EQ(b_->poll(events_), 0u);
  ASSERT_EQ(a_->post({operations_.data(), 2}), 2u);
  wait_for_b();
  for (const long step_s : {3600l, -3600l}) {
    wall_clock_step_s = step_s;
    std::array<Event, 1> one;
    EXPECT_EQ(b_->poll(one), 1u);
    EXPECT_GE(one[0].at, before);
    EXPECT_LE(one[0].at, monotonic_now());
  }
}

TEST_F(UdpFabricTest, NothingAllocatesAfterOpen) {
  for (auto& operation : operations_) operation.inline_data = operation.cookie % 2 == 0;
  const std::size_t before = allocations();
  const Peer other = a_->attach(b_->local_address(), Service::datagram);
  for (int round = 0; round < 3; ++round) {
    offer(64, 4);
    ASSERT_EQ(a_->post(operations_), 4u);
    for (std::size_t received = 0; received < 4;) {
      wait_for_b();
      received += b_->poll(events_);
    }
    ASSERT_EQ(a_->poll(events_), 2u);
    a_->arm();
  }
  a_->detach(other);
  EXPECT_EQ(allocations(), before);
  ::operator delete(::operator new(1));
  EXPECT_EQ(allocations(), before + 1) << "the count does not count";
}

TEST_F(UdpFabricTest, APortInUseIsAnErrorThatNamesIt) {
  UdpOptions options;
  options.local = a_->endpoint();
  std::unique_ptr<UdpFabric> second;
  const Status status = UdpFabric::open(options, second);
  EXPECT_FALSE(status.is_ok());
  EXPECT_NE(status.message().find("127.0.0.1:" + std::to_string(options.local.port)),
            std::string::npos)
      << status.message();
  EXPECT_EQ(second, nullptr);
}

TEST_F(UdpFabricTest, AddressesAreSixBytesInNetworkOrder) {
  const Address address = to_address({0x0a01'0203, 0x1234});
  ASSERT_EQ(address.size, 6);
  const std::array<unsigned, 6> expected{0x0a, 1, 2, 3, 0x12, 0x34};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(std::to_integer<unsigned>(address.bytes[i]), expected[i]);
  }
  EXPECT_EQ(to_udp_endpoint(address), (UdpEndpoint{0x0a01'0203, 0x1234}));
}

TEST_F(UdpFabricTest, AddressesOfIPv6AreEighteenBytesAndTravelAsTheyAre) {
  const IpAddress::V6 ip{0xfd, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
  const Address address = to_address({ip, 0x1234});
  ASSERT_EQ(address.size, 18);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(std::to_integer<unsigned>(address.bytes[i]), ip[i]);
  }
  EXPECT_EQ(std::to_integer<unsigned>(address.bytes[16]), 0x12u);
  EXPECT_EQ(to_udp_endpoint(address), (UdpEndpoint{ip, 0x1234}));
  EXPECT_EQ(text_of(UdpEndpoint{ip, 0x1234}), "[fd00:1::9]:4660");
  EXPECT_EQ(text_of(UdpEndpoint{0x0a01'0203, 80}), "10.1.2.3:80");
}

// It would be another machine's own, or nobody's.
TEST_F(UdpFabricTest, AnAddressOfOneLinkOrOfTheOtherVersionIsRefused) {
  EXPECT_EQ(to_udp_endpoint(to_address({IpAddress::V6{0xfe, 0x80, 1}, 1})), std::nullopt);
  const Address of_v6 = to_address({kLoopbackV6, 4000});
  EXPECT_EQ(a_->attach(of_v6, Service::datagram), kNoPeer);
  UdpOptions options;
  options.local.ip = kLoopbackV6;
  std::unique_ptr<UdpFabric> v6;
  ASSERT_TRUE(UdpFabric::open(options, v6).is_ok());
  EXPECT_NE(v6->attach(of_v6, Service::datagram), kNoPeer);
  EXPECT_EQ(v6->attach(b_->local_address(), Service::datagram), kNoPeer);
}

TEST(ParseIp, SaysWhatIsWrongWithAnAddress) {
  IpAddress ip = 0;
  EXPECT_EQ(parse_ip("10.0.0.1", ip), "");
  EXPECT_EQ(ip, IpAddress(0x0a00'0001));
  EXPECT_EQ(parse_ip("::1", ip), "");
  EXPECT_EQ(ip, kLoopbackV6);
  EXPECT_NE(parse_ip("fe80::1", ip).find("one interface"), std::string::npos);
  EXPECT_NE(parse_ip("fe80::1%eth0", ip).find("one interface"), std::string::npos);
  EXPECT_NE(parse_ip("::ffff:10.0.0.1", ip).find("IPv4 address in disguise"), std::string::npos);
  EXPECT_NE(parse_ip("node1", ip).find("no IPv4 or IPv6 address"), std::string::npos);
}

TEST_F(UdpFabricTest, HandlesRunOutAndComeBack) {
  UdpOptions options;
  options.peers_max = 2;
  std::unique_ptr<UdpFabric> small;
  ASSERT_TRUE(UdpFabric::open(options, small).is_ok());
  const Peer first = small->attach(b_->local_address(), Service::datagram);
  const Peer second = small->attach(b_->local_address(), Service::datagram);
  ASSERT_NE(second, kNoPeer);
  EXPECT_EQ(small->attach(b_->local_address(), Service::datagram), kNoPeer);
  small->detach(first);
  EXPECT_NE(small->attach(b_->local_address(), Service::datagram), kNoPeer);
}

}  // namespace
}  // namespace holdfast::hw
