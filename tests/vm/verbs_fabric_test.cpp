// hw/verbs beyond what all fabrics have in common; run in the virtual machine (verbs_test.py), as
// it takes two adapters at the ends of a cable, and the right to cut it.
#include <gtest/gtest.h>
#include <poll.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "hw/monotonic_clock.hpp"
#include "hw/verbs/verbs_fabric.hpp"
#include "tests/conformance/exchange.hpp"

namespace holdfast::conformance {
namespace {

constexpr std::uint32_t kDepth = 40;

class VerbsTest : public ::testing::Test, public FabricPair {
 protected:
  void SetUp() override {
    const Status found = hw::find_verbs_ports(ports_);
    ASSERT_TRUE(found.is_ok()) << found.message();
    ASSERT_EQ(ports_.size(), 2u);
    a_ = open(0, 7);
    b_ = open(1, 7);
    ASSERT_TRUE(a_ && b_);
    to_b_ = a_->attach(b_->local_address(), Service::datagram);
    ASSERT_NE(to_b_, kNoPeer);
  }

  std::unique_ptr<hw::VerbsFabric> open(std::size_t port, std::uint32_t queue_key) {
    hw::KeptQueue kept;
    return open(port, queue_key, kept);
  }
  std::unique_ptr<hw::VerbsFabric> open(std::size_t port, std::uint32_t queue_key,
                                        hw::KeptQueue& kept) {
    std::unique_ptr<hw::VerbsFabric> opened;
    const Status status = hw::VerbsFabric::open({.port = ports_[port],
                                                 .queue_key = queue_key,
                                                 .send_depth = kDepth,
                                                 .receive_depth = kDepth},
                                                kept, opened);
    EXPECT_TRUE(status.is_ok()) << status.message();
    return opened;
  }

  Fabric& a() override { return *a_; }
  Fabric& b() override { return *b_; }
  void settle() override { ::poll(nullptr, 0, 1); }
  Time now() override { return hw::monotonic_now(); }
  void end_b() override { b_.reset(); }

  static void set_cable(const char* end, const char* state) {
    const std::string command = std::string("/sbin/ip link set ") + end + " " + state;
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  // The first port event of a's.
  EventKind port_event() {
    for (int attempt = 0; attempt < 5000; ++attempt) {
      for (const Event& event : poll_all(a()))
        if (event.kind == EventKind::port_up || event.kind == EventKind::port_down)
          return event.kind;
      settle();
    }
    return EventKind::sent;
  }

  // Whether a frame gets through to a slot of b's that is offered.
  bool gets_through(Slots& mine) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      const Operation operation = mine.send(0, to_b_, 100, 9);
      (void)a().post({&operation, 1});
      for (int nap = 0; nap < 20; ++nap) {
        settle();
        poll_all(a());
        if (!cookies_of(poll_all(b()), EventKind::received).empty()) return true;
      }
    }
    return false;
  }

