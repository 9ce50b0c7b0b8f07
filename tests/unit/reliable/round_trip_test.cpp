// Round trips against RFC 6298 computed in doubles, back-off, and the reordering window.
#include "stack/reliable/round_trip.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>
#include <set>
#include <vector>

#include "stack/base/random.hpp"

namespace holdfast::reliable {
namespace {

constexpr RoundTripLimits kLimits{milliseconds(10), milliseconds(1), seconds(1)};
constexpr RoundTripLimits kNoBounds{milliseconds(10), nanoseconds(1), seconds(3600)};

// RFC 6298, section 2, without its clock granularity.
struct Rfc6298 {
  void measure(double r) {
    if (first) {
      srtt = r;
      rttvar = r / 2;
      first = false;
      return;
    }
    rttvar = (1 - 0.25) * rttvar + 0.25 * std::abs(srtt - r);
    srtt = (1 - 0.125) * srtt + 0.125 * r;
  }
  double rto() const { return srtt + 4 * rttvar; }
  bool first = true;
  double srtt = 0, rttvar = 0;
};

TEST(RoundTrip, IsThatOfRfc6298) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed, 1, 0);
    RoundTrip measured(kNoBounds);
    Rfc6298 expected;
    const std::uint64_t scale = std::uint64_t{1} << random.below(34);
    for (int i = 0; i < 2000; ++i) {
      std::uint64_t sample = 1 + random.below(scale);
      if (random.below(50) == 0) sample *= 20;
      measured.measure({static_cast<std::int64_t>(sample)}, {i});
      expected.measure(static_cast<double>(sample));
      // What rounding to whole nanoseconds costs: at most 1 ns a step, of which an eighth or a
      // quarter is forgotten at the next one; and the deviation sees the mean's error, too.
      ASSERT_NEAR(static_cast<double>(measured.smoothed().ns), expected.srtt, 8);
      ASSERT_NEAR(static_cast<double>(measured.variation().ns), expected.rttvar, 12);
      ASSERT_NEAR(static_cast<double>(measured.retransmission_timeout().ns), expected.rto(),
                  8 + 4 * 12);
    }
  }
}

