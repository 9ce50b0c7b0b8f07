// The rules of seam 1 (stack/fabric.hpp) for every fabric that makes connections.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/conformance/exchange.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {
namespace {

std::vector<Event> of_kind(const std::vector<Event>& events, EventKind kind) {
  std::vector<Event> chosen;
  for (const Event& event : events) {
    if (event.kind == kind) chosen.push_back(event);
  }
  return chosen;
}

class Connected : public ::testing::TestWithParam<FabricFactory> {
 protected:
  void SetUp() override {
    pair_ = GetParam().make();
    ASSERT_NE(pair_, nullptr);
    few_ = std::min<std::size_t>({a().caps().send_depth, b().caps().receive_depth, 8});
  }

  Fabric& a() { return pair_->a(); }
  Fabric& b() { return pair_->b(); }

  void attach_both() {
    to_b_ = a().attach(b().local_address(), Service::connected);
    to_a_ = b().attach(a().local_address(), Service::connected);
    ASSERT_NE(to_b_, kNoPeer);
    ASSERT_NE(to_a_, kNoPeer);
    expect_attached();
  }

  // Both ends are told, once, and nothing else happens.
  void expect_attached() {
    std::vector<Event> of_a, of_b;
    for (int attempt = 0; attempt < 5000 && (of_a.empty() || of_b.empty()); ++attempt) {
      pair_->settle();
      for (const Event& event : poll_all(a())) of_a.push_back(event);
      for (const Event& event : poll_all(b())) of_b.push_back(event);
    }
    ASSERT_EQ(of_a.size(), 1u);
    ASSERT_EQ(of_b.size(), 1u);
    EXPECT_EQ(of_a[0].kind, EventKind::attached);
    EXPECT_EQ(of_b[0].kind, EventKind::attached);
    EXPECT_EQ(of_a[0].peer, to_b_);
    EXPECT_EQ(of_b[0].peer, to_a_);
  }

  // Polls both ends until a has had `count` events; those of b are kept in `of_b_`.
  std::vector<Event> of_a(std::size_t count) {
    std::vector<Event> all;
    for (int attempt = 0; attempt < 5000 && all.size() < count; ++attempt) {
      pair_->settle();
      for (const Event& event : poll_all(a())) all.push_back(event);
      for (const Event& event : poll_all(b())) of_b_.push_back(event);
    }
    return all;
  }
  // The same for b, with what is kept.
  std::vector<Event> of_b(std::size_t count) {
    std::vector<Event> all = std::exchange(of_b_, {});
    for (int attempt = 0; attempt < 5000 && all.size() < count; ++attempt) {
      pair_->settle();
      for (const Event& event : poll_all(b())) all.push_back(event);
    }
    return all;
  }

  std::vector<Operation> sends(Slots& slots, std::size_t count) {
    std::vector<Operation> operations;
    for (std::size_t i = 0; i < count; ++i)
      operations.push_back(slots.send(i, to_b_, 100, static_cast<std::uint8_t>(i + 1)));
    return operations;
  }

  // `count` of a's sends that have been posted have ended, each once and in order, the first
  // `flawless` well; then the peer was down, for that reason.
  void expect_ended(const std::vector<Event>& events, std::size_t count) {
    const std::vector<Event> sent = of_kind(events, EventKind::sent);
    EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, count));
    for (std::size_t i = 1; i < sent.size(); ++i) {
      if (sent[i - 1].completion != Completion::ok) {
        EXPECT_EQ(sent[i].completion, Completion::flushed) << "behind one that failed";
      }
    }
  }
  void expect_down(const std::vector<Event>& events, Peer peer) {
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(of_kind(events, EventKind::peer_down).size(), 1u);
    EXPECT_EQ(events.back().kind, EventKind::peer_down) << "all has ended before";
    EXPECT_EQ(events.back().peer, peer);
  }

  // Frames and completions get through.
  void expect_usable() {
    Slots mine(a(), few_);
    Slots theirs(b(), few_, Service::connected);
    ASSERT_EQ(b().offer(theirs.receive_slots(0, few_)), few_);
    ASSERT_EQ(a().post(sends(mine, few_)), few_);
    const std::vector<Event> sent = of_a(few_);
    EXPECT_EQ(cookies_of(sent, EventKind::sent), numbers(0, few_));
    for (const Event& event : sent) EXPECT_EQ(event.completion, Completion::ok);
    EXPECT_EQ(of_kind(of_b(few_), EventKind::received).size(), few_);
    kept_.push_back(std::move(mine));
    kept_.push_back(std::move(theirs));
  }

  // Memory outlives the fabrics, so it is declared before them.
  std::vector<Slots> kept_;
  std::unique_ptr<FabricPair> pair_;
  std::size_t few_ = 0;
  Peer to_b_, to_a_;
  std::vector<Event> of_b_;
};