  std::vector<hw::VerbsPort> ports_;
  std::unique_ptr<hw::VerbsFabric> a_;
  std::unique_ptr<hw::VerbsFabric> b_;
  Peer to_b_;
};

TEST_F(VerbsTest, AddressesComeBackAsTheyWereAndOthersAreRefused) {
  const auto endpoint = hw::to_verbs_endpoint(b().local_address());
  ASSERT_TRUE(endpoint.has_value());
  EXPECT_EQ(hw::to_address(*endpoint), b().local_address());
  for (const std::uint32_t management : {0u, 1u, 0xff'ffffu, 0x100'0000u}) {
    hw::VerbsEndpoint wrong = *endpoint;
    wrong.queue_pair = management;
    EXPECT_EQ(a().attach(hw::to_address(wrong), Service::datagram), kNoPeer);
  }
}

TEST_F(VerbsTest, AFrameLongerThanItsSlotIsLostAndTheSlotServesTheNext) {
  Slots mine(a(), 2);
  Slots theirs(b(), 1);
  ReceiveSlot small = theirs.receive_slot(0);
  small.size = 100;
  ASSERT_EQ(b().offer({&small, 1}), 1u);
  const std::array operations = {mine.send(0, to_b_, 101, 1), mine.send(1, to_b_, 100, 2)};
  ASSERT_EQ(a().post(operations), 2u);
  const std::vector<Event> events = poll_for(*this, b(), 1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(theirs.holds(0, 100, 2));
  EXPECT_EQ(b_->counters().truncated, 1u);
}

TEST_F(VerbsTest, AnotherJobsFramesAreDroppedByTheAdapter) {
  const auto stranger = open(0, 8);
  const Peer peer = stranger->attach(b().local_address(), Service::datagram);
  ASSERT_NE(peer, kNoPeer);
  Slots theirs(*stranger, 1);
  Slots ours(b(), 1);
  Slots mine(a(), 1);
  ASSERT_EQ(b().offer(ours.receive_slots(0, 1)), 1u);
  const Operation foreign = theirs.send(0, peer, 100, 1);
  ASSERT_EQ(stranger->post({&foreign, 1}), 1u);
  EXPECT_EQ(poll_for(*this, *stranger, 1).size(), 1u);
  EXPECT_TRUE(gets_through(mine));
  EXPECT_TRUE(ours.holds(0, 100, 9));
}

TEST_F(VerbsTest, TheNextFabricAtAQueuePairHasItsAddressAndNothingElseOfIt) {
  hw::KeptQueue kept;
  b_ = open(1, 7, kept);
  ASSERT_TRUE(b_);
  const Address address = b().local_address();
  to_b_ = a().attach(address, Service::datagram);
  Slots mine(a(), 1);
  Slots before(b(), 1);
  ASSERT_EQ(b().offer(before.receive_slots(0, 1)), 1u);
  const Armed armed = b().arm();
  ASSERT_TRUE(armed.idle);
  const Operation operation = mine.send(0, to_b_, 100, 4);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  pollfd waiting{armed.descriptor, POLLIN, 0};
  ASSERT_EQ(::poll(&waiting, 1, 5000), 1) << "it is there, and nobody has looked";
  b_.reset();
  b_ = open(1, 7, kept);
  ASSERT_TRUE(b_);
  EXPECT_EQ(b().local_address(), address);
  Slots theirs(b(), 1);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  EXPECT_TRUE(gets_through(mine));
  EXPECT_TRUE(theirs.holds(0, 100, 9));
}

// Soft-RoCE may lose the queue pair for good if it is reset while it receives.
TEST_F(VerbsTest, AQueuePairIsTakenOverAgainAndAgainWhileFramesCome) {
  hw::KeptQueue kept;
  b_ = open(1, 7, kept);
  ASSERT_TRUE(b_);
  const Peer to_b = a().attach(b().local_address(), Service::datagram);
  std::jthread sender([this, to_b](const std::stop_token& stop) {
    Slots mine(a(), 1);
    const Operation operation = mine.send(0, to_b, 100, 9);
    while (!stop.stop_requested()) {
      (void)a().post({&operation, 1});
      poll_all(a());
    }
  });
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    Slots theirs(b(), 1);
    ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
    EXPECT_EQ(poll_for(*this, b(), 1).size(), 1u) << "round " << round;
    b_.reset();
    b_ = open(1, 7, kept);
    ASSERT_TRUE(b_);
  }
}

TEST_F(VerbsTest, WhatFindsNoBufferIsLostAndTheRestArrives) {
  Slots mine(a(), kDepth);
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < kDepth; ++i) operations.push_back(mine.send(i, to_b_, 100, 3));
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(a().post(operations), kDepth);
    ASSERT_EQ(poll_for(*this, a(), kDepth).size(), kDepth);
  }
  Slots theirs(b(), kDepth);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, kDepth)), kDepth);
  EXPECT_EQ(poll_for(*this, b(), kDepth).size(), kDepth);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  EXPECT_TRUE(gets_through(mine));
}

TEST_F(VerbsTest, ACutCableIsNoticedAndFramesFlowAgainWhenItIsMended) {
  Slots mine(a(), kDepth);
  Slots theirs(b(), 1);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  const Armed armed = a().arm();
  ASSERT_TRUE(armed.idle);
  set_cable("cable0", "down");
  pollfd waiting{armed.descriptor, POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 5000), 1) << "a sleeping process is woken";
  EXPECT_EQ(port_event(), EventKind::port_down);
  std::size_t ended = 0;
  for (std::size_t i = 0; i < kDepth; ++i) {
    const Operation operation = mine.send(i, to_b_, 100, 4);
    ASSERT_EQ(a().post({&operation, 1}), 1u);
    ended += poll_for(*this, a(), 1).size();
  }
  EXPECT_EQ(ended, kDepth);
  Armed stopping;
  for (int attempt = 0; attempt < 100 && stopping.until == Time::never(); ++attempt) {
    const Operation operation = mine.send(0, to_b_, 100, 4);
    ASSERT_EQ(a().post({&operation, 1}), 1u);
    ASSERT_EQ(poll_for(*this, a(), 1).size(), 1u);
    stopping = a().arm();
  }
  EXPECT_LT(stopping.until, now() + seconds(1)) << "who sleeps looks again at the queue pair";
  EXPECT_TRUE(cookies_of(poll_all(b()), EventKind::received).empty());
  set_cable("cable0", "up");
  EXPECT_EQ(port_event(), EventKind::port_up);
  EXPECT_TRUE(gets_through(mine));
  EXPECT_GE(a_->counters().restarts, 1u) << "Soft-RoCE ends the queue pair of who sends there";
}

}  // namespace
}  // namespace holdfast::conformance
