// The measured rate of a simulated wire: bulk, bursts, idle times, small messages, acknowledgements
// in bunches, peers that sleep.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <limits>

#include "stack/base/random.hpp"
#include "stack/reliable/striping.hpp"
#include "tests/unit/reliable/link.hpp"

namespace holdfast::reliable {
namespace {

// Sends over a wire with a window, and measures it.
class Sender {
 public:
  Sender(Link over, std::uint64_t initial) : link(over), rate(initial) {}

  // Sends `total` bytes in packets as the window allows, and waits for all acknowledgements, of
  // which each is for `bunch` packets.
  void burst(std::uint64_t total, std::uint32_t packet = 8192, int bunch = 1) {
    std::uint64_t left = total;
    while (left > 0 || !under_way_.empty()) {
      while (left > 0 && bytes_ + packet <= window) {
        const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, packet));
        DeliveryRate::Stamp stamp;
        rate.send(bytes_, now, stamp);
        under_way_.push_back({stamp, bytes, link.send(bytes, now)});
        bytes_ += bytes;
        left -= bytes;
        now += posting;
      }
      if (left == 0) rate.limit(bytes_);
      const auto count = std::min(under_way_.size(), static_cast<std::size_t>(bunch));
      now = std::max(now, under_way_[count - 1].arrives + link.latency());
      for (std::size_t i = 0; i < count; ++i) {
        rate.deliver(under_way_.front().stamp, under_way_.front().bytes, now);
        bytes_ -= under_way_.front().bytes;
        under_way_.pop_front();
      }
    }
  }
  void rest(Duration time) { now += time; }
  double measured() const { return static_cast<double>(rate.bytes_per_second()); }

