// Frames on cables with a rate: when they arrive, where they queue, and what becomes of them at the
// faults of a rail. Times are worked out by hand: a byte at 8 Gb/s takes a nanosecond.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "sim/pipe/pipe_network.hpp"

namespace holdfast::sim {
namespace {

constexpr ProcessId kA{0}, kB{1}, kC{2};

class Pipe : public ::testing::Test {
 protected:
  static PipeOptions options() {
    return {.processes = 3,
            .bits_per_second = 8'000'000'000,
            .latency = microseconds(1),
            .frame_bytes_max = 2000,
            .inline_bytes_max = 2000,
            .queue_bytes = 5000};
  }

  void build(const PipeOptions& options) {
    network_ = std::make_unique<PipeNetwork>(options, queue_, 0);
    for (std::uint32_t i = 0; i < options.processes; ++i) offer({i});
  }
  void offer(ProcessId process) {
    memory_.push_back(std::vector<std::byte>(64 * 2000));
    for (std::size_t i = 0; i < 64; ++i) {
      const ReceiveSlot slot{{}, memory_.back().data() + i * 2000, 2000, i};
      ASSERT_EQ(network_->fabric(process).offer({&slot, 1}), 1u);
    }
  }

  std::size_t send(ProcessId from, ProcessId to, std::uint32_t bytes, bool inlined = true) {
    Operation operation;
    operation.inline_data = inlined;
    operation.peer = network_->fabric(from).attach(PipeNetwork::address(to), Service::datagram);
    operation.data = frame_.data();
    operation.size = bytes;
    return network_->fabric(from).post({&operation, 1});
  }

  // Everything until then, and what the processes have polled by kind.
  void run_until(Duration end) {
    while (!queue_.empty() && queue_.next_time() <= to_sim_time(end).value) {
      const QueuedEvent event = queue_.pop();
      network_->set_now({event.time});
      network_->handle(event);
    }
    network_->set_now(to_sim_time(end));
  }
  std::vector<Event> poll(ProcessId process) {
    std::vector<Event> events(64);
    events.resize(network_->fabric(process).poll(events));
    return events;
  }
  std::vector<std::int64_t> arrivals(ProcessId process) {
    std::vector<std::int64_t> times;
    for (const Event& event : poll(process)) {
      if (event.kind == EventKind::received) times.push_back(event.at.ns);
    }
    return times;
  }