TEST_P(Connected, CapsAreConsistent) {
  EXPECT_TRUE(a().caps().connected);
  EXPECT_GE(a().caps().connected_bytes_max, a().caps().frame_bytes_max);
}

TEST_P(Connected, AnAttachWaitsForTheOtherEnds) {
  to_b_ = a().attach(b().local_address(), Service::connected);
  ASSERT_NE(to_b_, kNoPeer);
  EXPECT_TRUE(poll_for(*pair_, a(), 0).empty());
  EXPECT_EQ(a().attach(b().local_address(), Service::connected), kNoPeer) << "there is one";
  to_a_ = b().attach(a().local_address(), Service::connected);
  ASSERT_NE(to_a_, kNoPeer);
  expect_attached();
  expect_usable();
}

TEST_P(Connected, BothEndsAtOnceMakeOneConnection) {
  attach_both();
  expect_usable();
  EXPECT_TRUE(poll_for(*pair_, a(), 0).empty());
  EXPECT_TRUE(poll_for(*pair_, b(), 0).empty());
}

TEST_P(Connected, ForeignAddressesAreRefused) {
  Address foreign;
  foreign.size = Address::kBytesMax;
  EXPECT_EQ(a().attach(foreign, Service::connected), kNoPeer);
  EXPECT_EQ(a().attach(Address{}, Service::connected), kNoPeer);
}

TEST_P(Connected, FramesArriveInOrderAndNameTheirPeer) {
  attach_both();
  Slots mine(a(), few_);
  Slots theirs(b(), few_, Service::connected);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, few_)), few_);
  ASSERT_EQ(a().post(sends(mine, few_)), few_);
  const std::vector<Event> events = of_b(few_);
  ASSERT_EQ(events.size(), few_);
  for (std::size_t i = 0; i < few_; ++i) {
    EXPECT_EQ(events[i].kind, EventKind::received);
    EXPECT_EQ(events[i].peer, to_a_);
    ASSERT_EQ(events[i].size, 100u);
    EXPECT_TRUE(theirs.holds(events[i].cookie, 100, static_cast<std::uint8_t>(i + 1)));
  }
  EXPECT_EQ(cookies_of(of_a(few_), EventKind::sent), numbers(0, few_));
}

TEST_P(Connected, AFrameLargerThanADatagramAndAnEmptyOne) {
  attach_both();
  const std::uint32_t large =
      std::min(a().caps().connected_bytes_max, 20 * a().caps().frame_bytes_max + 7);
  std::vector<std::byte> from(large), into(2 * large);
  for (std::size_t i = 0; i < large; ++i) from[i] = static_cast<std::byte>(i * 7 + i / 256);
  const Region mine = a().register_memory(from);
  const Region theirs = b().register_memory(into);
  const std::array slots = {ReceiveSlot{theirs, into.data(), large, 0, Service::connected},
                            ReceiveSlot{theirs, into.data() + large, large, 1, Service::connected}};
  ASSERT_EQ(b().offer(slots), 2u);
  Operation operation;
  operation.peer = to_b_;
  operation.region = mine;
  operation.data = from.data();
  operation.size = large;
  Operation empty = operation;
  empty.size = 0;
  const std::array operations = {operation, empty};
  ASSERT_EQ(a().post(operations), 2u);
  const std::vector<Event> events = of_b(2);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].size, large);
  EXPECT_TRUE(std::equal(from.begin(), from.end(), into.data() + events[0].cookie * large));
  EXPECT_EQ(events[1].size, 0u);
  EXPECT_EQ(of_a(2).size(), 2u);
  pair_.reset();
}

