// The choice of a rail against a brute force, and how unlike rails share a stream.
#include "stack/reliable/striping.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "stack/base/random.hpp"
#include "tests/unit/reliable/link.hpp"

namespace holdfast::reliable {
namespace {

__extension__ using Wide = unsigned __int128;

// Whether rail `a` has `bytes` more there before `b`: floor((u + n) 10^9 / r) + l compared without
// the divisions of the product.
Wide arrives(const RailLoad& rail, std::uint32_t bytes) {
  const Wide product = (Wide{rail.under_way} + bytes) * 1'000'000'000u;
  // The quotient bit by bit.
  Wide quotient = 0, rest = 0;
  for (int bit = 127; bit >= 0; --bit) {
    rest = rest << 1 | (product >> bit & 1);
    quotient <<= 1;
    if (rest >= rail.bytes_per_second) {
      rest -= rail.bytes_per_second;
      quotient |= 1;
    }
  }
  return quotient + static_cast<std::uint64_t>(rail.latency.ns);
}

std::size_t by_brute_force(const std::vector<RailLoad>& rails, std::uint32_t bytes) {
  std::vector<std::size_t> can;
  for (std::size_t i = 0; i < rails.size(); ++i) {
    if (rails[i].usable && Wide{rails[i].under_way} + bytes <= rails[i].window) can.push_back(i);
  }
  for (const std::size_t i : can) {
    bool first = true;
    for (const std::size_t other : can) {
      const Wide mine = arrives(rails[i], bytes), its = arrives(rails[other], bytes);
      if (its < mine || (its == mine && other < i)) first = false;
    }
    if (first) return i;
  }
  return kNoRail;
}

std::uint64_t any_size(Random& random) {
  return random.next() >> random.below(64);
}

TEST(ChooseRail, IsTheOneThatHasItThereFirst) {
  Random random(1, 0, 0);
  int none = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::vector<RailLoad> rails(random.below(9));
    for (RailLoad& rail : rails) {
      rail.usable = random.below(4) != 0;
      rail.bytes_per_second = std::max<std::uint64_t>(1, any_size(random));
      rail.under_way = any_size(random);
      rail.window = random.below(3) == 0 ? rail.under_way : any_size(random);
      rail.latency = nanoseconds(static_cast<std::int64_t>(any_size(random) >> 1));
      // Ties happen.
      if (random.below(3) == 0) rail = rails[0];
    }
    const auto bytes = static_cast<std::uint32_t>(any_size(random) >> 32);
    const std::size_t expected = by_brute_force(rails, bytes);
    ASSERT_EQ(choose_rail(rails, bytes), expected) << i;
    none += expected == kNoRail;
  }
  EXPECT_GT(none, 1000);
  EXPECT_LT(none, 45'000);
}

TEST(ChooseRail, RoomIsUpToTheLastByte) {
  RailLoad rail;
  rail.usable = true;
  rail.window = 1000;
  rail.under_way = 900;
  EXPECT_EQ(choose_rail({&rail, 1}, 100), 0u);
  EXPECT_EQ(choose_rail({&rail, 1}, 101), kNoRail);
  EXPECT_EQ(choose_rail({}, 0), kNoRail);
}

TEST(ChooseRail, AShortMessageTakesTheQuickerWayAndALongOneTheWiderOne) {
  std::array<RailLoad, 2> rails;
  rails[0] = {true, 12'500'000'000, 0, 1u << 30, 65536, microseconds(20)};
  rails[1] = {true, 1'000'000'000, 0, 1u << 30, 65536, microseconds(1)};
  EXPECT_EQ(choose_rail(rails, 8), 1u);
  // 19 µs apart: n (1 / 1 GB/s - 1 / 12.5 GB/s) = 19 µs at n = 20,652.2; in whole nanoseconds
  // 20,652 bytes are a tie.
  EXPECT_EQ(choose_rail(rails, 20'651), 1u);
  EXPECT_EQ(choose_rail(rails, 20'652), 0u);
}

// One is waited for as long as it is ahead of the best that has room.
TEST(ChooseRail, ARailWithoutRoomKeepsItsTurnWhileItWouldDeliverFirst) {
  Random random(2, 0, 0);
  int waits = 0, goes = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::vector<RailLoad> rails(1 + random.below(8));
    for (RailLoad& rail : rails) {
      rail.usable = random.below(2) != 0;
      rail.is_full = !rail.usable && random.below(2) != 0;
      rail.bytes_per_second = 1 + random.below(1'000'000'000);
      rail.under_way = random.below(1u << 20);
      rail.window = random.below(1u << 20);
      rail.latency = microseconds(static_cast<std::int64_t>(random.below(1000)));
      rail.stalled = microseconds(static_cast<std::int64_t>(random.below(10'000)));
    }
    const auto bytes = static_cast<std::uint32_t>(1 + random.below(9000));
    const RailChoice choice = choose_rail_or_wait(rails, bytes);
    const std::size_t best = by_brute_force(rails, bytes);
    Wide ahead = 0;
    for (const RailLoad& rail : rails) {
      if (best == kNoRail || !(rail.usable || rail.is_full)) continue;
      if (rail.usable && Wide{rail.under_way} + bytes <= rail.window) continue;
      const Wide its = arrives(rail, bytes) + static_cast<std::uint64_t>(rail.stalled.ns);
      const Wide best_time = arrives(rails[best], bytes);
      if (its < best_time) ahead = std::max(ahead, best_time - its);
    }
    ASSERT_EQ(choice.rail, ahead > 0 ? kNoRail : best) << i;
    ASSERT_EQ(choice.wait.ns, static_cast<std::int64_t>(std::min<Wide>(ahead, 1'000'000'000)));
    waits += ahead > 0;
    goes += choice.rail != kNoRail;
  }
  EXPECT_GT(waits, 1000);
  EXPECT_GT(goes, 1000);
}

TEST(ChooseRail, NobodyWaitsForARailThatHasStopped) {
  std::array<RailLoad, 2> rails;
  rails[0] = {true, 1'000'000'000, 65'000, 65'536, 1472, microseconds(20)};
  rails[1] = {true, 100'000'000, 0, 65'536, 1472, microseconds(20)};
  // 66 µs against 10 µs, and 20 µs both.
  EXPECT_EQ(choose_rail_or_wait(rails, 1000).rail, 1u);
  // 66 µs against 310 µs.
  rails[1].under_way = 30'000;
  const RailChoice waits = choose_rail_or_wait(rails, 1000);
  EXPECT_EQ(waits.rail, kNoRail);
  EXPECT_EQ(waits.wait, microseconds(244));
  rails[0].stalled = waits.wait;
  EXPECT_EQ(choose_rail_or_wait(rails, 1000).rail, 1u);
  // One that is neither usable nor full carries nothing, however soon it would have it there.
  rails[0] = {false, 1'000'000'000, 0, 65'536, 1472, microseconds(20)};
  EXPECT_EQ(choose_rail_or_wait(rails, 1000).rail, 1u);
  // With nobody else who has room there is nothing to wait for but an event.
  rails[0].is_full = true;
  rails[1].usable = false;
  EXPECT_EQ(choose_rail_or_wait(rails, 1000).rail, kNoRail);
  EXPECT_EQ(choose_rail_or_wait(rails, 1000).wait, Duration{});
}

TEST(ChooseRail, SharesAreByTheBandwidthOfThoseThatCarry) {
  std::array<RailLoad, 3> rails;
  rails[0] = {true, 1'000'000'000, 0, 65'536, 1472, {}};
  rails[1] = {false, 250'000'000, 0, 65'536, 9000, {}};
  rails[2] = {false, 777, 0, 65'536, 9000, {}};
  EXPECT_EQ(share_of(rails, 0, 1'000'001), 1'000'001u);
  rails[1].is_full = true;
  EXPECT_EQ(share_of(rails, 0, 1'000'001), 800'000u);
  EXPECT_EQ(share_of(rails, 1, 1'000'001), 200'000u);
  EXPECT_EQ(share_of(rails, 1, std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::uint64_t>::max() / 5);
}

// Two wires, their rates measured as everything goes; a message of `message` bytes is cut into
// fragments, each on the rail that is chosen, and the next message begins when all has arrived.
struct Shared {
  std::array<std::uint64_t, 2> bytes{};
  double seconds = 0;
};
Shared share(std::array<Link, 2> links, std::uint64_t message, std::uint64_t window, int messages,
             int warm_up) {
  constexpr std::uint32_t kFragment = 8192;
  struct UnderWay {
    DeliveryRate::Stamp stamp;
    Time acknowledged;
  };
  std::array<DeliveryRate, 2> rates{DeliveryRate(100'000'000), DeliveryRate(100'000'000)};
  std::array<std::deque<UnderWay>, 2> under_way;
  std::array<RailLoad, 2> loads;
  for (std::size_t r = 0; r < 2; ++r) {
    loads[r] = {true, 1, 0, window, kFragment, links[r].latency()};
  }
  Shared shared;
  Time now, begin;
  for (int m = 0; m < messages; ++m) {
    if (m == warm_up) {
      shared = {};
      begin = now;
    }
    std::uint64_t left = message / kFragment;
    while (left > 0 || !under_way[0].empty() || !under_way[1].empty()) {
      for (std::size_t r = 0; r < 2; ++r) loads[r].bytes_per_second = rates[r].bytes_per_second();
      std::size_t rail = kNoRail;
      while (left > 0 && (rail = choose_rail(loads, kFragment)) != kNoRail) {
        DeliveryRate::Stamp stamp;
        rates[rail].send(loads[rail].under_way, now, stamp);
        const Time arrives = links[rail].send(kFragment, now);
        under_way[rail].push_back({stamp, arrives + links[rail].latency()});
        loads[rail].under_way += kFragment;
        shared.bytes[rail] += kFragment;
        --left;
      }
      for (std::size_t r = 0; r < 2; ++r) {
        if (loads[r].under_way + kFragment <= window) rates[r].limit(loads[r].under_way);
      }
      const auto first = [&](std::size_t r) {
        return under_way[r].empty() ? Time::never() : under_way[r].front().acknowledged;
      };
      const std::size_t r = first(0) <= first(1) ? 0 : 1;
      now = first(r);
      rates[r].deliver(under_way[r].front().stamp, kFragment, now);
      under_way[r].pop_front();
      loads[r].under_way -= kFragment;
    }
  }
  shared.seconds = static_cast<double>((now - begin).ns) * 1e-9;
  return shared;
}

TEST(Striping, UnlikeRailsShareAStreamByTheirBandwidth) {
  const Link fast(1e9, microseconds(20)), slow(230e6, microseconds(60));
  // One message of 10^5 fragments, the window full all the time.
  const Shared shared = share({fast, slow}, 100'000 * 8192ull, 1u << 20, 1, 0);
  const double all = static_cast<double>(shared.bytes[0] + shared.bytes[1]);
  EXPECT_NEAR(static_cast<double>(shared.bytes[0]) / all, 1e9 / 1.23e9, 0.01);
  EXPECT_NEAR(all / shared.seconds / 1.23e9, 1, 0.01);
}

// Messages that fit in the windows: what decides is the choice alone. Both rails end together if
// rail r gets rate_r (T - latency_r) bytes, with T such that it is all of them.
TEST(Striping, BothRailsEndAMessageTogether) {
  const std::array links{Link(1e9, microseconds(20)), Link(230e6, microseconds(60))};
  for (const std::uint64_t message : {std::uint64_t{1} << 20, std::uint64_t{4} << 20}) {
    const int messages = static_cast<int>(100'000 * 8192 / message);
    const Shared shared = share(links, message, 64u << 20, messages, 3);
    double latencies = 0, rates = 0;
    for (const Link& link : links) {
      latencies += link.rate() * static_cast<double>(link.latency().ns) * 1e-9;
      rates += link.rate();
    }
    const double whole = (static_cast<double>(message) + latencies) / rates;
    const double first = links[0].rate() * (whole - 20e-6) / static_cast<double>(message);
    const double all = static_cast<double>(shared.bytes[0] + shared.bytes[1]);
    EXPECT_NEAR(static_cast<double>(shared.bytes[0]) / all, first, 0.01) << message;
    // From the first byte to the last acknowledgement; a fragment cannot be cut in two.
    const double expected = whole + 60e-6;
    const double fragment = 8192 / 230e6;
    EXPECT_LE(shared.seconds / (messages - 3), expected + fragment) << message;
  }
}

TEST(Striping, EqualRailsGetHalfEach) {
  const Link link(500e6, microseconds(30));
  const Shared shared = share({link, link}, 1u << 20, 1u << 20, 800, 0);
  const double all = static_cast<double>(shared.bytes[0] + shared.bytes[1]);
  EXPECT_NEAR(static_cast<double>(shared.bytes[0]) / all, 0.5, 0.01);
}

}  // namespace
}  // namespace holdfast::reliable
