// One frame after the other to the same peer: it has a socket of its own then, and whoever waits
// for it asks the kernel once.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>
#include <set>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/lately.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/internet_socket.hpp"
#include "hw/udp/udp_fabric.hpp"
#include "tests/unit/hw/few_descriptors.hpp"
#include "tests/unit/hw/send_faults.hpp"

namespace holdfast::hw {
namespace {

constexpr int kEnough = 64;  // frames, one by one
constexpr std::size_t kSockets = 8;

// A socket that is no fabric's.
class Hearer {
 public:
  explicit Hearer(UdpEndpoint at = {})
      : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    const SocketName name(at);
    EXPECT_EQ(::bind(socket_.get(), &name.any, name.size), 0);
  }
  UdpEndpoint name() const { return local_name(socket_.get()); }
  Address address() const { return to_address(name()); }
  // The oldest datagram, of one byte, and where it came from; -1: none comes.
  int hear(UdpEndpoint& from) {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 5'000) != 1) return -1;
    SocketName name;
    name.size = sizeof name.v6;
    unsigned char byte = 0;
    if (::recvfrom(socket_.get(), &byte, 1, 0, &name.any, &name.size) != 1) return -1;
    from = endpoint_of(name);
    return byte;
  }
  // Where the last of so many comes from.
  UdpEndpoint hear_out(int count) {
    UdpEndpoint from;
    for (int i = 0; i < count; ++i) EXPECT_NE(hear(from), -1);
    return from;
  }

 private:
  Descriptor socket_;
};

class UdpDialogue : public ::testing::Test {
 protected:
  void SetUp() override {
    send_faults = {};
    ASSERT_TRUE(UdpFabric::open({}, fabric_).is_ok());
  }

  Peer attach(const Address& address) {
    const Peer peer = fabric_->attach(address, Service::datagram);
    EXPECT_NE(peer, kNoPeer);
    return peer;
  }
  // Each byte a frame of one post. Returns how many are accepted.
  std::size_t post(Peer to, std::vector<std::byte> bytes) {
    std::vector<Operation> operations(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      operations[i].inline_data = true;
      operations[i].peer = to;
      operations[i].data = &bytes[i];
      operations[i].size = 1;
    }
    return fabric_->post(operations);
  }
  void talk(Peer to, int frames = kEnough) {
    for (int i = 0; i < frames; ++i) EXPECT_EQ(post(to, {std::byte(i)}), 1u);
  }

  // So many frames, and all from the port of the fabric.
  void hear_from_fabric(Hearer& hearer, int count) {
    for (int i = 0; i < count; ++i) {
      UdpEndpoint from;
      ASSERT_NE(hearer.hear(from), -1);
      EXPECT_EQ(from, fabric_->endpoint());
    }
  }

