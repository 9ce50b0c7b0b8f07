// Connections of hw/verbs beyond what all fabrics have in common; run in the virtual machine
// (verbs_test.py).
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "hw/monotonic_clock.hpp"
#include "hw/verbs/verbs_fabric.hpp"
#include "stack/base/random.hpp"
#include "tests/conformance/exchange.hpp"

namespace holdfast::conformance {
namespace {

constexpr std::uint32_t kDepth = 16;
constexpr std::uint32_t kQueueKey = 9;
constexpr std::uint32_t kLarge = 1 << 20;

hw::VerbsOptions options_of(std::size_t port) {
  std::vector<hw::VerbsPort> ports;
  EXPECT_TRUE(hw::find_verbs_ports(ports).is_ok());
  EXPECT_EQ(ports.size(), 2u);
  hw::VerbsOptions options{.port = ports.at(port), .queue_key = kQueueKey};
  options.send_depth = options.receive_depth = kDepth;
  options.connections_max = 4;
  return options;
}

std::unique_ptr<hw::VerbsFabric> open(const hw::VerbsOptions& options) {
  std::unique_ptr<hw::VerbsFabric> opened;
  const Status status = hw::VerbsFabric::open(options, opened);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return opened;
}

class VerbsConnectionTest : public ::testing::Test, public FabricPair {
 protected:
  VerbsConnectionTest() : a_(conformance::open(options_of(0))) {}

  Fabric& a() override { return *a_; }
  Fabric& b() override { return *b_; }
  void settle() override { ::poll(nullptr, 0, 1); }
  Time now() override { return hw::monotonic_now(); }
  void end_b() override { b_.reset(); }

  void attach_both() {
    if (!b_) b_ = conformance::open(options_of(1));
    to_b_ = a().attach(b().local_address(), Service::connected);
    to_a_ = b().attach(a().local_address(), Service::connected);
    ASSERT_NE(to_b_, kNoPeer);
    ASSERT_NE(to_a_, kNoPeer);
    wait_until_attached();
  }
  // Whatever else happens meanwhile is forgotten; b's slots are offered again.
  void wait_until_attached() {
    bool a_is = false, b_is = false;
    for (int attempt = 0; attempt < 5000 && !(a_is && b_is); ++attempt) {
      settle();
      for (const Event& event : poll_all(a())) a_is = a_is || event.kind == EventKind::attached;
      for (const Event& event : poll_all(b())) {
        b_is = b_is || event.kind == EventKind::attached;
        if (event.kind == EventKind::received) offer_large(event.cookie);
      }
    }
    ASSERT_TRUE(a_is && b_is);
  }

  void make_large() {
    from_.assign(kLarge, std::byte{3});
    into_.assign(kDepth * kLarge, std::byte{0});
    from_region_ = a().register_memory(from_);
    into_region_ = b().register_memory(into_);
    for (std::size_t i = 0; i < kDepth; ++i) offer_large(i);
  }
  void offer_large(std::uint64_t i) {
    into_[i * kLarge] = std::byte{0};
    const ReceiveSlot slot{into_region_, into_.data() + i * kLarge, kLarge, i, Service::connected};
    ASSERT_EQ(b().offer({&slot, 1}), 1u);
  }
  // The first bytes of a message are in one of b's slots.
  bool has_begun() const {
    for (std::size_t i = 0; i < kDepth; ++i) {
      if (*const_cast<const volatile std::byte*>(&into_[i * kLarge]) != std::byte{0}) return true;
    }
    return false;
  }
  Operation large(std::uint64_t cookie) {
    Operation operation;
    operation.peer = to_b_;
    operation.region = from_region_;
    operation.data = from_.data();
    operation.size = kLarge;
    operation.cookie = cookie;
    return operation;
  }

