// Frames and traffic on one wire: each gets back what is its own.
#include "sim/fabric/packet_carrier.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/topology/dmodk.hpp"
#include "tests/unit/sim_topology/trees.hpp"

namespace holdfast::sim {
namespace {

// Four hosts under one switch.
struct Carried {
  Pgft tree = make_tree({{4}, {1}, {1}});
  FabricGraph graph = build_pgft(tree, kLink100);
  DmodkForwarding forwarding{tree, 1};
  PacketCarrier carrier;
  std::vector<CarriedFrame> done;

  explicit Carried(const PacketCarrierOptions& options) : carrier(options, graph, forwarding, 1) {}

  void until(SimTime time) {
    while (carrier.precedes(time)) {
      carrier.step();
      for (const CarriedFrame& frame : carrier.done()) done.push_back(frame);
      carrier.clear_done();
    }
  }
};

// Two links of 150 ns, a switch of 100 ns, 8 units for each byte: D-Mod-K has nothing to choose.
SimTime idle(std::uint32_t bytes) {
  return {2 * 15'000 + 10'000 + 8 * (std::int64_t{bytes} + 34)};
}

constexpr SimTime kLater{1'000'000'000};

TEST(PacketCarrier, AFrameComesBackWithWhatItWasGiven) {
  Carried carried({});
  carried.carrier.carry({}, {1}, {2}, 100, {7}, 3);
  carried.carrier.carry({}, {2}, {1}, 300, {9}, 0);
  carried.until(kLater);
  ASSERT_EQ(carried.done.size(), 2u);
  const CarriedFrame& first = carried.done[0];
  EXPECT_EQ(first.to, ProcessId{7});
  EXPECT_EQ(first.frame, 3u);
  EXPECT_EQ(first.from_node, NodeId{1});
  EXPECT_EQ(first.at, idle(100));
  EXPECT_EQ(first.fate, PacketFate::delivered);
  EXPECT_EQ(carried.done[1].to, ProcessId{9});
  EXPECT_EQ(carried.done[1].from_node, NodeId{2});
  EXPECT_EQ(carried.done[1].at, idle(300));
}

// Its loss is told at the instant at which it happens, though nothing else does then.
TEST(PacketCarrier, AFrameThatIsLostIsToldOfAtOnceAndCounted) {
  Carried carried({});
  carried.carrier.carry({}, {1}, {2}, 4'000, {7}, 0);
  carried.carrier.carry({}, {1}, {2}, 100, {8}, 1);
  const SimTime now{1'000};
  carried.until(now);
  carried.carrier.wire().set_link_up(now, carried.graph.endpoint_link({1}), false);
  carried.until(now);
  ASSERT_EQ(carried.done.size(), 1u);
  EXPECT_EQ(carried.done[0].frame, 1u);
  EXPECT_EQ(carried.done[0].at, now);
  EXPECT_EQ(carried.done[0].fate, PacketFate::port_down);
  carried.until(kLater);
  ASSERT_EQ(carried.done.size(), 2u);
  EXPECT_EQ(carried.done[1].frame, 0u);
  EXPECT_EQ(carried.done[1].fate, PacketFate::cut);
  EXPECT_EQ(carried.carrier.frames().lost(), 2u);
}

TrafficOptions kind(TrafficPattern pattern, double load) {
  return {.pattern = pattern, .load = load, .bytes = 500, .until = Time{} + microseconds(100)};
}

// What a sender offers depends on its own stream only, and little traffic is never refused.
TEST(PacketCarrier, KindsOfTrafficAddUpAndFramesAreNoneOfThem) {
  const TrafficOptions kinds[] = {kind(TrafficPattern::uniform, 0.05),
                                  kind(TrafficPattern::permutation, 0.02)};
  PacketCarrierOptions both;
  both.traffic.assign(std::begin(kinds), std::end(kinds));
  Carried carried(both);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const SimTime at{1'000'000 * std::int64_t{i}};
    carried.until(at);
    carried.carrier.carry(at, {0}, {3}, 200, {0}, i);
  }
  carried.until(kLater);
  EXPECT_EQ(carried.done.size(), 10u);
  EXPECT_EQ(carried.carrier.frames().lost(), 0u);
  const PacketCounts counts = carried.carrier.traffic();
  // 100 us of four links of 12.5 bytes a nanosecond, 534 bytes each: 468 and 187, five standard
  // deviations about the sum.
  EXPECT_NEAR(static_cast<double>(counts.sent), 0.07 * 4 * 100'000 * 12.5 / 534, 5 * 26);
  EXPECT_EQ(counts.delivered(), counts.sent);
  EXPECT_EQ(counts.skipped + counts.lost(), 0u);
}

}  // namespace
}  // namespace holdfast::sim