  std::unique_ptr<UdpFabric> fabric_;
};

TEST_F(UdpDialogue, HasASocketOfItsOwnAfterAWhileForAllThatFollows) {
  Hearer hearer;
  const Peer to = attach(hearer.address());
  talk(to);
  EXPECT_EQ(post(to, {std::byte{64}, std::byte{65}}), 2u);
  UdpEndpoint own;
  for (int i = 0; i < kEnough + 2; ++i) {
    UdpEndpoint from;
    EXPECT_EQ(hearer.hear(from), i);
    EXPECT_EQ(from.ip, fabric_->endpoint().ip);
    if (i < kEnough - 1) {
      EXPECT_EQ(from, fabric_->endpoint());
    } else if (i == kEnough - 1) {
      EXPECT_NE(own = from, fabric_->endpoint());
    } else {
      EXPECT_EQ(from, own);
    }
  }
}

TEST_F(UdpDialogue, IsNoneWhereSeveralFramesLeaveTogether) {
  Hearer hearer;
  const Peer to = attach(hearer.address());
  for (int i = 0; i < 2; ++i) {
    talk(to, kEnough - 1);
    EXPECT_EQ(post(to, {std::byte{1}, std::byte{2}}), 2u);
  }
  hear_from_fabric(hearer, 2 * (kEnough + 1));
}

TEST_F(UdpDialogue, IsOfSoManyPeersAtATimeAndEndsWithTheHandle) {
  std::vector<std::unique_ptr<Hearer>> hearers;
  std::vector<Peer> peers;
  std::set<std::uint16_t> ports;
  const auto port_to = [&](std::size_t i) {
    talk(peers[i]);
    return hearers[i]->hear_out(kEnough).port;
  };
  for (std::size_t i = 0; i < kSockets + 1; ++i) {
    hearers.push_back(std::make_unique<Hearer>());
    peers.push_back(attach(hearers[i]->address()));
    ports.insert(port_to(i));
  }
  EXPECT_EQ(ports.size(), kSockets + 1);
  EXPECT_EQ(port_to(kSockets), fabric_->endpoint().port);
  fabric_->detach(peers[0]);
  EXPECT_NE(port_to(kSockets), fabric_->endpoint().port);
}

TEST_F(UdpDialogue, IsNoneForWhoSleepsBetweenFrames) {
  Hearer hearer;
  const Peer to = attach(hearer.address());
  for (int i = 0; i < kEnough; ++i) {
    talk(to, 1);
    EXPECT_TRUE(fabric_->arm().idle);
  }
  hear_from_fabric(hearer, kEnough);
}

TEST_F(UdpDialogue, EndsWithAResetForGood) {
  Hearer hearer;
  const Peer to = attach(hearer.address());
  talk(to);
  EXPECT_NE(hearer.hear_out(kEnough), fabric_->endpoint());
  fabric_->reset(to);
  talk(to);
  hear_from_fabric(hearer, kEnough);
}

TEST_F(UdpDialogue, GoesOnWithoutADescriptor) {
  Hearer hearer;
  const Peer to = attach(hearer.address());
  UdpEndpoint from;
  {
    const FewDescriptors none_left(0);
    talk(to);
  }
  for (int i = 0; i < kEnough; ++i) {
    EXPECT_EQ(hearer.hear(from), i);
    EXPECT_EQ(from, fabric_->endpoint());
  }
  talk(to);
  EXPECT_NE(hearer.hear_out(kEnough), fabric_->endpoint());
}

// Where nobody listens the kernel says so with the next frame, to who is connected.
TEST_F(UdpDialogue, IsHeardByWhoComesBack) {
  auto hearer = std::make_unique<Hearer>();
  const UdpEndpoint at = hearer->name();
  const Peer to = attach(to_address(at));
  talk(to);
  hearer.reset();
  talk(to, 3);
  hearer = std::make_unique<Hearer>(at);
  talk(to, 2);
  UdpEndpoint from;
  EXPECT_EQ(hearer->hear(from), 0);
  EXPECT_EQ(hearer->hear(from), 1);
  EXPECT_EQ(fabric_->counters().send_errors, 0u);
}

TEST_F(UdpDialogue, WaitsForRoomWhereItsOwnSocketIsFull) {
  Hearer hearer;
  const Peer to = attach(hearer.address());
  talk(to);
  for (const bool detaches : {false, true}) {
    send_faults.errno_of_next_sends = EAGAIN;
    send_faults.sends_that_fail = 1;
    EXPECT_EQ(post(to, {std::byte{7}}), 0u);
    if (detaches) fabric_->detach(to);
    EXPECT_FALSE(fabric_->arm().idle);  // it has room in truth
    std::array<Event, 4> events;
    ASSERT_EQ(fabric_->poll(events), 1u);
    EXPECT_EQ(events[0].kind, EventKind::writable);
  }
}

class UdpWait : public UdpDialogue {
 protected:
  void SetUp() override {
    UdpDialogue::SetUp();
    ASSERT_TRUE(UdpFabric::open({}, other_).is_ok());
    to_other_ = attach(other_->local_address());
    for (std::size_t i = 0; i < bytes_.size(); ++i) give(i);
  }
  void give(std::size_t i) {
    const ReceiveSlot slot{{}, &bytes_[i], 1, i};
    ASSERT_EQ(other_->offer({&slot, 1}), 1u);
  }
  std::size_t poll() {
    const std::size_t count = other_->poll(events_);
    for (std::size_t i = 0; i < count; ++i) give(events_[i].cookie);
    return count;
  }
  // Looks in vain, sends so many frames, and polls once after that. Mostly what is sent has come by
  // then, but the kernel need not be so quick. Quick: all of it took less than kLately.
  struct Heard {
    std::size_t frames;
    bool is_quick;
  };
  template <class Before>
  Heard hear(int frames, const Before& before) {
    Time looked;
    do {
      looked = monotonic_now();
    } while (poll() > 0);
    talk(to_other_, frames);
    before();
    const std::size_t heard = poll();
    return {heard, monotonic_now() - looked < kLately};
  }
  static void let_pass(Duration time) {
    for (const Time begun = monotonic_now(); monotonic_now() - begun < time;) {
    }
  }

  std::unique_ptr<UdpFabric> other_;
  Peer to_other_;
  std::array<std::byte, 16> bytes_{};
  std::array<Event, 16> events_{};
};

constexpr int kAttempts = 1'000;  // a process may lose its processor, or a machine be slow
constexpr const char* kTooSlow = "this machine takes too long to send";

TEST_F(UdpWait, WhoHasNotLookedLatelyHearsAllThatHasCome) {
  for (int i = 0; i < kAttempts; ++i) {
    if (hear(3, [] { let_pass(kLately); }).frames == 3) return;
  }
  FAIL() << "never";
}

TEST_F(UdpWait, WhoAsksForALookHearsAllThatHasCome) {
  bool any_quick = false;
  for (int i = 0; i < kAttempts; ++i) {
    const Heard heard = hear(2, [this] { other_->look_anew(); });
    if (heard.is_quick && heard.frames == 2) return;
    any_quick = any_quick || heard.is_quick;
  }
  if (!any_quick) GTEST_SKIP() << kTooSlow;
  FAIL() << "never";
}

TEST_F(UdpWait, WhoHasLookedLatelyAsksForOneFrame) {
  bool any_quick = false;
  for (int i = 0; i < kAttempts; ++i) {
    const Heard heard = hear(2, [] {});
    if (heard.frames == 1) return;
    any_quick = any_quick || heard.is_quick;
  }
  if (!any_quick) GTEST_SKIP() << kTooSlow;
  FAIL() << "never";
}

// It sleeps, is woken, polls for a while, and sleeps again.
TEST_F(UdpWait, WhoPollsForLongAndThenSleepsIsWoken) {
  for (int i = 0; i < 3; ++i) {
    const Armed armed = other_->arm();
    ASSERT_TRUE(armed.idle);
    talk(to_other_, 1);
    pollfd waiting{armed.descriptor, POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 5'000), 1);
    std::size_t heard = 0;
    for (int polls = 0; polls < 200; ++polls) heard += poll();
    EXPECT_EQ(heard, 1u);
    talk(to_other_, 1);
    EXPECT_EQ(::poll(&waiting, 1, 10), 0) << "it still watches";
    EXPECT_EQ(poll(), 1u);
  }
}

}  // namespace
}  // namespace holdfast::hw