  EventQueue queue_;
  std::unique_ptr<PipeNetwork> network_;
  std::vector<std::byte> frame_ = std::vector<std::byte>(2000);
  std::vector<std::vector<std::byte>> memory_;
};

using Times = std::vector<std::int64_t>;

TEST_F(Pipe, AFramePaysForItsBytesOnceAndForTheLatency) {
  build(options());
  send(kA, kB, 500);
  run_until(microseconds(10));
  EXPECT_EQ(arrivals(kB), (Times{1500}));
}

TEST_F(Pipe, FramesOfOneSenderFollowEachOtherAtTheRate) {
  build(options());
  for (int i = 0; i < 3; ++i) send(kA, kB, 500);
  run_until(microseconds(10));
  EXPECT_EQ(arrivals(kB), (Times{1500, 2000, 2500}));
}

// 3 Gb/s: a byte takes 2 2/3 ns, 1000 frames of 100 bytes 266,666 2/3 ns, rounded once.
TEST_F(Pipe, RatesThatDoNotDivideAddUpExactly) {
  PipeOptions odd = options();
  odd.bits_per_second = 3'000'000'000;
  odd.send_depth = 1000;
  build(odd);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(send(kA, kB, 100), 1u);
  std::int64_t last = 0;
  for (int us = 1; us < 400; ++us) {
    run_until(microseconds(us));
    for (const Event& event : poll(kB)) {
      last = event.at.ns;
      const ReceiveSlot slot{{}, memory_[1].data() + event.cookie * 2000, 2000, event.cookie};
      ASSERT_EQ(network_->fabric(kB).offer({&slot, 1}), 1u);
    }
  }
  EXPECT_EQ(last, 266'667 + 1000);
}

TEST_F(Pipe, FramesOfTwoSendersQueueBeforeTheReceiversCable) {
  build(options());
  send(kA, kC, 500);
  send(kB, kC, 500);
  run_until(microseconds(10));
  EXPECT_EQ(arrivals(kC), (Times{1500, 2000}));
}

// Eight frames of 1000 bytes from each of two: of every two that arrive one is passed on meanwhile,
// so one more waits each time, and five fit: of each of the last three pairs one is lost.
TEST_F(Pipe, WhatFindsTheQueueFullIsLost) {
  build(options());
  for (int i = 0; i < 8; ++i) {
    send(kA, kC, 1000);
    send(kB, kC, 1000);
  }
  run_until(microseconds(50));
  EXPECT_EQ(network_->frames(PipeFate::overflow), 3u);
  EXPECT_EQ(arrivals(kC).size(), 13u);
}

// Completions that nobody has polled take room, too: when all has left, polling them is what makes
// some, and nothing else would tell.
TEST_F(Pipe, WhoWasRefusedIsToldOfTheRoomThatPollingMakes) {
  PipeOptions small = options();
  small.send_depth = 4;
  build(small);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(send(kA, kB, 100, false), 1u);
  run_until(microseconds(10));
  EXPECT_EQ(send(kA, kB, 100, false), 0u) << "four completions wait";
  std::vector<EventKind> kinds;
  for (const Event& event : poll(kA)) kinds.push_back(event.kind);
  EXPECT_EQ(kinds, (std::vector<EventKind>{EventKind::sent, EventKind::sent, EventKind::sent,
                                           EventKind::sent, EventKind::writable}));
  EXPECT_TRUE(poll(kA).empty()) << "once";
  EXPECT_EQ(send(kA, kB, 100, false), 1u);
}

TEST_F(Pipe, ASendIsReadWhenItsLastBitLeaves) {
  build(options());
  send(kA, kB, 1000, false);
  run_until(nanoseconds(999));
  EXPECT_TRUE(poll(kA).empty());
  frame_[0] = std::byte{7};
  run_until(nanoseconds(1000));
  const std::vector<Event> sent = poll(kA);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].kind, EventKind::sent);
  EXPECT_EQ(sent[0].at.ns, 1000);
  run_until(microseconds(5));
  const std::vector<Event> received = poll(kB);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(memory_[1][received[0].cookie * 2000], std::byte{7});
}

TEST_F(Pipe, ACutIsOfOneDirectionAndLosesWhatIsUnderWay) {
  build(options());
  send(kA, kB, 500);
  run_until(nanoseconds(700));  // it has left
  network_->cut(kA, kB);
  send(kB, kA, 500);
  send(kA, kC, 500);
  run_until(microseconds(10));
  EXPECT_TRUE(poll(kB).empty());
  EXPECT_EQ(arrivals(kA).size(), 1u);
  EXPECT_EQ(arrivals(kC).size(), 1u);
  EXPECT_EQ(network_->frames(PipeFate::cut), 1u);
  network_->mend(kA, kB);
  send(kA, kB, 500);
  run_until(microseconds(20));
  EXPECT_EQ(arrivals(kB).size(), 1u);
}

TEST_F(Pipe, APortThatIsDownSaysSoToItsProcessOnly) {
  build(options());
  EXPECT_TRUE(network_->set_port(kA, PortState::down));
  send(kA, kB, 500, false);
  send(kC, kA, 500);
  run_until(microseconds(10));
  std::map<EventKind, int> told;
  for (const Event& event : poll(kA)) ++told[event.kind];
  EXPECT_EQ(told, (std::map<EventKind, int>{{EventKind::sent, 1}, {EventKind::port_down, 1}}));
  EXPECT_TRUE(poll(kB).empty());
  EXPECT_TRUE(network_->set_port(kA, PortState::well));
  ASSERT_EQ(poll(kA).size(), 1u);
  send(kA, kB, 500);
  run_until(microseconds(20));
  EXPECT_EQ(arrivals(kB).size(), 1u);
}

TEST_F(Pipe, AFailingPortEndsWhatIsPostedWithAnErrorInlineOrNot) {
  build(options());
  network_->set_port(kA, PortState::failing);
  for (const bool is_inline : {false, true}) {
    send(kA, kB, 500, is_inline);
    send(kB, kA, 500);
    run_until(microseconds(is_inline ? 20 : 10));
    const std::vector<Event> events = poll(kA);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].completion, Completion::local_error);
    EXPECT_EQ(events[1].kind, EventKind::received);
    EXPECT_TRUE(poll(kB).empty());
  }
}

TEST_F(Pipe, AStuckPortCompletesNothingUntilItIsWell) {
  build(options());
  network_->set_port(kA, PortState::stuck);
  send(kA, kB, 500, false);
  run_until(microseconds(10));
  EXPECT_TRUE(poll(kA).empty());
  network_->set_port(kA, PortState::well);
  run_until(microseconds(20));
  EXPECT_EQ(poll(kA).size(), 1u);
  EXPECT_EQ(arrivals(kB).size(), 1u);
}

