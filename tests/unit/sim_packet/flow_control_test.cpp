// Credits, what their absence loses, and heads that grow old.
#include <string>

#include "tests/unit/sim_packet/wire.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint32_t kBytes = 2'014;  // 2,048 on the wire: 32 blocks
constexpr std::int64_t kTakes = 16'384;  // of such a packet on a link of 100 Gb/s
constexpr std::uint32_t kPackets = 64;   // that fit into a buffer

PacketWireOptions two_lanes(FlowControl control) {
  PacketWireOptions options;
  options.flow_control = control;
  options.buffer_bytes = 2'048 * kPackets;
  options.lanes = {{}, {}};
  options.lane_of_service_level = {0, 1};
  options.collapse = false;
  return options;
}

// Hosts 0 and 1 on one switch, 2, 3 and 4 on another; the link between the switches is four times
// as fast as those of the hosts. Switches are devices 5 and 6.
class TwoSwitches final : public Forwarding {
 public:
  TwoSwitches() {
    for (std::uint32_t i = 0; i < 5; ++i) {
      graph.add_host("h" + std::to_string(i));
      graph.add_device({DeviceKind::adapter, 100 + i, "h", "", NodeId{i}, {}}, 1);
    }
    graph.add_device({DeviceKind::switch_chip, 200, "a", "", {}, {}}, 8);
    graph.add_device({DeviceKind::switch_chip, 201, "b", "", {}, {}}, 8);
    for (std::uint32_t i = 0; i < 5; ++i) graph.connect({i, 1}, {switch_of(i), i + 1}, kLink100);
    between = graph.connect({5, 8}, {6, 8}, {400'000'000'000, nanoseconds(150)});
  }
  std::uint16_t port(std::uint32_t device, NodeId to, std::uint32_t) const override {
    return static_cast<std::uint16_t>(switch_of(to.value) == device ? to.value + 1 : 8);
  }
  std::uint32_t paths() const override { return 1; }

  FabricGraph graph;
  std::uint32_t between = kNone;

 private:
  static std::uint32_t switch_of(std::uint32_t host) { return host < 2 ? 5 : 6; }
};

// Hosts 0 and 2 send to 3 as much as their links carry, and share its link. Host 1 sends to 4 as
// much as its link carries; every link has room for that. The share of it that arrives, after the
// queues have filled.
double victims_share(FlowControl control, std::uint8_t victims_level) {
  const TwoSwitches fabric;
  PacketWire wire(fabric.graph, fabric, two_lanes(control));
  Driver drive(wire);
  constexpr std::int64_t kSteps = 4'000;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    const SimTime at{step * kTakes};
    for (const std::uint32_t from : {0u, 2u}) {
      drive.inject(at, {.from = {from}, .to = {3}, .bytes = kBytes, .token = from});
    }
    drive.inject(
        at, {.from = {1}, .to = {4}, .bytes = kBytes, .service_level = victims_level, .token = 1});
  }
  const SimTime middle{kSteps / 2 * kTakes};
  const SimTime end{kSteps * kTakes};
  drive.until(end);
  const auto victims = [](std::uint64_t token) { return token == 1; };
  const auto incast = [](std::uint64_t token) { return token != 1; };
  const auto rate = [&](const auto& counts) {
    return static_cast<double>(drive.delivered_by(end, counts) -
                               drive.delivered_by(middle, counts)) /
           (kSteps / 2);
  };
  EXPECT_NEAR(rate(incast), 1.0, 0.002);  // the link that they share is never idle
  return rate(victims);
}

// First come, first served between inputs that never run dry gives each the same rate, on each
// link. So host 0 has half of the link that it shares with host 2; and host 1 has, of a link that
// could carry four times its own, no more than host 0.
TEST(FlowControl, AVictimIsBlockedByAnIncastOfItsLane) {
  EXPECT_NEAR(victims_share(FlowControl::credits, 0), 0.5, 0.02);
}

TEST(FlowControl, AVictimOnAnotherLaneIsNot) {
  EXPECT_NEAR(victims_share(FlowControl::credits, 1), 1.0, 0.001);
}

TEST(FlowControl, WithoutCreditsAVictimOfTheSameLaneIsNotBlockedEither) {
  EXPECT_NEAR(victims_share(FlowControl::drop_tail, 0), 1.0, 0.001);
}

TEST(FlowControl, CreditsLoseNothing) {
  const Pgft tree = make_tree({{4, 4}, {1, 2}, {1, 1}});
  TreeWire fabric(tree, two_lanes(FlowControl::credits));
  for (std::uint32_t i = 0; i < 16 * 40; ++i) {
    const NodeId from{1 + i % 15};
    fabric.drive.inject({}, {.from = from, .to = {0}, .bytes = kBytes, .token = i});
  }
  fabric.drive.finish();
  EXPECT_EQ(fabric.wire.count(PacketFate::delivered), 16u * 40u);
}

// Three packets come to one output at once, n times; it sends one each time and can hold kPackets.
TEST(FlowControl, DropTailLosesWhatTheQueueHasNoRoomFor) {
  TreeWire fabric(make_tree({{4}, {1}, {1}}), two_lanes(FlowControl::drop_tail));
  constexpr std::uint32_t kSteps = 100;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    for (std::uint32_t from = 1; from < 4; ++from) {
      fabric.drive.inject({step * kTakes}, {.from = {from}, .to = {0}, .bytes = kBytes});
    }
  }
  fabric.drive.finish();
  // The simplest queue there is: per step three come, if there is room, then one goes. Newcomers
  // of the instant find the packet gone that has been sent until then.
  std::uint32_t waiting = 0;
  std::uint32_t lost = 0;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    for (int i = 0; i < 3; ++i) ++(waiting < kPackets ? waiting : lost);
    --waiting;
  }
  EXPECT_GT(lost, 100u);
  EXPECT_EQ(fabric.wire.count(PacketFate::queue_full), lost);
  EXPECT_EQ(fabric.wire.count(PacketFate::delivered), 3 * kSteps - lost);
}

// Packets of hosts 1 and 2 come to the output to host 0 at one instant: the second becomes the head
// when the first starts, and can start when it ends, 164 ns later. A lifetime of as much lets it
// go, one of a nanosecond less does not.
TEST(FlowControl, AHeadIsDiscardedWhenItIsTooOld) {
  for (const std::int64_t lifetime : {164, 163}) {
    PacketWireOptions options = two_lanes(FlowControl::credits);
    options.head_lifetime = nanoseconds(lifetime);
    TreeWire fabric(make_tree({{4}, {1}, {1}}), options);
    for (const std::uint32_t from : {1u, 2u}) {
      fabric.drive.inject({}, {.from = {from}, .to = {0}, .bytes = 2'050 - 34, .token = from});
    }
    fabric.drive.finish();
    EXPECT_EQ(fabric.drive.of(1).fate, PacketFate::delivered);
    EXPECT_EQ(fabric.drive.of(2).fate,
              lifetime == 164 ? PacketFate::delivered : PacketFate::too_old);
    if (lifetime == 163) {
      // At the output 150 ns of link and 100 ns of switch after the start.
      EXPECT_EQ(fabric.drive.of(2).at.value, (150 + 100 + 163) * 100);
    }
  }
}

}  // namespace
}  // namespace holdfast::sim
