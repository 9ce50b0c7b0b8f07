// What is told of the times decides, and is asked for again; and a fabric tells it.
#include "hw/shm/pass_choice.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
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
constexpr std::uint32_t kLap = 8;
constexpr std::uint32_t kShort = PassChoice::kTimedBytesMin - 1;
constexpr std::uint32_t kTimed = 2 * PassChoice::kPairs * PassChoice::kTimedOfBlock;
constexpr std::uint32_t kCompared = kTimed + 2 * PassChoice::kPairs * kLap;
constexpr std::uint32_t kBetween = PassChoice::kLapsBetween * kLap;

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
  while (timed > 0 && frames < 1'000'000) {
    const std::uint32_t bytes = lengths[frames++ % lengths.size()];
    const auto [passes, is_timed] = choice.next(bytes);
    const Duration took = time_of(passes, bytes);
    if (!is_timed) continue;
    choice.took(took);
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
  PassChoice choice(kLap);
  for (const Passes fast : {Passes::one, Passes::two, Passes::two, Passes::one}) {
    time_some(choice, faster_in(fast));
    EXPECT_EQ(chosen(choice), fast);
  }
}

TEST(PassChoice, ComparesAgainAfterSoManyFrames) {
  PassChoice choice(kLap);
  EXPECT_EQ(time_some(choice, faster_in(Passes::one)), kCompared);
  EXPECT_EQ(time_some(choice, faster_in(Passes::one)), kBetween + kCompared);
}

TEST(PassChoice, BeginsWithTwoPasses) {
  PassChoice choice(kLap);
  for (std::uint32_t i = 0; i < kLap; ++i) EXPECT_EQ(chosen(choice), Passes::two);
  const auto [passes, is_timed] = choice.next(kBytes);
  EXPECT_EQ(passes, Passes::two);
  EXPECT_TRUE(is_timed);
}

// What all of the places were written in last takes the next frame longer than it would alone; by
// about as much as was measured (docs/speed.md).
class PlacesInCommon {
 public:
  static constexpr std::uint32_t kPlaces = 1024;
  Duration operator()(Passes passes, std::uint32_t) {
    const std::uint32_t twos = kPlaces - ones_;
    bool& is_one = are_one_[next_++ % kPlaces];
    const std::uint32_t ns =
        passes == Passes::two ? 1000 + 500 * ones_ / kPlaces : 1200 + 1300 * twos / kPlaces;
    ones_ -= is_one ? 1 : 0;
    is_one = passes == Passes::one;
    ones_ += is_one ? 1 : 0;
    return nanoseconds(ns);
  }

 private:
  std::array<bool, kPlaces> are_one_{};
  std::uint32_t ones_ = 0;
  std::uint32_t next_ = 0;
};

TEST(PassChoice, IsOfWhatIsFasterWhereAllFramesAreLikeIt) {
  PassChoice choice(PlacesInCommon::kPlaces);
  time_some(choice, faster_in(Passes::one));
  ASSERT_EQ(chosen(choice), Passes::one);
  PlacesInCommon places;  // all are in one pass soon
  time_some(choice, std::ref(places));
  EXPECT_EQ(chosen(choice), Passes::two);
}

// Of one pass in so many pairs of blocks, however little it is.
Passes chosen_after(std::uint32_t pairs_of_one) {
  PassChoice choice(kLap);
  std::uint32_t timed = 0;
  while (timed < kTimed) {
    const std::uint32_t pair = timed / (2 * PassChoice::kTimedOfBlock);
    const auto [passes, is_timed] = choice.next(kBytes);
    if (!is_timed) continue;
    const Passes fast = pair < pairs_of_one ? Passes::one : Passes::two;
    choice.took(nanoseconds(passes == fast ? 999 : 1000));
    ++timed;
  }
  return chosen(choice);
}

