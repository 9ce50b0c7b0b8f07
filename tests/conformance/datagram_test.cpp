// The rules of seam 1 (stack/fabric.hpp) for every fabric that carries datagrams.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/conformance/exchange.hpp"
#include "tests/conformance/fabric_pair.hpp"
#include "tests/conformance/impaired_pair.hpp"

namespace holdfast::conformance {
namespace {

class Datagram : public ::testing::TestWithParam<FabricFactory> {
 protected:
  void SetUp() override {
    pair_ = GetParam().make();
    ASSERT_NE(pair_, nullptr);
    depth_ = std::min<std::size_t>(a().caps().send_depth, 64);
    to_b_ = a().attach(b().local_address(), Service::datagram);
    ASSERT_NE(to_b_, kNoPeer);
  }

  Fabric& a() { return pair_->a(); }
  Fabric& b() { return pair_->b(); }

  // As many as can be under way at one time without loss.
  std::size_t few() { return std::min<std::size_t>({depth_, b().caps().receive_depth, 8}); }

  std::vector<Operation> sends(Slots& slots, std::size_t count) {
    std::vector<Operation> operations;
    for (std::size_t i = 0; i < count; ++i) {
      operations.push_back(slots.send(i, to_b_, 100, static_cast<std::uint8_t>(i + 1)));
    }
    return operations;
  }

  std::unique_ptr<FabricPair> pair_;
  std::size_t depth_ = 0;
  Peer to_b_;
};

TEST_P(Datagram, CapsAreConsistent) {
  const Caps& caps = a().caps();
  EXPECT_STRNE(caps.kind, "");
  EXPECT_TRUE(caps.datagram);
  EXPECT_GE(caps.frame_bytes_max, 512u);
  EXPECT_LE(caps.inline_bytes_max, caps.frame_bytes_max);
  EXPECT_GE(caps.send_depth, 1u);
  EXPECT_GE(caps.receive_depth, 1u);
  EXPECT_EQ(a().set_path(to_b_, PathChoice::alternate), caps.path_control);
}

// Where a handle follows from the address it may be asked for with every frame.
TEST_P(Datagram, AHandleThatFollowsFromTheAddressNeedNotBeKept) {
  if (!a().caps().stateless_attach) GTEST_SKIP() << "handles have to be kept";
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(a().attach(b().local_address(), Service::datagram), to_b_);
  }
  a().detach(to_b_);
  Slots mine(a(), 1);
  Slots theirs(b(), 1);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  const Operation operation = mine.send(0, to_b_, 100, 7);
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  EXPECT_EQ(cookies_of(poll_for(*pair_, b(), 1), EventKind::received), numbers(0, 1));
}

TEST_P(Datagram, ForeignAddressesAndServicesAreRefused) {
  Address foreign;
  foreign.size = Address::kBytesMax;
  EXPECT_EQ(a().attach(foreign, Service::datagram), kNoPeer);
  EXPECT_EQ(a().attach(Address{}, Service::datagram), kNoPeer);
  if (!a().caps().connected) {
    EXPECT_EQ(a().attach(b().local_address(), Service::connected), kNoPeer);
  }
  if (!a().caps().watch) {
    EXPECT_EQ(a().attach(b().local_address(), Service::watch), kNoPeer);
  }
}

// Before anything has been sent, several times, in vain and before each of a row of frames.
TEST_P(Datagram, WhatIsPreparedNeedNotCome) {
  a().prepare(to_b_);
  a().prepare(to_b_);
  Slots mine(a(), few());
  Slots theirs(b(), few());
  ASSERT_EQ(b().offer(theirs.receive_slots(0, few())), few());
  for (std::uint8_t i = 0; i < few(); ++i) {
    a().prepare(to_b_);
    const Operation operation = mine.send(i, to_b_, 100, i);
    ASSERT_EQ(a().post({&operation, 1}), 1u);
    a().prepare(to_b_);
  }
  ASSERT_EQ(cookies_of(poll_for(*pair_, b(), few()), EventKind::received).size(), few());
  for (std::uint8_t i = 0; i < few(); ++i) {
    std::size_t slots = 0;
    for (std::size_t slot = 0; slot < few(); ++slot) slots += theirs.holds(slot, 100, i) ? 1u : 0u;
    EXPECT_EQ(slots, 1u) << "frame " << int{i};
  }
}

TEST_P(Datagram, AnInlineSendIsOverWhenItIsAccepted) {
  Slots mine(a(), 1);
  Slots theirs(b(), 1);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  Operation operation = mine.send(0, to_b_, 100, 7);
  operation.inline_data = true;
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  std::memset(mine.data(0), 0xee, 100);
  const std::vector<Event> events = poll_for(*pair_, b(), 1);
  ASSERT_EQ(cookies_of(events, EventKind::received), numbers(0, 1));
  EXPECT_EQ(events[0].size, 100u);
  EXPECT_TRUE(theirs.holds(0, 100, 7));
  EXPECT_TRUE(poll_all(a()).empty());
}

TEST_P(Datagram, EveryOtherSendCompletesExactlyOnceAndInOrder) {
  Slots mine(a(), depth_);
  ASSERT_EQ(a().post(sends(mine, depth_)), depth_);
  const std::vector<Event> events = poll_for(*pair_, a(), depth_);
  EXPECT_EQ(events.size(), depth_);
  EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, depth_));
  for (const Event& event : events) {
    EXPECT_EQ(event.completion, Completion::ok);
    EXPECT_EQ(event.peer, to_b_);
  }
}

