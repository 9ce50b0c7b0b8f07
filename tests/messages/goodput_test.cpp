// What a loss costs: goodput and repetitions of a stream over one simulated rail as by UDP, 10
// Gb/s, a round trip of about 40 us, frames of 1,472 bytes.
#include <gtest/gtest.h>

#include "stack/reliable/message_frame.hpp"
#include "tests/drawn.hpp"
#include "tests/messages/stream.hpp"

namespace holdfast::messages {
namespace {

constexpr double kRate = 10e9;
constexpr std::uint32_t kFrame = 1472;
constexpr Duration kLatency = microseconds(20);
constexpr std::uint64_t kMessages = tests::drawn(400u);  // of 1 MiB: 300,000 fragments

struct Ran {
  double bits_per_second = 0.0;
  std::uint64_t lost = 0;  // fragments
  reliable::EndpointCounts counts;
};

Ran run(const FrameFaults& faults, const StreamOptions& streamed = {.messages = kMessages}) {
  sim::WorldOptions options;
  options.rails.resize(1);
  options.rails[0].pipe.bits_per_second = static_cast<std::int64_t>(kRate);
  options.rails[0].pipe.latency = kLatency;
  options.rails[0].pipe.send_depth = 2048;  // whoever is late must find room
  options.rails[0].pipe.frame_bytes_max = options.rails[0].pipe.inline_bytes_max = kFrame;
  options.rails[0].impaired = faults;
  options.response = microseconds(1);
  options.endpoint.limits.peers = 2;
  Stream stream(streamed, options);
  stream.run_until(Time{} + seconds(20));
  EXPECT_TRUE(stream.finished());
  EXPECT_EQ(stream.wrong(), 0u);
  EXPECT_EQ(stream.world().failure(), "");
  if (!stream.finished()) return {};
  return {stream.bits_per_second(Time{}, stream.arrivals().back()), stream.fragments_lost(),
          stream.world().counts()};
}

const Ran& without_loss() {
  static const Ran ran = run({});
  return ran;
}

// Of what the frames leave for payload.
TEST(Goodput, WithoutLossIs99PercentOfTheWire) {
  const double payload = static_cast<double>(kFrame - reliable::kMessageHeaderBytes) / kFrame;
  EXPECT_GE(without_loss().bits_per_second, 0.99 * payload * kRate);
  EXPECT_EQ(without_loss().counts.fragments_resent, 0u);
  EXPECT_EQ(without_loss().lost, 0u);
}

struct Loss {
  const char* name;
  double rate;
  double goodput;  // at least, of that without loss
};

void PrintTo(const Loss& loss, std::ostream* to) {
  *to << loss.name;
}

class GoodputUnder : public ::testing::TestWithParam<Loss> {};

TEST_P(GoodputUnder, KeepsItsShareAndRepeatsHardlyMoreThanWasLost) {
  const Ran ran = run({.loss = GetParam().rate});
  RecordProperty("share", std::to_string(ran.bits_per_second / without_loss().bits_per_second));
  EXPECT_GE(ran.bits_per_second, GetParam().goodput * without_loss().bits_per_second);
  EXPECT_GT(ran.lost, 0u);
  EXPECT_GE(ran.counts.fragments_resent, ran.lost) << "each of them must have been sent again";
  EXPECT_LE(static_cast<double>(ran.counts.fragments_resent), 1.2 * static_cast<double>(ran.lost));
}

INSTANTIATE_TEST_SUITE_P(Loss, GoodputUnder,
                         ::testing::Values(Loss{"OneIn10000", 1e-4, 0.98},
                                           Loss{"OneIn1000", 1e-3, 0.95},
                                           Loss{"OneIn100", 1e-2, 0.80}),
                         [](const auto& test) { return test.param.name; });

// Many messages of one frame are under way at one time, more than an acknowledgement names.
TEST(Goodput, OfSmallMessagesHardlyMoreIsRepeatedThanWasLost) {
  const Ran ran =
      run({.loss = 1e-2}, {.bytes = 64, .messages = tests::drawn(50'000u), .outstanding = 400});
  EXPECT_GT(ran.lost, 0u);
  EXPECT_GE(ran.counts.fragments_resent, ran.lost);
  EXPECT_LE(static_cast<double>(ran.counts.fragments_resent), 1.2 * static_cast<double>(ran.lost));
}

// One in twenty late by up to half a round trip, as by a switch with several ways.
TEST(Goodput, WhatIsLateIsHardlyEverSentInVain) {
  const Ran ran = run({.reorder = 0.95, .jitter = kLatency});
  EXPECT_EQ(ran.lost, 0u);
  EXPECT_LE(static_cast<double>(ran.counts.fragments_duplicate),
            0.001 * static_cast<double>(ran.counts.fragments_sent));
  EXPECT_LE(static_cast<double>(ran.counts.fragments_resent),
            0.001 * static_cast<double>(ran.counts.fragments_sent));
}

}  // namespace
}  // namespace holdfast::messages