  Link link;
  DeliveryRate rate;
  Time now{1'000};
  std::uint64_t window = 1u << 20;
  Duration posting;  // what it takes to post one packet

 private:
  struct UnderWay {
    DeliveryRate::Stamp stamp;
    std::uint32_t bytes;
    Time arrives;
  };
  std::deque<UnderWay> under_way_;
  std::uint64_t bytes_ = 0;
};

constexpr std::uint64_t kGuess = 100'000'000;

TEST(DeliveryRate, IsTheGuessUntilSomethingIsMeasured) {
  DeliveryRate rate(kGuess);
  EXPECT_EQ(rate.bytes_per_second(), kGuess);
  EXPECT_FALSE(rate.measured());
}

TEST(DeliveryRate, GoesOnFromWhatWasMeasuredBefore) {
  DeliveryRate rate(kGuess, 5 * kGuess);
  EXPECT_EQ(rate.bytes_per_second(), 5 * kGuess);
  DeliveryRate::Stamp stamp;
  rate.send(0, Time{1'000}, stamp);
  rate.deliver(stamp, 1000, Time{2'000'000});
  EXPECT_EQ(rate.bytes_per_second(), 5 * kGuess) << "a small message says nothing of it";
  EXPECT_EQ(rate.measured(), 5 * kGuess);
}

TEST(DeliveryRate, ConvergesToTheWireUnderBulk) {
  for (const double wire : {10e6, 125e6, 1e9, 12.5e9}) {
    for (const int bunch : {1, 4, 16}) {
      Sender sender(Link(wire, microseconds(20)), kGuess);
      sender.burst(64u << 20, 8192, bunch);
      EXPECT_NEAR(sender.measured() / wire, 1, 0.02) << wire << ", " << bunch;
    }
  }
}

TEST(DeliveryRate, AWindowThatDoesNotFillTheWireIsItsRate) {
  Sender sender(Link(12.5e9, microseconds(500)), kGuess);
  sender.window = 1u << 20;
  sender.burst(256u << 20);
  EXPECT_NEAR(sender.measured(), (1u << 20) / 1.0e-3, 0.1 * (1u << 20) / 1.0e-3);
}

TEST(DeliveryRate, BurstsThatFitInTheWindowMeasureTheWire) {
  for (const double wire : {50e6, 400e6, 3e9}) {
    for (const std::uint64_t guess : {kGuess / 20, kGuess, std::uint64_t{2'000'000'000}}) {
      Sender sender(Link(wire, microseconds(30)), guess);
      for (int i = 0; i < 100; ++i) {
        sender.burst(768u << 10);
        sender.rest(milliseconds(3));
      }
      EXPECT_NEAR(sender.measured() / wire, 1, 0.02) << wire << ", guess " << guess;
    }
  }
}

TEST(DeliveryRate, SmallMessagesDoNotMakeARailSlow) {
  Sender sender(Link(1e9, microseconds(30)), kGuess);
  sender.burst(16u << 20);
  Random random(5, 0, 0);
  for (int i = 0; i < 20'000; ++i) {
    sender.burst(1 + random.below(24u << 10), 1024);  // a third of what fills the wire
    if (random.below(10) == 0) {
      sender.rest(nanoseconds(static_cast<std::int64_t>(random.below(3'000'000))));
    }
    ASSERT_NEAR(sender.measured() / 1e9, 1, 0.02) << i;
  }
}

TEST(DeliveryRate, MixedTrafficConverges) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed, 4, 0);
    const double wire = 50e6 * static_cast<double>(1 + random.below(100));
    Sender sender(Link(wire, microseconds(10 + static_cast<std::int64_t>(random.below(100)))),
                  kGuess);
    for (int i = 0; i < 300; ++i) {
      sender.burst(1 + random.below(2u << 20), 8192, 1 + static_cast<int>(random.below(8)));
      sender.rest(nanoseconds(static_cast<std::int64_t>(random.below(2'000'000))));
    }
    EXPECT_NEAR(sender.measured() / wire, 1, 0.02) << seed;
  }
}

TEST(DeliveryRate, AWireThatBecomesSlowerOrFasterIsNoticedWithinTwentyRoundTrips) {
  for (const double factor : {0.1, 0.5, 3.0}) {
    Sender sender(Link(1e9, microseconds(30)), kGuess);
    sender.burst(32u << 20);
    sender.link.set_rate(1e9 * factor);
    // A full window takes one round trip; one more for what was on the way.
    sender.burst(21u << 20);
    EXPECT_NEAR(sender.measured() / (1e9 * factor), 1, 0.02) << factor;
  }
}

TEST(DeliveryRate, TheGreatestOfTheLastTenRoundTripsIsKept) {
  Sender sender(Link(1e9, microseconds(30)), kGuess);
  sender.burst(32u << 20);
  sender.link.set_rate(0.5e9);
  sender.burst(9u << 20);
  EXPECT_NEAR(sender.measured() / 1e9, 1, 0.02);
}

TEST(DeliveryRate, WhoSleepsDoesNotMakeAWireFast) {
  Sender sender(Link(1e9, microseconds(30)), kGuess);
  sender.posting = nanoseconds(500);
  for (int i = 0; i < 50; ++i) {
    sender.burst(4u << 20);
    // The sender sleeps: all acknowledgements of a window are handled at one moment.
    sender.burst(1u << 20, 8192, 128);
    ASSERT_LE(sender.measured() / 1e9, 1.02);
  }
  EXPECT_NEAR(sender.measured() / 1e9, 1, 0.02);
}

TEST(DeliveryRate, NothingOverflows) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  DeliveryRate rate(std::numeric_limits<std::uint64_t>::max());
  for (int i = 0; i < 100; ++i) {
    DeliveryRate::Stamp first, second;
    rate.send(0, {i}, first);
    rate.send(0xffff'ffff, {i}, second);
    rate.deliver(first, 0xffff'ffff, {i % 2 == 0 ? i : kFar + i});
    rate.deliver(second, 0xffff'ffff, {i % 2 == 0 ? i : kFar + i});
    ASSERT_GT(rate.bytes_per_second(), 0u);
  }
}

}  // namespace
}  // namespace holdfast::reliable