TEST_P(Datagram, FramesArriveWholeEachInASlotOfItsOwn) {
  const std::size_t count = few();
  Slots mine(a(), count);
  Slots theirs(b(), count);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, count)), count);
  ASSERT_EQ(a().post(sends(mine, count)), count);
  const std::vector<Event> events = poll_for(*pair_, b(), count);
  std::vector<std::uint64_t> slots = cookies_of(events, EventKind::received);
  ASSERT_EQ(slots.size(), count);
  std::vector<std::uint8_t> values;
  for (const Event& event : events) {
    ASSERT_EQ(event.size, 100u);
    EXPECT_EQ(event.peer, kNoPeer);
    const auto value = std::to_integer<std::uint8_t>(*theirs.data(event.cookie));
    EXPECT_TRUE(theirs.holds(event.cookie, 100, value));
    values.push_back(value);
  }
  std::sort(slots.begin(), slots.end());
  EXPECT_EQ(slots, numbers(0, count));
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(values[i], i + 1);
}

TEST_P(Datagram, TheLargestFrameArrivesAndAnEmptyOneToo) {
  const std::uint32_t largest = a().caps().frame_bytes_max;
  Slots mine(a(), 2);
  Slots theirs(b(), 2);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 2)), 2u);
  for (const std::uint32_t size : {largest, 0u}) {
    const Operation operation = mine.send(0, to_b_, size, 9);
    ASSERT_EQ(a().post({&operation, 1}), 1u);
    const std::vector<Event> events = poll_for(*pair_, b(), 1);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].size, size);
    EXPECT_TRUE(theirs.holds(events[0].cookie, size, 9));
    poll_for(*pair_, a(), 1);
  }
}

TEST_P(Datagram, WhatCanNeverSucceedCompletesWithAnErrorInItsPlace) {
  Slots mine(a(), 8);
  std::vector<Operation> operations = sends(mine, 3);
  operations[1].size = a().caps().frame_bytes_max + 1;
  ASSERT_EQ(a().post(operations), 3u);
  const std::vector<Event> events = poll_for(*pair_, a(), 3);
  ASSERT_EQ(cookies_of(events, EventKind::sent), numbers(0, 3));
  EXPECT_EQ(events[0].completion, Completion::ok);
  EXPECT_EQ(events[1].completion, Completion::local_error);
  EXPECT_EQ(events[2].completion, Completion::ok);
}