TEST(PassChoice, IsOfOnePassIfThatIsFasterInAllPairsButOne) {
  EXPECT_EQ(chosen_after(PassChoice::kPairs), Passes::one);
  EXPECT_EQ(chosen_after(PassChoice::kPairsOfOneMin), Passes::one);
  EXPECT_EQ(chosen_after(PassChoice::kPairsOfOneMin - 1), Passes::two);
}

TEST(PassChoice, ShortFramesAreNeitherTimedNorCounted) {
  PassChoice choice(kLap);
  const std::vector<std::uint32_t> lengths{kShort, kBytes};
  EXPECT_EQ(time_some(choice, faster_in(Passes::one), lengths), 2 * kCompared);
  EXPECT_EQ(time_some(choice, faster_in(Passes::one), lengths), 2 * (kBetween + kCompared));
  EXPECT_EQ(chosen(choice), Passes::one);
}

// They are in the same caches.
TEST(PassChoice, ShortFramesOfABlockAreWrittenAsTheOthers) {
  PassChoice choice(kLap);
  std::uint32_t unlike = 0;
  for (std::uint32_t i = 0; i < kCompared; ++i) {
    const Passes of_short = choice.next(kShort).passes;
    const auto [passes, is_timed] = choice.next(kBytes);
    if (of_short != passes) ++unlike;
    if (is_timed) choice.took(nanoseconds(1000));
  }
  EXPECT_EQ(unlike, 0u);
}

TEST(PassChoice, AWaitForTheProcessorIsNoSlowPass) {
  for (const Passes fast : {Passes::one, Passes::two}) {
    PassChoice choice(kLap);
    std::uint32_t frames = 0;
    time_some(choice, [&](Passes passes, std::uint32_t) {
      const std::uint32_t of_block = frames++ % (kLap + PassChoice::kTimedOfBlock);
      if (passes != fast) return nanoseconds(1000);
      return of_block < kLap + PassChoice::kTimedOfBlock / 2 ? milliseconds(10) : nanoseconds(900);
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
      PassChoice choice(kLap);
      time_some(choice, faster_in(fast), lengths);
      EXPECT_EQ(chosen(choice), fast);
    }
  }
}

// Then what is known holds on, and is asked for again later.
TEST(PassChoice, WhatCannotBeComparedIsGivenUp) {
  constexpr std::uint32_t kOthers = PassChoice::kOthersOfCompared * kCompared;
  for (const std::uint32_t other : {kShort, kBytes + 1}) {
    PassChoice choice(kLap);
    time_some(choice, faster_in(Passes::one));
    for (int times = 0; times < 2; ++times) {
      // To the first frame in one pass that is timed.
      time_some(choice, faster_in(Passes::one), {kBytes}, PassChoice::kTimedOfBlock + 1);
      std::uint32_t unlike = 0;
      for (std::uint32_t i = 0; i < kOthers; ++i) {
        const auto [passes, is_timed] = choice.next(other);
        if (passes != Passes::one || is_timed) ++unlike;
      }
      EXPECT_EQ(unlike, 0u);
    }
    EXPECT_EQ(time_some(choice, faster_in(Passes::two)), kBetween + kCompared);
    EXPECT_EQ(chosen(choice), Passes::two);
  }
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
  options.geometry = {.lanes = 4, .frames = kLap, .frame_bytes = kBytes};
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
  constexpr std::ptrdiff_t kHalf = kCompared / 2;
  for (const Passes slow : {Passes::two, Passes::one}) {
    const auto sender = open("s");
    for (int life = 0; life < 2; ++life) {
      const auto receiver = open("r");
      const Peer peer = sender->attach(receiver->local_address(), Service::datagram);
      SlowWriter writer(slow);
      for (std::uint32_t i = 0; i < 2 * kCompared; ++i) pass(*sender, peer, *receiver, writer);
      const auto compared = writer.written.begin() + kCompared;
      EXPECT_EQ(std::count(writer.written.begin(), compared, slow), kHalf);
      EXPECT_EQ(std::count(compared, writer.written.end(), slow), 0);
    }
  }
}

}  // namespace
}  // namespace holdfast::hw