  std::vector<std::byte> from_, into_;
  Region from_region_, into_region_;
  std::unique_ptr<hw::VerbsFabric> a_;
  std::unique_ptr<hw::VerbsFabric> b_;
  Peer to_b_, to_a_;
};

TEST_F(VerbsConnectionTest, AnAttachThatNobodyAnswersIsGivenUpAndWakesWhoSleeps) {
  hw::VerbsOptions options = options_of(0);
  options.attached_within = milliseconds(300);
  a_ = conformance::open(options);
  b_ = conformance::open(options_of(1));
  const Peer peer = a().attach(b().local_address(), Service::connected);
  ASSERT_NE(peer, kNoPeer);
  std::vector<Event> events;
  for (int sleeps = 0; sleeps < 50 && events.empty(); ++sleeps) {
    const Armed armed = a().arm();
    if (armed.idle) {
      pollfd waiting{armed.descriptor, POLLIN, 0};
      ASSERT_EQ(::poll(&waiting, 1, 5000), 1) << "nothing wakes it";
    }
    events = poll_all(a());
  }
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::peer_down);
  EXPECT_EQ(events[0].completion, Completion::retry_exceeded);
  EXPECT_TRUE(a().arm().idle) << "nothing is due any more";
}

// A process that is killed says nothing: the adapter finds out when it sends.
TEST_F(VerbsConnectionTest, AKilledPeerIsDown) {
  std::array<int, 2> up{}, down{};
  ASSERT_EQ(::pipe(up.data()), 0);
  ASSERT_EQ(::pipe(down.data()), 0);
  const Address mine = a().local_address();
  const pid_t child = ::fork();
  if (child == 0) {
    b_ = conformance::open(options_of(1));
    const Address address = b().local_address();
    if (b().attach(mine, Service::connected) == kNoPeer ||
        ::write(up[1], &address, sizeof address) != sizeof address) {
      ::_exit(1);
    }
    for (;;) {
      poll_all(b());
      settle();
    }
  }
  ASSERT_GT(child, 0);
  Address theirs;
  ASSERT_EQ(::read(up[0], &theirs, sizeof theirs), static_cast<ssize_t>(sizeof theirs));
  to_b_ = a().attach(theirs, Service::connected);
  ASSERT_NE(to_b_, kNoPeer);
  const std::vector<Event> attached = poll_for(*this, a(), 1);
  EXPECT_EQ(attached.size(), 1u);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  Slots slots(a(), 3);
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < 3; ++i) operations.push_back(slots.send(i, to_b_, 100, 1));
  ASSERT_EQ(a().post(operations), 3u);
  const std::vector<Event> events = poll_for(*this, a(), 4);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, 3));
  EXPECT_EQ(events[0].completion, Completion::retry_exceeded);
  EXPECT_EQ(events[1].completion, Completion::flushed);
  EXPECT_EQ(events[2].completion, Completion::flushed);
  EXPECT_EQ(events[3].kind, EventKind::peer_down);
  EXPECT_EQ(events[3].completion, Completion::retry_exceeded);
  for (const int end : {up[0], up[1], down[0], down[1]}) ::close(end);
}

// The adapter takes a slot when a message begins; a connection that ends in the middle of one must
// give it back.
TEST_F(VerbsConnectionTest, ResetsInTheMiddleOfMessagesLoseNoSlot) {
  attach_both();
  make_large();
  for (int round = 0; round < 12; ++round) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      const Operation operation = large(i);
      ASSERT_EQ(a().post({&operation, 1}), 1u);
    }
    const Time until = now() + seconds(5);
    while (!has_begun() && now() < until) {
    }
    (round % 2 == 0 ? a() : b()).reset(round % 2 == 0 ? to_b_ : to_a_);
    bool told = false;
    for (int attempt = 0; attempt < 5000 && !told; ++attempt) {
      settle();
      for (const Event& event : poll_all(round % 2 == 0 ? b() : a())) {
        told = told || event.kind == EventKind::peer_down;
        if (event.kind == EventKind::received) offer_large(event.cookie);
      }
    }
    ASSERT_TRUE(told) << round;
    (round % 2 == 0 ? b() : a()).reset(round % 2 == 0 ? to_a_ : to_b_);
    wait_until_attached();
  }
  for (std::uint64_t i = 0; i < kDepth; ++i) {
    const Operation operation = large(i);
    ASSERT_EQ(a().post({&operation, 1}), 1u);
  }
  EXPECT_EQ(poll_for(*this, b(), kDepth).size(), kDepth) << "every slot is still there";
  EXPECT_EQ(poll_for(*this, a(), kDepth).size(), kDepth);
}