// Writes the end of a frame, and only then what begins it.
class EndFirst final : public FrameWriter {
 public:
  void write(const Operation& operation, std::byte* to, Passes) override {
    const auto value = static_cast<std::uint8_t>(operation.cookie + 1);
    std::memset(to, 0x80 + value, operation.more_size);
    std::memset(operation.data, value, operation.size);
  }
};

// Three are a run where the network cuts runs.
TEST_P(Datagram, ASecondPieceEndsItsFrame) {
  const Caps& caps = a().caps();
  if (!caps.gathers && !caps.is_written_in_place) GTEST_SKIP() << "frames are in one piece";
  ASSERT_NE(caps.gathers, caps.is_written_in_place);
  constexpr std::uint32_t kFirst = 48;
  constexpr std::size_t kFrames = 3;
  EndFirst writer;
  Slots mine(a(), 2 * kFrames);
  Slots theirs(b(), kFrames);
  for (const std::uint32_t longest : {2u, 400u, caps.frame_bytes_max - kFirst}) {
    ASSERT_EQ(b().offer(theirs.receive_slots(0, kFrames)), kFrames);
    std::vector<Operation> operations;
    for (std::size_t i = 0; i < kFrames; ++i) {
      const auto value = static_cast<std::uint8_t>(i + 1);
      Operation& operation = operations.emplace_back(mine.send(i, to_b_, kFirst, value));
      operation.inline_data = true;
      operation.more_size = i + 1 < kFrames ? longest : 1;
      std::byte* const more = mine.data(kFrames + i);
      std::memset(more, 0x80 + value, operation.more_size);
      if (caps.gathers) {
        operation.more = more;
      } else {
        operation.writer = &writer;
        std::memset(operation.data, 0, kFirst);
      }
    }
    ASSERT_EQ(a().post(operations), kFrames);
    for (std::size_t i = 0; i < 2 * kFrames; ++i) std::memset(mine.data(i), 0xee, kFirst);
    const std::vector<Event> events = poll_for(*pair_, b(), kFrames);
    ASSERT_EQ(events.size(), kFrames);
    for (const Event& event : events) {
      const auto value = std::to_integer<std::uint8_t>(*theirs.data(event.cookie));
      ASSERT_TRUE(value >= 1 && value <= kFrames);
      EXPECT_EQ(event.size, kFirst + operations[value - 1].more_size);
      EXPECT_TRUE(theirs.holds(event.cookie, kFirst, value));
      const std::byte* const end = theirs.data(event.cookie) + kFirst;
      EXPECT_TRUE(std::all_of(end, end + operations[value - 1].more_size,
                              [value](std::byte byte) { return byte == std::byte(0x80 + value); }));
    }
  }
}

TEST_P(Datagram, TwoPiecesAreTogetherNoLongerThanAFrame) {
  const Caps& caps = a().caps();
  if (!caps.gathers && !caps.is_written_in_place) GTEST_SKIP() << "frames are in one piece";
  EndFirst writer;
  Slots mine(a(), 2);
  Slots theirs(b(), 1);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  Operation operation = mine.send(0, to_b_, 48, 7);
  operation.inline_data = true;
  operation.more_size = caps.frame_bytes_max - 47;
  if (caps.gathers) {
    operation.more = mine.data(1);
  } else {
    operation.writer = &writer;
  }
  ASSERT_EQ(a().post({&operation, 1}), 1u);
  const std::vector<Event> events = poll_for(*pair_, a(), 1);
  ASSERT_EQ(cookies_of(events, EventKind::sent), numbers(0, 1));
  EXPECT_EQ(events[0].completion, Completion::local_error);
  EXPECT_TRUE(poll_for(*pair_, b(), 0).empty());
}

