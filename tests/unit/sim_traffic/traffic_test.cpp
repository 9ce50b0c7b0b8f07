// Background traffic: who sends to whom, how much, and what it does to a victim.
#include "sim/traffic/traffic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "sim/topology/dmodk.hpp"
#include "tests/unit/sim_topology/trees.hpp"

namespace holdfast::sim {
namespace {

struct Played {
  PacketCounts all;
  PacketCounts victim;
  std::map<std::uint32_t, std::uint32_t> sent_to;
  std::vector<std::int64_t> arrivals;
};

Played play(const PgftSpec& spec, const TrafficOptions& options, SimTime end,
            std::uint64_t seed = 1, PacketWireOptions wire_options = {}) {
  const Pgft tree = make_tree(spec);
  const FabricGraph graph = build_pgft(tree, kLink100);
  const DmodkForwarding forwarding(tree, 1);
  PacketWire wire(graph, forwarding, wire_options);
  Traffic traffic(options, seed, 0, graph);
  Played played;
  const auto until = [&](SimTime time) {
    while (wire.precedes(time)) {
      wire.step();
      for (const PacketReport& report : wire.reports()) {
        EXPECT_TRUE(traffic.owns(report.token));
        traffic.account(report);
        played.arrivals.push_back(report.at.value);
      }
      wire.clear_reports();
    }
  };
  while (traffic.next_time() < end) {
    const SimTime now = traffic.next_time();
    until(now);
    if (const auto shipment = traffic.take(wire)) {
      wire.inject(now, *shipment);
      ++played.sent_to[shipment->to.value];
    }
  }
  until(end);
  played.all = traffic.counts();
  played.victim = traffic.victim();
  return played;
}

constexpr std::int64_t kTakes = 8 * (2'048 + 34);
const PgftSpec kOneSwitch{{16}, {1}, {1}};

// A Poisson process: the number sent in a time is within five standard deviations of its mean.
TEST(Traffic, OffersItsShareOfTheLinksRate) {
  for (const double load : {0.1, 0.5, 0.8}) {
    const std::int64_t steps = 20'000;
    const Played played =
        play(kOneSwitch, {.pattern = TrafficPattern::permutation, .load = load}, {steps * kTakes});
    const double mean = load * 16 * static_cast<double>(steps);
    const double offered = static_cast<double>(played.all.sent + played.all.skipped);
    EXPECT_NEAR(offered, mean, 5 * std::sqrt(mean)) << load;
  }
}

// The same traffic, later: what is drawn does not depend on when it begins.
TEST(Traffic, BeginsAndEndsWhenItIsToldTo) {
  TrafficOptions options{.pattern = TrafficPattern::permutation, .load = 0.5};
  const SimTime end{1'000 * kTakes};
  const Played whole = play(kOneSwitch, options, end);
  options.from = Time{} + microseconds(100);
  options.until = options.from + nanoseconds(200 * kTakes / kSimUnitsPerNanosecond);
  const Played part = play(kOneSwitch, options, end);
  ASSERT_EQ(part.all.delivered(), part.all.sent);
  EXPECT_NEAR(static_cast<double>(part.all.sent), 1'600, 5 * 40);
  const std::int64_t shift = 10'000'000;
  // The last ones arrive among what was sent after them.
  for (std::size_t i = 0; i + 100 < part.arrivals.size(); ++i) {
    ASSERT_EQ(part.arrivals[i], whole.arrivals[i] + shift);
  }
}

// As libraries do that have a connection to each of a receiver's addresses. In all_to_all each has
// 15 receivers, so with three addresses a turn with each packet would give each pair only one.
TEST(Traffic, TakesTheAddressesOfItsReceiversInTurns) {
  const Pgft tree = make_tree({{4, 4}, {1, 4}, {1, 1}});
  const FabricGraph graph = build_pgft(tree, kLink100);
  for (const std::uint32_t paths : {1u, 3u, 4u}) {
    const DmodkForwarding forwarding(tree, paths);
    PacketWire wire(graph, forwarding, {});
    for (const TrafficPattern pattern : {TrafficPattern::all_to_all, TrafficPattern::permutation}) {
      Traffic traffic({.pattern = pattern, .load = 0.5}, 1, 0, graph);
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> latest;
      for (int i = 0; i < 2'000; ++i) {
        const auto shipment = traffic.take(wire);
        ASSERT_TRUE(shipment.has_value());
        const auto [pair, is_first] =
            latest.try_emplace({shipment->from.value, shipment->to.value}, shipment->path);
        if (is_first) continue;
        EXPECT_EQ(shipment->path, (pair->second + 1) % paths);
        pair->second = shipment->path;
      }
      EXPECT_EQ(latest.size(), pattern == TrafficPattern::all_to_all ? 16u * 15u : 16u);
    }
  }
}

// M/D/1 at the sender and nobody else's packets behind it: the mean delay is known.
TEST(Traffic, APermutationQueuesAtItsSourceOnly) {
  const double load = 0.5;
  const Played played =
      play(kOneSwitch, {.pattern = TrafficPattern::permutation, .load = load, .shift = 5},
           {40'000 * kTakes});
  const double idle = 2 * 15'000 + 10'000 + kTakes;
  const double wait = load * kTakes / (2 * (1 - load));
  const double mean =
      static_cast<double>(played.all.delay_units) / static_cast<double>(played.all.delivered());
  EXPECT_NEAR(mean, idle + wait, 0.02 * wait);
}

TEST(Traffic, AFullLoadFillsTheLinksAndSkipsTheRest) {
  const Played played =
      play({{4, 4}, {1, 4}, {1, 1}},
           {.pattern = TrafficPattern::permutation, .load = 1.0, .shift = 5}, {20'000 * kTakes});
  EXPECT_GT(played.all.delivered(), 16u * 19'000u);
  EXPECT_GT(played.all.skipped, 0u);
  EXPECT_EQ(played.all.lost(), 0u);
}

TEST(Traffic, UniformGoesToAllOthersAlike) {
  const Played played = play(kOneSwitch, {.load = 0.5}, {20'000 * kTakes});
  const double mean = static_cast<double>(played.all.sent) / 16;
  for (std::uint32_t to = 0; to < 16; ++to) {
    EXPECT_NEAR(played.sent_to.at(to), mean, 5 * std::sqrt(mean)) << to;
  }
}

TEST(Traffic, AllToAllServesEveryoneInTurn) {
  const Played played =
      play(kOneSwitch, {.pattern = TrafficPattern::all_to_all, .load = 0.3}, {3'000 * kTakes});
  // Each host's own counts differ by one at most, so the sums over 15 senders do by 15.
  std::uint32_t least = 0xffff'ffff;
  std::uint32_t most = 0;
  for (std::uint32_t to = 0; to < 16; ++to) {
    least = std::min(least, played.sent_to.at(to));
    most = std::max(most, played.sent_to.at(to));
  }
  EXPECT_GT(least, 500u);
  EXPECT_LE(most - least, 16u);
}

// Four leaves of 8 hosts, one spine. The senders are hosts 7, 12, 17, 22, 27 and 0, the target is
// 2; the victim is 8, and sends to 3. First come, first served between inputs gives host 0 and 7,
// which stand at the target's own switch, and the spine a third of the target's link each. What
// comes by the spine is 12 and the victim from one leaf, two others from leaf 2 and 27 from leaf 3,
// again with the same rate r for each leaf; the victim is half of the first: r/2 + r + r = 1/3. On
// a lane of its own the victim has what the sender of its leaf leaves of the link up.
TEST(Traffic, AnIncastBlocksItsVictimUnlessThatHasALaneOfItsOwn) {
  const PgftSpec tree{{8, 4}, {1, 1}, {1, 1}};
  for (std::uint8_t level = 0; level < 2; ++level) {
    PacketWireOptions wire;
    wire.lanes = {{}, {}};
    wire.lane_of_service_level = {0, 1};
    const TrafficOptions incast{.pattern = TrafficPattern::incast,
                                .load = 1.0,
                                .target = {2},
                                .senders = 6,
                                .victim_service_level = level};
    const Played played = play(tree, incast, {8'000 * kTakes}, 1, wire);
    const double share = static_cast<double>(played.victim.delivered()) / 8'000;
    // All senders together have the target's link, whatever the lane.
    EXPECT_NEAR(static_cast<double>(played.all.delivered()) / 8'000, 1.0, 0.01);
    EXPECT_EQ(played.all.lost() + played.victim.lost(), 0u);
    EXPECT_NEAR(share, level == 0 ? 1.0 / 15 : 2.0 / 3, 0.01);
  }
}

TEST(Traffic, TheSameSeedIsTheSameTrafficAndAnotherIsNot) {
  const TrafficOptions options{.load = 0.4};
  const SimTime end{500 * kTakes};
  EXPECT_EQ(play(kOneSwitch, options, end).arrivals, play(kOneSwitch, options, end).arrivals);
  EXPECT_NE(play(kOneSwitch, options, end).arrivals, play(kOneSwitch, options, end, 2).arrivals);
}

}  // namespace
}  // namespace holdfast::sim
