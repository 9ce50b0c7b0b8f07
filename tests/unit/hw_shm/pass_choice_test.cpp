// What is told of the times decides, and is asked for again; and a fabric tells it.
#include "hw/shm/pass_choice.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/monotonic_clock.hpp"
#include "hw/shm/shm_fabric.hpp"

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kBytes = 16384;
constexpr std::uint32_t kTimed = 2 * PassChoice::kTrials;  // in a comparison

using TimeOf = std::function<Duration(Passes, std::uint32_t bytes)>;

TimeOf faster_in(Passes fast) {
  return [fast](Passes passes, std::uint32_t bytes) {
    return microseconds(3) + nanoseconds(passes == fast ? bytes / 20 : bytes / 10);
  };
}

// Frames of these lengths again and again, until so many were timed; how many frames that took.
std::uint32_t time_some(PassChoice& choice, const TimeOf& time_of,
                        const std::vector<std::uint32_t>& lengths = {kBytes},
                        std::uint32_t timed = kTimed) {
  std::uint32_t frames = 0;
  while (timed > 0 && frames < 100'000) {
    const std::uint32_t bytes = lengths[frames++ % lengths.size()];
    const auto [passes, is_timed] = choice.next(bytes);
    if (!is_timed) continue;
    choice.took(time_of(passes, bytes));
    --timed;
  }
  return frames;
}

// Between two comparisons.
Passes chosen(PassChoice& choice) {
  const auto [passes, is_timed] = choice.next(PassChoice::kTimedBytesMin);
  EXPECT_FALSE(is_timed);
  return passes;
}

TEST(PassChoice, IsWhatTookLessUntilTheOtherOneDoes) {
  PassChoice choice;
  for (const Passes fast : {Passes::one, Passes::two, Passes::two, Passes::one}) {
    time_some(choice, faster_in(fast));
    EXPECT_EQ(chosen(choice), fast);
  }
}

TEST(PassChoice, ComparesAgainAfterSoManyFrames) {
  PassChoice choice;
  EXPECT_EQ(time_some(choice, faster_in(Passes::one)), kTimed);
  EXPECT_EQ(time_some(choice, faster_in(Passes::one)), PassChoice::kNotTimed + kTimed);
}

TEST(PassChoice, IsOfTwoPassesUntilItMayCompare) {
  PassChoice choice(5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(chosen(choice), Passes::two);
  EXPECT_TRUE(choice.next(kBytes).is_timed);
}

TEST(PassChoice, ShortFramesAreNeitherTimedNorCounted) {
  PassChoice choice;
  EXPECT_FALSE(choice.next(PassChoice::kTimedBytesMin - 1).is_timed);
  time_some(choice, faster_in(Passes::one));
  for (std::uint32_t i = 0; i < 2 * PassChoice::kNotTimed; ++i)
    ASSERT_FALSE(choice.next(PassChoice::kTimedBytesMin - 1).is_timed);
  EXPECT_FALSE(choice.next(kBytes).is_timed);
}

TEST(PassChoice, AWaitForTheProcessorIsNoSlowPass) {
  for (const Passes fast : {Passes::one, Passes::two}) {
    PassChoice choice;
    std::uint32_t waits = 0;
    time_some(choice, [&](Passes passes, std::uint32_t) {
      const bool waits_now = passes == fast && waits++ < PassChoice::kTrials / 2;
      return waits_now ? milliseconds(10) : nanoseconds(passes == fast ? 900 : 1000);
    });
    EXPECT_EQ(chosen(choice), fast);
  }
}

TEST(PassChoice, FramesOfUnlikeLengthsMisleadNobody) {
  const std::vector<std::vector<std::uint32_t>> messages{
      {16384, 4096},        {4096, 16384},        {16384, 16384, 4096},       {16384, 4096, 16384},
      {4096, 16384, 16384}, {4096, 16384, 12000}, {4096, 16384, 16384, 16384}};
  for (const Passes fast : {Passes::one, Passes::two}) {
    for (const std::vector<std::uint32_t>& lengths : messages) {
      PassChoice choice;
      time_some(choice, faster_in(fast), lengths);
      EXPECT_EQ(chosen(choice), fast);
    }
  }
}

TEST(PassChoice, ALengthThatDoesNotComeAgainIsGivenUp) {
  PassChoice choice;
  time_some(choice, faster_in(Passes::two), {5000}, 1);
  EXPECT_EQ(time_some(choice, faster_in(Passes::one)), PassChoice::kOthersMax + kTimed);
  EXPECT_EQ(chosen(choice), Passes::one);
}

// In one of the ways it takes long.
class SlowWriter final : public FrameWriter {
 public:
  explicit SlowWriter(Passes slow) : slow_(slow) {}
  void write(const Operation&, std::byte*, Passes passes) override {
    written.push_back(passes);
    const Time until = monotonic_now() + (passes == slow_ ? microseconds(200) : Duration{});
    while (monotonic_now() < until) {
    }
  }
  std::vector<Passes> written;

 private:
  Passes slow_;
};

std::unique_ptr<ShmFabric> open(const std::string& end) {
  ShmOptions options;
  options.name = "holdfast-test-" + std::to_string(::getpid()) + "-" + end;
  options.geometry = {.lanes = 4, .frames = 8, .frame_bytes = kBytes};
  std::unique_ptr<ShmFabric> fabric;
  const Status status = ShmFabric::open(options, fabric);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return fabric;
}

// A frame from one to the other.
void pass(ShmFabric& sender, Peer peer, ShmFabric& receiver, FrameWriter& writer) {
  std::vector<std::byte> memory(kBytes), beginning(48);
  const ReceiveSlot slot{{}, memory.data(), kBytes, 0};
  ASSERT_EQ(receiver.offer({&slot, 1}), 1u);
  Operation operation;
  operation.inline_data = true;
  operation.peer = peer;
  operation.data = beginning.data();
  operation.size = static_cast<std::uint32_t>(beginning.size());
  operation.more_size = kBytes - operation.size;
  operation.writer = &writer;
  ASSERT_EQ(sender.post({&operation, 1}), 1u);
  std::array<Event, 4> events;
  ASSERT_EQ(receiver.poll(events), 1u);
}

// A successor is another process, on another processor perhaps.
TEST(PassChoice, IsMadeByTheFabricForEachReceiverAndItsSuccessor) {
  constexpr std::ptrdiff_t kLane = 8;
  for (const Passes slow : {Passes::two, Passes::one}) {
    const auto sender = open("s");
    for (int life = 0; life < 2; ++life) {
      const auto receiver = open("r");
      const Peer peer = sender->attach(receiver->local_address(), Service::datagram);
      SlowWriter writer(slow);
      for (std::uint32_t i = 0; i < kLane + 2 * kTimed; ++i) pass(*sender, peer, *receiver, writer);
      const auto timed = writer.written.begin() + kLane;
      ASSERT_EQ(writer.written.end() - timed, 2 * kTimed);
      EXPECT_EQ(std::count(writer.written.begin(), timed, Passes::two), kLane);
      EXPECT_EQ(std::count(timed, timed + kTimed, slow), PassChoice::kTrials);
      EXPECT_EQ(std::count(timed + kTimed, writer.written.end(), slow), 0);
    }
  }
}

}  // namespace
}  // namespace holdfast::hw
