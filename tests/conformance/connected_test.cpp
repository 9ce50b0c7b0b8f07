// The rules of seam 1 (stack/fabric.hpp) for every fabric that makes connections.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "tests/conformance/connected_ends.hpp"

namespace holdfast::conformance {
namespace {

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

TEST_P(Connected, WhatArrivedBeforeAResetIsNotHeardOfAfterItAndItsSlotsServeOthers) {
  attach_both();
  Slots mine(a(), few_);
  Slots theirs(b(), few_, Service::connected);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, few_)), few_);
  const Operation early = mine.send(0, to_b_, 100, 0xee);
  ASSERT_EQ(a().post({&early, 1}), 1u);
  ASSERT_EQ(poll_for(*pair_, a(), 1).size(), 1u) << "b has not been polled";
  b().reset(to_a_);
  expect_down(of_a(1), to_b_);
  a().reset(to_b_);
  expect_attached();
  ASSERT_EQ(a().post(sends(mine, few_)), few_);
  EXPECT_EQ(of_a(few_).size(), few_);
  const std::vector<Event> events = of_b(few_);
  ASSERT_EQ(events.size(), few_);
  EXPECT_TRUE(theirs.holds(events[0].cookie, 100, 1));
  kept_.push_back(std::move(theirs));
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

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Connected);
INSTANTIATE_TEST_SUITE_P(Fabrics, Connected,
                         ::testing::ValuesIn(fabrics_that(&FabricFactory::connected)),
                         [](const auto& test) { return test.param.name; });
}  // namespace
}  // namespace holdfast::conformance