TEST_P(Connected, AnInlineSendIsOverWhenItIsAccepted) {
  attach_both();
  Slots mine(a(), 1);
  Slots theirs(b(), 1, Service::connected);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  const std::uint32_t size = a().caps().inline_bytes_max;
  Operation operation = mine.send(0, to_b_, size, 7);
  operation.inline_data = true;
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  std::memset(mine.data(0), 0xee, size);
  const std::vector<Event> events = of_b(1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].size, size);
  EXPECT_TRUE(theirs.holds(0, size, 7));
  EXPECT_TRUE(poll_for(*pair_, a(), 0).empty());
}

TEST_P(Connected, FramesWaitForASlotAndTakeNoneOfDatagrams) {
  attach_both();
  Slots mine(a(), few_);
  Slots of_datagrams(b(), 1);
  Slots theirs(b(), few_, Service::connected);
  ASSERT_EQ(b().offer(of_datagrams.receive_slots(0, 1)), 1u);
  ASSERT_EQ(a().post(sends(mine, few_)), few_);
  EXPECT_TRUE(poll_for(*pair_, b(), 0).empty());
  ASSERT_EQ(b().offer(theirs.receive_slots(0, few_)), few_);
  EXPECT_EQ(of_b(few_).size(), few_);
  const Peer datagrams = a().attach(b().local_address(), Service::datagram);
  ASSERT_NE(datagrams, kNoPeer);
  Operation operation = mine.send(0, datagrams, 100, 9);
  operation.inline_data = true;
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  const std::vector<Event> events = of_b(1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].peer, kNoPeer);
  EXPECT_TRUE(of_datagrams.holds(0, 100, 9));
}

TEST_P(Connected, WhatIsPostedBeforeItIsAttachedIsFlushed) {
  to_b_ = a().attach(b().local_address(), Service::connected);
  Slots mine(a(), few_);
  ASSERT_EQ(a().post(sends(mine, few_)), few_);
  const std::vector<Event> events = of_a(few_);
  EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, few_));
  for (const Event& event : events) EXPECT_EQ(event.completion, Completion::flushed);
}

TEST_P(Connected, WhatCannotSucceedHereCompletesWithAnErrorInItsPlace) {
  attach_both();
  Slots mine(a(), 4);
  Slots theirs(b(), 4, Service::connected);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 4)), 4u);
  std::vector<Operation> operations = sends(mine, 4);
  operations[1].data = mine.data(0) - 1;
  operations[2].size = 4 * a().caps().frame_bytes_max;
  ASSERT_EQ(a().post(operations), 4u);
  const std::vector<Event> events = of_a(4);
  ASSERT_EQ(cookies_of(events, EventKind::sent), numbers(0, 4));
  EXPECT_EQ(events[0].completion, Completion::ok);
  EXPECT_EQ(events[1].completion, Completion::local_error);
  EXPECT_EQ(events[2].completion, Completion::local_error);
  EXPECT_EQ(events[3].completion, Completion::ok);
  EXPECT_EQ(of_b(2).size(), 2u);
}

TEST_P(Connected, BackPressureTakesAPrefixAndWritableFollowsOnce) {
  attach_both();
  const std::size_t depth = a().caps().send_depth;
  Slots mine(a(), depth + 5);
  Slots theirs(b(), depth, Service::connected);
  const std::vector<Operation> operations = sends(mine, depth + 5);
  const std::size_t accepted = a().post(operations);
  ASSERT_LE(accepted, depth);
  ASSERT_GT(accepted, 0u);
  const std::size_t slots = std::min<std::size_t>(accepted, b().caps().receive_depth);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, slots)), slots);
  const std::vector<Event> events = of_a(accepted + 1);
  EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, accepted));
  EXPECT_EQ(of_kind(events, EventKind::writable).size(), 1u);
}

TEST_P(Connected, ResetEndsEachOperationOnceAndThePeerIsTold) {
  attach_both();
  Slots mine(a(), few_);
  ASSERT_EQ(a().post(sends(mine, few_)), few_);  // b has offered no slot
  a().reset(to_b_);
  a().reset(to_b_);
  const std::vector<Event> events = of_a(few_);
  expect_ended(events, few_);
  EXPECT_EQ(of_kind(events, EventKind::peer_down).size(), 0u) << "who resets knows";
  expect_down(of_b(1), to_a_);
  b().reset(to_a_);
  expect_attached();
  expect_usable();
}