TEST_F(VerbsConnectionTest, AFrameLongerThanItsSlotEndsTheConnectionAndWritesNothingBehindIt) {
  attach_both();
  make_large();  // b's slots hold kLarge
  for (std::uint64_t i = 0; i < kDepth; ++i) {
    const Operation operation = large(i);
    ASSERT_EQ(a().post({&operation, 1}), 1u);
  }
  ASSERT_EQ(poll_for(*this, b(), kDepth).size(), kDepth);
  poll_for(*this, a(), kDepth);
  std::fill(into_.begin(), into_.end(), std::byte{0});
  const ReceiveSlot small{into_region_, into_.data(), 100, 0, Service::connected};
  ASSERT_EQ(b().offer({&small, 1}), 1u);
  const Operation operation = large(0);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  const std::vector<Event> events = poll_for(*this, a(), 2);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].completion, Completion::remote_access);
  EXPECT_EQ(events[1].kind, EventKind::peer_down);
  EXPECT_TRUE(std::all_of(into_.begin() + 100, into_.end(),
                          [](std::byte byte) { return byte == std::byte{0}; }));
}

// Noise, and frames as they should be of somebody who does not know the ends' attempts.
TEST_F(VerbsConnectionTest, ForeignHandshakesChangeNothing) {
  attach_both();
  std::unique_ptr<hw::DatagramQueue> stranger;
  ASSERT_TRUE(hw::DatagramQueue::open(options_of(0), stranger).is_ok());
  const auto target = hw::to_verbs_endpoint(b().local_address());
  ibv_ah_attr way = hw::way_to_host(options_of(0).port, *target);
  const hw::Owned<ibv_ah> handle(::ibv_create_ah(stranger->domain(), &way));
  ASSERT_NE(handle, nullptr);
  Random random(5, 1, 1);
  std::uint64_t noise = 0;
  for (int i = 0; i < 600; ++i) {
    hw::HandshakeFrame frame;
    frame.says = static_cast<hw::Says>(1 + random.below(4));
    // As itself, or as the peer, which the adapter gives away.
    frame.sender = *hw::to_verbs_endpoint(a().local_address());
    if (i % 3 == 0) frame.sender.queue_pair = stranger->number();
    frame.attempt = random.next() | 1;
    frame.order = random.next();
    frame.heard = random.next() | 1;
    if (frame.says != hw::Says::gone) frame.pair = {77, 1, 3, 1};
    auto bytes = hw::encode(frame);
    if (i % 3 == 2) {
      bytes[random.below(bytes.size())] ^= std::byte{0x10};
      ++noise;
    }
    stranger->send_handshake(*handle, target->queue_pair, bytes);
    std::array<ibv_wc, 4> sent;
    for (int attempt = 0; attempt < 1000; ++attempt) {
      const std::size_t count = stranger->poll_sends(sent);
      for (std::size_t n = 0; n < count; ++n) stranger->ends_handshake(sent[n]);
      if (count > 0) break;
    }
    EXPECT_TRUE(poll_all(b()).empty()) << i;
  }
  EXPECT_TRUE(poll_for(*this, b(), 0).empty());
  EXPECT_GE(b_->counters().handshakes_refused, noise);
  make_large();
  const Operation operation = large(0);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  EXPECT_EQ(poll_for(*this, b(), 1).size(), 1u);
  EXPECT_EQ(poll_for(*this, a(), 1).size(), 1u);
}

// What a process sends is never taken for the fabric's own.
TEST_F(VerbsConnectionTest, ADatagramThatLooksLikeAHandshakeIsADatagram) {
  attach_both();
  const Peer datagrams = a().attach(b().local_address(), Service::datagram);
  hw::HandshakeFrame frame;
  frame.sender = *hw::to_verbs_endpoint(a().local_address());
  frame.attempt = 1;
  frame.pair = {77, 1, 3, 1};
  auto bytes = hw::encode(frame);
  Slots slots(b(), 1);
  ASSERT_EQ(b().offer(slots.receive_slots(0, 1)), 1u);
  Operation operation;
  operation.inline_data = true;
  operation.peer = datagrams;
  operation.data = bytes.data();
  operation.size = bytes.size();
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  const std::vector<Event> events = poll_for(*this, b(), 1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].size, bytes.size());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), slots.data(0)));
}

}  // namespace
}  // namespace holdfast::conformance