TEST_P(Datagram, ResetEndsWhatIsPostedAndThePeerStaysUsable) {
  const std::size_t count = few();
  Slots mine(a(), count);
  ASSERT_EQ(a().post(sends(mine, count)), count);
  a().reset(to_b_);
  for (const Event& event : poll_for(*pair_, a(), count)) {
    EXPECT_TRUE(event.completion == Completion::ok || event.completion == Completion::flushed);
  }
  ASSERT_EQ(a().post(sends(mine, count)), count);
  const std::vector<Event> events = poll_for(*pair_, a(), count);
  EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, count));
  for (const Event& event : events) EXPECT_EQ(event.completion, Completion::ok);
}

TEST_P(Datagram, ResetCompletesEachOperationExactlyOnce) {
  const std::size_t count = few();
  Slots mine(a(), count);
  ASSERT_EQ(a().post(sends(mine, count)), count);
  a().reset(to_b_);
  a().reset(to_b_);
  EXPECT_EQ(cookies_of(poll_for(*pair_, a(), count), EventKind::sent), numbers(0, count));
}

TEST_P(Datagram, DetachCompletesEachOperationExactlyOnce) {
  const std::size_t count = few();
  Slots mine(a(), count);
  ASSERT_EQ(a().post(sends(mine, count)), count);
  a().detach(to_b_);
  EXPECT_EQ(cookies_of(poll_for(*pair_, a(), count), EventKind::sent), numbers(0, count));
}

TEST_P(Datagram, HandlesOfOneAddressAreDetachedEachByItself) {
  const Peer second = a().attach(b().local_address(), Service::datagram);
  ASSERT_NE(second, kNoPeer);
  a().detach(second);
  Slots mine(a(), 1);
  Slots theirs(b(), 1);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  ASSERT_EQ(a().post(sends(mine, 1)), 1u);
  EXPECT_EQ(poll_for(*pair_, b(), 1).size(), 1u);
}

TEST_P(Datagram, BackPressureTakesAPrefixAndWritableFollowsOnce) {
  const std::size_t depth = a().caps().send_depth;
  Slots mine(a(), depth + 5);
  const std::vector<Operation> operations = sends(mine, depth + 5);
  const std::size_t accepted = a().post(operations);
  ASSERT_LE(accepted, depth);
  ASSERT_GT(accepted, 0u);
  const std::vector<Event> events = poll_for(*pair_, a(), accepted + 1);
  EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, accepted));
  EXPECT_EQ(cookies_of(events, EventKind::writable).size(), 1u);
  EXPECT_GT(a().post(std::span(operations).subspan(accepted)), 0u);
}

TEST_P(Datagram, WithoutBackPressureNothingIsWritable) {
  Slots mine(a(), depth_);
  ASSERT_EQ(a().post(sends(mine, depth_)), depth_);
  EXPECT_TRUE(cookies_of(poll_for(*pair_, a(), depth_), EventKind::writable).empty());
}

TEST_P(Datagram, NoMoreSlotsAreTakenThanTheReceiveDepth) {
  const std::size_t depth = b().caps().receive_depth;
  Slots theirs(b(), depth + 3);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, depth + 3)), depth);
  EXPECT_EQ(b().offer(theirs.receive_slots(depth, 3)), 0u);
  Slots mine(a(), 1);
  ASSERT_EQ(a().post(sends(mine, 1)), 1u);
  ASSERT_EQ(poll_for(*pair_, b(), 1).size(), 1u);
  EXPECT_EQ(b().offer(theirs.receive_slots(depth, 3)), 1u);
}

TEST_P(Datagram, FramesWaitForASlot) {
  const std::size_t count = few();
  Slots mine(a(), count);
  Slots theirs(b(), count);
  ASSERT_EQ(a().post(sends(mine, count)), count);
  EXPECT_TRUE(poll_for(*pair_, b(), 0).empty());
  EXPECT_TRUE(b().arm().idle) << "frames that nobody can take must not keep a process awake";
  ASSERT_EQ(b().offer(theirs.receive_slots(0, count)), count);
  EXPECT_EQ(poll_for(*pair_, b(), count).size(), count);
}