TEST(RoundTrip, BeginsWithTheFirstSample) {
  RoundTrip round_trip(kLimits);
  EXPECT_FALSE(round_trip.measured());
  EXPECT_EQ(round_trip.retransmission_timeout(), milliseconds(10));
  round_trip.measure(milliseconds(8), {});
  EXPECT_TRUE(round_trip.measured());
  EXPECT_EQ(round_trip.smoothed(), milliseconds(8));
  // R + 4 R/2, and a quarter of the least wait.
  EXPECT_EQ(round_trip.retransmission_timeout(), microseconds(24'250));
}

TEST(RoundTrip, TheWaitHasBounds) {
  RoundTrip round_trip(kLimits);
  round_trip.measure(nanoseconds(249'999), {});
  EXPECT_EQ(round_trip.retransmission_timeout(), milliseconds(1));  // 3 R and a quarter: 5 ns less
  round_trip = RoundTrip(kLimits);
  round_trip.measure(nanoseconds(250'002), {});
  EXPECT_EQ(round_trip.retransmission_timeout(), nanoseconds(1'000'006));
  round_trip = RoundTrip(kLimits);
  round_trip.measure(milliseconds(334), {});
  EXPECT_EQ(round_trip.retransmission_timeout(), seconds(1));
}

TEST(RoundTrip, EachAttemptDoublesTheWaitUpToItsEnd) {
  RoundTrip round_trip(kLimits);
  for (unsigned attempts = 0; attempts < 100; ++attempts) {
    const double expected = std::min(std::ldexp(10e6, static_cast<int>(attempts)), 1e9);
    EXPECT_EQ(static_cast<double>(round_trip.backed_off(attempts).ns), expected);
  }
  EXPECT_EQ(round_trip.backed_off(std::numeric_limits<unsigned>::max()), seconds(1));
}

// A sample is a difference of clocks less what somebody else says: it may be anything.
TEST(RoundTrip, NoSampleBreaksIt) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::int64_t> samples{0, -1, kLeast, kMost, 1, kMost - 1, 1'000'000'000};
  for (const std::int64_t first : samples) {
    for (const std::int64_t second : samples) {
      const RoundTripLimits year{seconds(1), nanoseconds(1), seconds(366LL * 24 * 3600)};
      for (const RoundTripLimits& limits : {kLimits, year}) {
        RoundTrip round_trip(limits);
        for (int i = 0; i < 60; ++i) {
          round_trip.measure({i % 2 == 0 ? first : second}, {kMost / 4 + i});
          round_trip.overtaken({second}, {kMost / 4 + i});
        }
        EXPECT_GE(round_trip.smoothed(), nanoseconds(1));
        EXPECT_LE(round_trip.smoothed(), limits.wait_max);
        EXPECT_GE(round_trip.retransmission_timeout(), limits.wait_min);
        EXPECT_LE(round_trip.backed_off(1000), limits.wait_max);
        EXPECT_GE(round_trip.reordering_window(), nanoseconds(1));
        EXPECT_LE(round_trip.reordering_window(), round_trip.smoothed());
      }
    }
  }
}

TEST(RoundTrip, TheLeastIsOfTheLastTenSeconds) {
  RoundTrip round_trip(kLimits);
  const Time start{12345};
  round_trip.measure(microseconds(50), start);
  round_trip.measure(microseconds(80), start + seconds(10));
  EXPECT_EQ(round_trip.least(), microseconds(50));
  round_trip.measure(microseconds(80), start + seconds(10) + nanoseconds(1));
  EXPECT_EQ(round_trip.least(), microseconds(80));
  round_trip.measure(microseconds(60), start + seconds(11));
  EXPECT_EQ(round_trip.least(), microseconds(60));
}

TEST(RoundTrip, TheReorderingWindowGrowsToWhatWasSeenAndNoFurtherThanARoundTrip) {
  RoundTrip round_trip(kLimits);
  EXPECT_EQ(round_trip.reordering_window(), milliseconds(10) / 4);
  for (int i = 0; i < 100; ++i) round_trip.measure(microseconds(80), {i});
  EXPECT_EQ(round_trip.reordering_window(), microseconds(20));
  round_trip.overtaken(microseconds(16), {100});
  EXPECT_EQ(round_trip.reordering_window(), microseconds(20));
  round_trip.overtaken(microseconds(44), {101});
  EXPECT_EQ(round_trip.reordering_window(), microseconds(55));
  round_trip.overtaken(microseconds(64), {102});
  EXPECT_EQ(round_trip.reordering_window(), microseconds(80));
  round_trip.overtaken(milliseconds(64), {103});
  EXPECT_EQ(round_trip.reordering_window(), microseconds(80));
}

TEST(RoundTrip, TheReorderingWindowIsHalvedAfter256RoundTripsWithoutAny) {
  RoundTrip round_trip(kLimits);
  Time now{777};
  for (int i = 0; i < 100; ++i) round_trip.measure(microseconds(80), now);
  round_trip.overtaken(microseconds(48), now);
  now += 256 * microseconds(80);
  round_trip.overtaken(nanoseconds(23'999), now);  // less than half as late does not keep it
  round_trip.measure(microseconds(80), now);
  EXPECT_EQ(round_trip.reordering_window(), microseconds(60));
  round_trip.measure(microseconds(80), now + nanoseconds(1));
  EXPECT_EQ(round_trip.reordering_window(), microseconds(30));

  now += nanoseconds(2);
  round_trip.overtaken(microseconds(48), now);
  now += 256 * microseconds(80);
  round_trip.overtaken(microseconds(24), now);
  round_trip.measure(microseconds(80), now + nanoseconds(1));
  EXPECT_EQ(round_trip.reordering_window(), microseconds(60));
}

// Of packets of which one in twenty is late by up to half a round trip, and none lost, how many
// are taken for lost, at which density of sending.
double taken_for_lost(int packets_per_round_trip, std::uint64_t seed) {
  constexpr int kPackets = 50'000;
  constexpr std::int64_t kRoundTrip = 100'000;
  Random random(seed, 2, 0);
  using Arrival = std::pair<std::int64_t, std::int64_t>;  // when, sent when
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
  for (int i = 0; i < kPackets; ++i) {
    const std::int64_t sent = 1'000'000 + i * (kRoundTrip / packets_per_round_trip);
    const bool late = random.below(20) == 0;
    const auto delay = late ? static_cast<std::int64_t>(random.below(kRoundTrip / 2)) : 0;
    arrivals.emplace(sent + kRoundTrip + delay, sent);
  }
  RoundTrip round_trip(kLimits);
  std::set<std::int64_t> missing;
  std::int64_t latest = 0;
  int wrong = 0;
  std::int64_t next_sent = 1'000'000;
  while (!arrivals.empty()) {
    const auto [at, sent] = arrivals.top();
    arrivals.pop();
    round_trip.measure({at - sent}, {at});
    for (; next_sent <= sent; next_sent += kRoundTrip / packets_per_round_trip) {
      missing.insert(next_sent);
    }
    missing.erase(sent);
    if (sent < latest) round_trip.overtaken({latest - sent}, {at});
    latest = std::max(latest, sent);
    while (!missing.empty() && latest - *missing.begin() >= round_trip.reordering_window().ns) {
      missing.erase(missing.begin());
      ++wrong;
    }
  }
  return static_cast<double>(wrong) / kPackets;
}

TEST(RoundTrip, LatePacketsAreHardlyEverTakenForLost) {
  for (const int density : {2, 4, 8, 32, 128}) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      EXPECT_LE(taken_for_lost(density, seed), 0.001) << density << " a round trip";
    }
  }
}

}  // namespace
}  // namespace holdfast::reliable
