// Runs of frames: sent as one buffer, cut again by the receiver, whatever it expected.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "hw/udp/udp_fabric.hpp"
#include "stack/base/random.hpp"
#include "tests/unit/hw/send_faults.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kSlotBytes = 2'000;
constexpr std::size_t kSlots = 64;

class UdpSegmentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    send_faults = {};
    UdpOptions options;
    options.frame_bytes_max = 60'000;
    options.receive_depth = kSlots;
    ASSERT_TRUE(UdpFabric::open(options, a_).is_ok());
    ASSERT_TRUE(UdpFabric::open(options, b_).is_ok());
    to_b_ = a_->attach(b_->local_address(), Service::datagram);
    ASSERT_NE(to_b_, kNoPeer);
  }

  // Frames of these sizes in one post, each as far behind the one before; the bytes of each follow
  // from its number among all.
  std::size_t post(const std::vector<std::uint32_t>& sizes, std::size_t apart = 1) {
    std::vector<std::byte> memory;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::vector<std::byte> bytes = frame(sent_ + i, sizes[i]);
      memory.insert(memory.end(), bytes.begin(), bytes.end());
      memory.resize(memory.size() + apart);
    }
    std::vector<Operation> operations(sizes.size());
    std::byte* next = memory.data();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      operations[i].peer = to_b_;
      operations[i].inline_data = true;
      operations[i].data = next;
      operations[i].size = sizes[i];
      next += sizes[i] + apart;
    }
    const std::size_t accepted = a_->post(operations);
    sent_ += accepted;
    return accepted;
  }

  static std::vector<std::byte> frame(std::size_t number, std::uint32_t size) {
    std::vector<std::byte> bytes(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::byte>(number * 31 + i * 7 + (i >> 8));
    }
    return bytes;
  }

  void offer(std::size_t count, std::uint32_t size = kSlotBytes) {
    for (std::size_t i = 0; i < kSlots && count > 0; ++i) {
      if (is_offered_[i]) continue;
      const ReceiveSlot slot{{}, slots_[i].data(), size, i};
      ASSERT_EQ(b_->offer({&slot, 1}), 1u);
      is_offered_[i] = true;
      --count;
    }
  }

  // Polls, `batch` events at a time, until the socket has no more for the slots.
  void receive(std::size_t batch = 16) {
    std::vector<Event> events(batch);
    const Armed armed = b_->arm();
    pollfd waiting{armed.descriptor, POLLIN, 0};
    if (armed.idle) {
      ASSERT_EQ(::poll(&waiting, 1, 5'000), 1);
    }
    bool more = true;
    while (more) {
      const std::size_t count = b_->poll(events);
      more = count == batch || (count > 0 && events[count - 1].more);
      for (std::size_t i = 0; i < count; ++i) {
        const bool is_lent = events[i].lent != nullptr;
        const std::byte* const data = is_lent ? events[i].lent : slots_[events[i].cookie].data();
        arrived_.emplace_back(data, data + events[i].size);
        lent_ += is_lent;
        is_offered_[events[i].cookie] = false;
        EXPECT_GE(events[i].at, last_at_);
        last_at_ = events[i].at;
      }
    }
  }

  void expect_arrived(const std::vector<std::uint32_t>& sizes) {
    ASSERT_EQ(arrived_.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      ASSERT_EQ(arrived_[i], frame(i, sizes[i])) << "frame " << i;
    }
  }

  std::unique_ptr<UdpFabric> a_, b_;
  Peer to_b_;
  std::size_t sent_ = 0;
  std::size_t lent_ = 0;  // of those that arrived
  std::array<std::array<std::byte, kSlotBytes>, kSlots> slots_{};
  std::array<bool, kSlots> is_offered_{};
  std::vector<std::vector<std::byte>> arrived_;
  Time last_at_;
};

TEST_F(UdpSegmentsTest, ARunArrivesAsTheFramesThatWereSentWithAShorterLast) {
  std::vector<std::uint32_t> sizes(20, 1'400);
  sizes.push_back(7);
  offer(kSlots);
  ASSERT_EQ(post(sizes), sizes.size());
  receive();
  expect_arrived(sizes);
  EXPECT_EQ(a_->counters().frames_sent, sizes.size());
  EXPECT_EQ(b_->counters().frames_received, sizes.size());
}

// Of the length that frames have by default, as an endpoint posts them; and nobody copies them.
TEST_F(UdpSegmentsTest, APostIsTwoBuffersOfFramesThatLieSideBySide) {
  constexpr std::uint32_t kFrame = 1'472, kFramesOfARun = 65'507 / kFrame;
  std::unique_ptr<UdpFabric> fabric;
  ASSERT_TRUE(UdpFabric::open({}, fabric).is_ok());
  const Caps& caps = fabric->caps();
  ASSERT_EQ(caps.frame_bytes_max, kFrame);
  EXPECT_EQ(caps.post_bytes_best, 2 * kFramesOfARun * kFrame);
  EXPECT_GE(caps.post_frames_best, 2 * kFramesOfARun);
  std::vector<std::byte> memory(caps.post_bytes_best);
  const Peer to_b = fabric->attach(b_->local_address(), Service::datagram);
  std::vector<Operation> operations(2 * kFramesOfARun);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    operations[i].peer = to_b;
    operations[i].inline_data = true;
    operations[i].data = memory.data() + i * kFrame;
    operations[i].size = kFrame;
  }
  ASSERT_EQ(fabric->post(operations), operations.size());
  EXPECT_EQ(send_faults.calls, 1);
  EXPECT_EQ(send_faults.buffers, 2u);
  EXPECT_EQ(send_faults.pieces, 2u);
  EXPECT_EQ(send_faults.latest_piece, memory.data() + kFramesOfARun * kFrame);
}

// Of the kernel: one buffer is what it has received, not 21.
TEST_F(UdpSegmentsTest, ARunGoesThroughTheKernelOnce) {
  ASSERT_EQ(post(std::vector<std::uint32_t>(21, 100)), 21u);
  EXPECT_EQ(send_faults.calls, 1);
  offer(1);
  receive();
  ASSERT_EQ(arrived_.size(), 1u);
  // The others were read with it: the socket has nothing any more.
  b_->detach(b_->attach(a_->local_address(), Service::datagram));
  EXPECT_TRUE(b_->arm().idle);
  offer(20);
  EXPECT_FALSE(b_->arm().idle) << "frames that have a slot wait";
  receive();
  expect_arrived(std::vector<std::uint32_t>(21, 100));
}

TEST_F(UdpSegmentsTest, WhateverWasExpectedEveryFrameArrivesOnceInOrder) {
  Random random(1, 2, 3);
  std::vector<std::uint32_t> all;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::uint32_t> sizes;
    while (sizes.empty() || random.below(3) > 0) {
      const auto size = static_cast<std::uint32_t>(
          random.below(4) == 0 ? random.below(3) : random.below(kSlotBytes + 1));
      for (std::uint64_t run = 1 + random.below(30); run > 0; --run) sizes.push_back(size);
      if (random.below(2) == 0) sizes.push_back(static_cast<std::uint32_t>(random.below(size + 1)));
    }
    ASSERT_EQ(post(sizes, random.below(2)), sizes.size());
    all.insert(all.end(), sizes.begin(), sizes.end());
    while (arrived_.size() < all.size()) {
      b_->set_lending(random.below(2) == 0);
      offer(1 + random.below(kSlots));
      receive(1 + random.below(20));
      ASSERT_EQ(b_->counters().truncated, 0u);
    }
  }
  expect_arrived(all);
  EXPECT_GT(lent_, 1'000u);
  EXPECT_LT(lent_, all.size() / 2);
}

// So as its reader has it until the next poll; and nobody who did not ask for it has it.
TEST_F(UdpSegmentsTest, WhatIsLentIsNotReadOverInThePollThatTellsOfIt) {
  const std::vector<std::uint32_t> run(10, 1'400);
  std::array<Event, kSlots> events;
  for (const bool lends : {false, true}) {
    b_->set_lending(lends);
    offer(kSlots);
    for (int i = 0; i < 6; ++i) ASSERT_EQ(post(run), run.size());
    std::size_t seen = 0;
    std::size_t polls = 0;
    while (seen < 6 * run.size()) {
      const std::size_t count = b_->poll(events);
      ASSERT_GT(count, 0u);
      ++polls;
      for (std::size_t i = 0; i < count; ++i, ++seen) {
        ASSERT_EQ(events[i].lent != nullptr, lends);
        const std::byte* const data = lends ? events[i].lent : slots_[events[i].cookie].data();
        const std::size_t number = sent_ - 6 * run.size() + seen;
        ASSERT_EQ(std::vector(data, data + events[i].size), frame(number, 1'400));
        is_offered_[events[i].cookie] = false;
      }
      ASSERT_EQ(events[count - 1].more, lends && seen < 6 * run.size());
    }
    EXPECT_GT(polls, lends ? 1u : 0u);
  }
}

TEST_F(UdpSegmentsTest, WhereTheKernelDoesNotCutFramesGoOneByOneAndItIsNotAskedAgain) {
  send_faults.cuts_nothing = true;
  const std::vector<std::uint32_t> sizes(10, 900);
  offer(kSlots);
  ASSERT_EQ(post(sizes), 10u);
  const int refusals = send_faults.not_cut;
  EXPECT_GT(refusals, 0);
  receive();
  expect_arrived(sizes);
  ASSERT_EQ(post(sizes), 10u);
  EXPECT_EQ(send_faults.not_cut, refusals);
  EXPECT_EQ(a_->counters().send_errors, 0u);
  // Shorter ones may do, and after a reset all are tried again.
  ASSERT_EQ(post(std::vector<std::uint32_t>(3, 899)), 3u);
  EXPECT_GT(send_faults.not_cut, refusals);
  a_->reset(to_b_);
  send_faults.cuts_nothing = false;
  send_faults.calls = 0;
  ASSERT_EQ(post(sizes), 10u);
  EXPECT_EQ(send_faults.calls, 1);
}

TEST_F(UdpSegmentsTest, ARunThatIsRefusedIsLostWholeAndSaidSoForEachFrame) {
  send_faults.errno_of_next_sends = EPERM;
  send_faults.sends_that_fail = 2;
  std::vector<std::byte> bytes(101);
  std::vector<Operation> operations(5);
  for (Operation& operation : operations) {
    operation.peer = to_b_;
    operation.data = bytes.data();
    operation.size = 100;
  }
  operations[3].size = 101;  // a run of its own
  operations[4].size = 101;
  ASSERT_EQ(a_->post(operations), 5u);
  std::array<Event, 8> events;
  ASSERT_EQ(a_->poll(events), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(events[i].completion, i < 3 ? Completion::local_error : Completion::ok) << i;
  }
  EXPECT_EQ(a_->counters().send_errors, 3u);
}

TEST_F(UdpSegmentsTest, FramesOfARunThatAreLongerThanTheirSlotAreLostAndCounted) {
  offer(2, 50);
  ASSERT_EQ(post({100, 100, 100, 40}), 4u);
  receive();
  EXPECT_EQ(b_->counters().truncated, 3u);
  ASSERT_EQ(arrived_.size(), 1u);
  EXPECT_EQ(arrived_[0], frame(3, 40));
}

// The kernel has room for 65,507 bytes in one datagram.
TEST_F(UdpSegmentsTest, RunsEndWhereABufferIsFull) {
  std::vector<std::vector<std::byte>> large(2, std::vector<std::byte>(60'000));
  for (std::size_t i = 0; i < 2; ++i) {
    const ReceiveSlot slot{{}, large[i].data(), 60'000, i};
    ASSERT_EQ(b_->offer({&slot, 1}), 1u);
  }
  ASSERT_EQ(post({60'000, 60'000}), 2u);
  std::array<Event, 4> events;
  std::size_t count = 0;
  for (int attempt = 0; attempt < 1'000 && count < 2; ++attempt) count += b_->poll(events);
  ASSERT_EQ(count, 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(large[i], frame(i, 60'000));
}

}  // namespace
}  // namespace holdfast::hw