TEST_P(Connected, BothEndsResetAtOnce) {
  attach_both();
  a().reset(to_b_);
  b().reset(to_a_);
  expect_attached();
  expect_usable();
}

TEST_P(Connected, DetachEndsEachOperationOnceAndTheAddressMayBeAttachedAnew) {
  attach_both();
  Slots mine(a(), few_);
  ASSERT_EQ(a().post(sends(mine, few_)), few_);
  a().detach(to_b_);
  expect_ended(of_a(few_), few_);
  expect_down(of_b(1), to_a_);
  b().detach(to_a_);
  attach_both();
  expect_usable();
}

TEST_P(Connected, WhoIsToldThatThePeerIsDownFlushesUntilReset) {
  attach_both();
  b().detach(to_a_);
  expect_down(of_a(1), to_b_);
  Slots mine(a(), few_);
  ASSERT_EQ(a().post(sends(mine, few_)), few_);
  const std::vector<Event> events = of_a(few_);
  EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, few_));
  for (const Event& event : events) EXPECT_EQ(event.completion, Completion::flushed);
  a().reset(to_b_);
  to_a_ = b().attach(a().local_address(), Service::connected);
  expect_attached();
  expect_usable();
}

TEST_P(Connected, ThePeersDeathEndsEachOperationOnce) {
  attach_both();
  Slots mine(a(), few_);
  ASSERT_EQ(a().post(sends(mine, few_)), few_);
  pair_->end_b();
  const std::vector<Event> events = poll_for(*pair_, a(), few_ + 1);
  expect_ended(events, few_);
  expect_down(events, to_b_);
  ASSERT_FALSE(events.empty());
  EXPECT_NE(events[0].completion, Completion::ok);
}

// One-sided operations: memory of b's that a writes to and reads.
class OneSided : public Connected {
 protected:
  static constexpr std::uint32_t kBytes = 10'000;

  void SetUp() override {
    Connected::SetUp();
    if (!a().caps().one_sided) GTEST_SKIP() << "no one-sided operations";
    theirs_.assign(kBytes, std::byte{0x11});
    mine_.assign(kBytes, std::byte{0x22});
    region_ = a().register_memory(mine_);
    their_region_ = b().register_memory(theirs_);
    exposed_ = b().expose(their_region_);
    ASSERT_NE(exposed_, RemoteMemory{});
    attach_both();
  }
  void TearDown() override { pair_.reset(); }

  // Of bytes [first, first + size) at both ends.
  Operation one_sided(OperationKind kind, std::uint32_t first, std::uint32_t size,
                      std::uint64_t cookie = 0) {
    Operation operation;
    operation.kind = kind;
    operation.peer = to_b_;
    operation.region = region_;
    operation.data = mine_.data() + first;
    operation.size = size;
    operation.remote_address = exposed_.address + first;
    operation.remote_key = exposed_.key;
    operation.cookie = cookie;
    return operation;
  }
  void expect_untouched() {
    EXPECT_TRUE(std::all_of(theirs_.begin(), theirs_.end(),
                            [](std::byte byte) { return byte == std::byte{0x11}; }));
  }
  // It is refused, what is behind it is flushed, both ends are told, and a reset mends it.
  void expect_refused(Operation wrong) {
    wrong.cookie = 0;
    const std::array operations = {wrong, one_sided(OperationKind::write, 0, 8, 1)};
    ASSERT_EQ(a().post(operations), 2u);
    const std::vector<Event> events = of_a(3);
    ASSERT_EQ(cookies_of(events, EventKind::sent), numbers(0, 2));
    EXPECT_EQ(events[0].completion, Completion::remote_access);
    EXPECT_EQ(events[1].completion, Completion::flushed);
    expect_down(events, to_b_);
    EXPECT_EQ(events.back().completion, Completion::remote_access);
    expect_untouched();
    expect_down(of_b(1), to_a_);
    a().reset(to_b_);
    b().reset(to_a_);
    expect_attached();
    const Operation right = one_sided(OperationKind::write, 0, 8);
    ASSERT_EQ(a().post({&right, 1}), 1u);
    const std::vector<Event> after = of_a(1);
    ASSERT_EQ(after.size(), 1u);
    EXPECT_EQ(after[0].completion, Completion::ok);
  }