TEST_F(Pipe, WhatAnEarlierLifePostedIsNobodys) {
  build(options());
  send(kA, kB, 500, false);
  send(kB, kA, 500);
  network_->stop(kA);
  run_until(microseconds(10));
  EXPECT_TRUE(poll(kB).empty());
  EXPECT_EQ(network_->frames(PipeFate::nobody), 1u);
  network_->restart(kA);
  offer(kA);
  EXPECT_TRUE(poll(kA).empty());
  send(kA, kB, 500);
  run_until(microseconds(20));
  EXPECT_EQ(arrivals(kB).size(), 1u);
  EXPECT_EQ(network_->frames_under_way(), 0u);
}

// 100 ns a frame and 2 ns a byte, which is slower than the cable: 1,100 ns for a frame of 500
// bytes.
PipeOptions with_work(PipeOptions options) {
  options.work = {nanoseconds(100), 500'000'000};
  return options;
}

TEST_F(Pipe, AFrameIsHandledBeforeItLeavesAndAfterItHasCome) {
  build(with_work(options()));
  send(kA, kB, 500);
  run_until(nanoseconds(1'100 + 500 + 1'000 + 1'100 - 1));
  EXPECT_TRUE(poll(kB).empty());
  run_until(nanoseconds(1'100 + 500 + 1'000 + 1'100));
  EXPECT_EQ(poll(kB).size(), 1u);
}

// The second frame is handled while the first one is on its way, at either end.
TEST_F(Pipe, HandlingOverlapsWithTheWire) {
  build(with_work(options()));
  send(kA, kB, 500);
  send(kA, kB, 500, false);
  run_until(nanoseconds(2 * 1'100 + 500 + 1'000 + 1'100 - 1));
  EXPECT_EQ(poll(kB).size(), 1u);
  run_until(nanoseconds(2 * 1'100 + 500 + 1'000 + 1'100));
  EXPECT_EQ(poll(kB).size(), 1u);
}

TEST_F(Pipe, AFastProcessorLeavesTheCableNoPause) {
  PipeOptions fast = options();
  fast.work = {Duration{0}, 2'000'000'000};
  build(fast);
  for (int i = 0; i < 4; ++i) send(kA, kB, 1000);
  run_until(nanoseconds(500 + 4 * 1'000 + 1'000 + 500 - 1));
  EXPECT_EQ(poll(kB).size(), 3u);
  run_until(nanoseconds(500 + 4 * 1'000 + 1'000 + 500));
  EXPECT_EQ(poll(kB).size(), 1u);
}

// What comes from another while one sends waits for what was posted before it came.
TEST_F(Pipe, OneProcessorHandlesBothDirections) {
  build(with_work(options()));
  send(kB, kA, 500);  // is at A at 2,600
  run_until(nanoseconds(2'500));
  send(kA, kC, 1000);  // keeps A's processor until 4,600
  run_until(nanoseconds(4'600 + 1'100 - 1));
  EXPECT_TRUE(poll(kA).empty());
  run_until(nanoseconds(4'600 + 1'100));
  EXPECT_EQ(poll(kA).size(), 1u);
}

TEST_F(Pipe, WhoComputesHandlesNothing) {
  build(with_work(options()));
  EXPECT_EQ(network_->compute(kB, to_sim_time(microseconds(50))), to_sim_time(microseconds(50)));
  send(kA, kB, 500);
  run_until(nanoseconds(50'000 + 1'100 - 1));
  EXPECT_TRUE(poll(kB).empty());
  run_until(nanoseconds(50'000 + 1'100));
  EXPECT_EQ(poll(kB).size(), 1u);
}

TEST_F(Pipe, WhatIsBeingHandledTakesRoom) {
  PipeOptions narrow = with_work(options());
  narrow.frames_waiting_max = 2;
  build(narrow);
  network_->compute(kB, to_sim_time(microseconds(50)));
  for (int i = 0; i < 3; ++i) send(kA, kB, 10);
  run_until(microseconds(100));
  EXPECT_EQ(poll(kB).size(), 2u);
  EXPECT_EQ(network_->frames(PipeFate::overflow), 1u);
  EXPECT_EQ(network_->frames_under_way(), 0u);
}

}  // namespace
}  // namespace holdfast::sim