TEST_P(Datagram, PollInSmallPortionsLosesNothing) {
  const std::size_t count = few();
  Slots mine(a(), count);
  Slots theirs(b(), count);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, count)), count);
  ASSERT_EQ(a().post(sends(mine, count)), count);
  std::size_t sent = 0;
  std::size_t received = 0;
  std::vector<Event> one(1);
  for (int attempt = 0; attempt < 2000 && (sent < count || received < count); ++attempt) {
    pair_->settle();
    sent += a().poll(one);
    received += b().poll(one);
  }
  EXPECT_EQ(sent, count);
  EXPECT_EQ(received, count);
  EXPECT_EQ(a().poll(one) + b().poll(one), 0u);
}

TEST_P(Datagram, ArrivalsAreInOrderAndNeverLaterThanThePoll) {
  const std::size_t count = few();
  Slots mine(a(), count);
  Slots theirs(b(), count);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, count)), count);
  const Time before = pair_->now();
  ASSERT_EQ(a().post(sends(mine, count)), count);
  const std::vector<Event> events = poll_for(*pair_, b(), count);
  const Time after = pair_->now();
  ASSERT_EQ(events.size(), count);
  Time last{};
  for (const Event& event : events) {
    EXPECT_LE(event.at, after);
    EXPECT_GE(event.at, last);
    last = event.at;
  }
  // The wall clock, from which real arrival times come, may be read a little later than `before`.
  EXPECT_GE(events[0].at, before - milliseconds(10));
}

TEST_P(Datagram, WithNothingToDoAFabricLetsAProcessSleep) {
  Slots theirs(b(), 1);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  EXPECT_TRUE(a().arm().idle);
  EXPECT_TRUE(b().arm().idle);
}

TEST_P(Datagram, AFrameThatWaitsKeepsAProcessAwakeUntilItIsPolled) {
  Slots mine(a(), 1);
  Slots theirs(b(), 1);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  ASSERT_EQ(a().post(sends(mine, 1)), 1u);
  bool idle = true;
  for (int attempt = 0; attempt < 2000 && idle; ++attempt) {
    pair_->settle();
    idle = b().arm().idle;
  }
  EXPECT_FALSE(idle);
  EXPECT_FALSE(a().arm().idle) << "a completion waits";
  EXPECT_EQ(poll_for(*pair_, b(), 1).size(), 1u);
  EXPECT_EQ(poll_for(*pair_, a(), 1).size(), 1u);
  EXPECT_TRUE(a().arm().idle);
  EXPECT_TRUE(b().arm().idle);
}

TEST_P(Datagram, AFrameBetweenArmAndSleepWakes) {
  Slots mine(a(), 1);
  Slots theirs(b(), 1);
  ASSERT_EQ(b().offer(theirs.receive_slots(0, 1)), 1u);
  const Armed armed = b().arm();
  ASSERT_TRUE(armed.idle);
  ASSERT_EQ(a().post(sends(mine, 1)), 1u);
  if (armed.descriptor >= 0) {
    pollfd waiting{armed.descriptor, POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 5000), 1);
  }
  EXPECT_EQ(poll_for(*pair_, b(), 1).size(), 1u);
  if (armed.descriptor >= 0) {
    ASSERT_TRUE(b().arm().idle);
    pollfd waiting{armed.descriptor, POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 0), 0) << "an empty fabric must let a process sleep";
  }
}

TEST_P(Datagram, SentIsNotDelivery) {
  const std::size_t count = few();
  Slots mine(a(), count);
  pair_->end_b();
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(a().post(sends(mine, count)), count);
    const std::vector<Event> events = poll_for(*pair_, a(), count);
    EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, count));
    for (const Event& event : events) EXPECT_EQ(event.completion, Completion::ok);
  }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Datagram,
                         ::testing::ValuesIn(fabrics_that(&FabricFactory::datagram)),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(
    WithoutFaults, Datagram,
    ::testing::ValuesIn(without_faults(without_variants(fabrics_that(&FabricFactory::datagram)))),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace holdfast::conformance