  std::vector<std::byte> theirs_, mine_;
  Region region_, their_region_;
  RemoteMemory exposed_;
};

TEST_P(OneSided, AWritePlacesItsBytesWhereItSaysAndNowhereElse) {
  const Operation operation = one_sided(OperationKind::write, 1'001, 6'003, 5);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  const std::vector<Event> events = of_a(1);
  ASSERT_EQ(cookies_of(events, EventKind::sent), numbers(5, 1));
  EXPECT_EQ(events[0].completion, Completion::ok);
  for (std::uint32_t i = 0; i < kBytes; ++i) {
    const bool written = i >= 1'001 && i < 1'001 + 6'003;
    ASSERT_EQ(theirs_[i], std::byte{static_cast<unsigned char>(written ? 0x22 : 0x11)}) << i;
  }
  EXPECT_TRUE(of_b(0).empty()) << "who is written to is not told";
}

TEST_P(OneSided, AReadFetchesTheBytesItSaysAndNoOthers) {
  const Operation operation = one_sided(OperationKind::read, 100, 5'000, 5);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  const std::vector<Event> events = of_a(1);
  ASSERT_EQ(cookies_of(events, EventKind::sent), numbers(5, 1));
  EXPECT_EQ(events[0].completion, Completion::ok);
  for (std::uint32_t i = 0; i < kBytes; ++i) {
    const bool fetched = i >= 100 && i < 5'100;
    ASSERT_EQ(mine_[i], std::byte{static_cast<unsigned char>(fetched ? 0x11 : 0x22)}) << i;
  }
}

TEST_P(OneSided, AWriteIsThereWhenTheFrameBehindItArrives) {
  Slots frames(a(), 1);
  Slots slots(b(), 1, Service::connected);
  ASSERT_EQ(b().offer(slots.receive_slots(0, 1)), 1u);
  const std::array operations = {one_sided(OperationKind::write, 0, kBytes, 0),
                                 frames.send(0, to_b_, 1, 9)};
  ASSERT_EQ(a().post(operations), 2u);
  ASSERT_EQ(of_kind(of_b(1), EventKind::received).size(), 1u);
  EXPECT_EQ(theirs_, mine_);
  EXPECT_EQ(of_a(2).size(), 2u);
  pair_.reset();
}

TEST_P(OneSided, AnInlineWriteIsOverWhenItIsAccepted) {
  Operation operation = one_sided(OperationKind::write, 10, 50);
  operation.inline_data = true;
  const Operation behind = one_sided(OperationKind::read, 5'000, 1);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  std::fill_n(mine_.begin(), 100, std::byte{0xee});
  ASSERT_EQ(a().post({&behind, 1}), 1u);
  EXPECT_EQ(of_a(1).size(), 1u);
  EXPECT_EQ(std::count(theirs_.begin(), theirs_.end(), std::byte{0x22}), 50);
}

TEST_P(OneSided, AWrongKeyIsRefused) {
  Operation operation = one_sided(OperationKind::write, 0, 8);
  operation.remote_key ^= 0x55;
  expect_refused(operation);
}

TEST_P(OneSided, BytesBehindTheRegionAreRefused) {
  Operation operation = one_sided(OperationKind::write, kBytes - 8, 8);
  operation.remote_address += 1;
  expect_refused(operation);
}

TEST_P(OneSided, BytesBeforeTheRegionAreRefused) {
  Operation operation = one_sided(OperationKind::write, 0, 8);
  operation.remote_address -= 1;
  expect_refused(operation);
}

TEST_P(OneSided, ExposingTwiceSaysTheSame) {
  EXPECT_EQ(b().expose(their_region_), exposed_);
  EXPECT_EQ(b().expose(kNoRegion), RemoteMemory{});
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Connected);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OneSided);
INSTANTIATE_TEST_SUITE_P(Fabrics, Connected,
                         ::testing::ValuesIn(fabrics_that(&FabricFactory::connected)),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Fabrics, OneSided,
                         ::testing::ValuesIn(fabrics_that(&FabricFactory::connected)),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace holdfast::conformance
