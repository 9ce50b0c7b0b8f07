// Links that go down and come up: what is lost, when, and that all credits come home.
#include "tests/unit/sim_packet/wire.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint32_t kBytes = 4'062;     // 4,096 on the wire
constexpr std::int64_t kTakes = 8 * 4'096;  // 32,768 units
constexpr std::int64_t kLink = 15'000;      // latency of a link
constexpr std::int64_t kSwitch = 10'000;

// Host 0 to host 1 by one switch; link h is that of host h.
struct OneSwitch : TreeWire {
  explicit OneSwitch(const PacketWireOptions& options = {})
      : TreeWire(make_tree({{4}, {1}, {1}}), options) {}
  void send(SimTime at, std::uint64_t token) {
    drive.inject(at, {.from = {0}, .to = {1}, .bytes = kBytes, .token = token});
  }
  void expect(std::uint64_t token, PacketFate fate, std::int64_t at) {
    EXPECT_EQ(drive.of(token).fate, fate) << token;
    EXPECT_EQ(drive.of(token).at.value, at) << token;
  }
};

constexpr std::int64_t kAtSwitch = kLink + kSwitch;          // cut-through: starts there
constexpr std::int64_t kThere = kAtSwitch + kTakes + kLink;  // all of it has come

TEST(LinkDown, WhatIsBeingSentIsCutAndWhatHasLeftArrives) {
  for (const bool collapse : {false, true}) {
    for (const std::int64_t after : {0, 1}) {
      OneSwitch fabric({.collapse = collapse});
      fabric.send({}, 0);
      // The last bit leaves the host at kTakes.
      fabric.drive.set_link_up({kTakes - 1 + after}, 0, false);
      fabric.drive.finish();
      fabric.expect(0, after == 0 ? PacketFate::cut : PacketFate::delivered, kThere);
      EXPECT_EQ(fabric.wire.expanded(), collapse ? 1u : 0u);
    }
  }
}

// Store and forward never sends a broken packet on.
TEST(LinkDown, ASwitchThatStoresThrowsABrokenPacketAway) {
  OneSwitch fabric({.switching = Switching::store_and_forward});
  fabric.send({}, 0);
  fabric.drive.set_link_up({10}, 0, false);
  fabric.drive.finish();
  fabric.expect(0, PacketFate::cut, kTakes + kLink + kSwitch);
}

TEST(LinkDown, WhatWaitsForAPortIsLostAtOnce) {
  for (const bool collapse : {false, true}) {
    OneSwitch fabric({.collapse = collapse});
    for (std::uint64_t i = 0; i < 3; ++i) fabric.send({}, i);
    fabric.drive.set_link_up({kTakes / 2}, 0, false);
    fabric.drive.finish();
    fabric.expect(0, PacketFate::cut, kThere);
    fabric.expect(1, PacketFate::port_down, kTakes / 2);
    fabric.expect(2, PacketFate::port_down, kTakes / 2);
  }
}

TEST(LinkDown, WhatComesToAPortThatIsDownIsLostAtOnce) {
  for (const bool collapse : {false, true}) {
    OneSwitch fabric({.collapse = collapse});
    fabric.send({}, 0);
    fabric.drive.set_link_up({5}, 1, false);
    fabric.send({6}, 1);
    fabric.drive.finish();
    fabric.expect(0, PacketFate::port_down, kAtSwitch);
    fabric.expect(1, PacketFate::port_down, kTakes + kAtSwitch);
  }
}

TEST(LinkDown, CallsNestAndAfterTheLastOneTheLinkWorksAgain) {
  OneSwitch fabric;
  fabric.drive.set_link_up({0}, 1, false);
  fabric.drive.set_link_up({1}, 1, false);
  fabric.drive.set_link_up({2}, 1, true);
  fabric.send({10}, 0);
  fabric.drive.set_link_up({1'000'000}, 1, true);
  fabric.send({2'000'000}, 1);
  fabric.drive.finish();
  fabric.expect(0, PacketFate::port_down, 10 + kAtSwitch);
  fabric.expect(1, PacketFate::delivered, 2'000'000 + kThere);
}

TEST(LinkDown, AnInjectionWithoutALinkIsLost) {
  FabricGraph graph;
  for (std::uint32_t i = 0; i < 2; ++i) {
    graph.add_host(i == 0 ? "a" : "b");
    graph.add_device({DeviceKind::adapter, 1 + i, "", "", NodeId{i}, {}}, 1);
  }
  const DmodkForwarding forwarding(make_tree({{4}, {1}, {1}}), 1);
  PacketWire wire(graph, forwarding, {});
  wire.inject({}, {.from = {0}, .to = {1}, .bytes = 8, .token = 3});
  ASSERT_EQ(wire.reports().size(), 1u);
  EXPECT_EQ(wire.reports()[0].fate, PacketFate::no_route);
}

// A full fabric loses a link in the middle and gets it back, many times; in the end every credit
// is home (finish() looks) and the fabric carries as much as ever.
TEST(LinkDown, CreditsComeHome) {
  const Pgft tree = make_tree({{4, 4}, {1, 4}, {1, 1}});
  for (const bool collapse : {false, true}) {
    TreeWire fabric(tree, {.buffer_bytes = 16'384, .collapse = collapse});
    std::int64_t at = 0;
    for (std::uint32_t round = 0; round < 50; ++round) {
      const std::uint32_t link = 16 + round % 16;  // between leaves and spines
      for (std::uint32_t from = 0; from < 16; ++from) {
        for (std::uint32_t i = 1; i < 16; ++i) {
          fabric.drive.inject({at}, {.from = {from}, .to = {(from + i) % 16}, .bytes = kBytes});
        }
      }
      fabric.drive.set_link_up({at + 3 * kTakes}, link, false);
      fabric.drive.set_link_up({at + 7 * kTakes}, link, true);
      at += 20 * kTakes;
    }
    fabric.drive.finish();
    EXPECT_GT(fabric.wire.count(PacketFate::port_down), 100u);
    EXPECT_GT(fabric.wire.count(PacketFate::cut), 10u);
    const SimTime later{2 * kSimUnitsPerSecond};  // events that look for old heads are past
    fabric.drive.inject(later, {.from = {0}, .to = {15}, .bytes = kBytes, .token = 77});
    fabric.drive.finish();
    EXPECT_EQ(fabric.drive.of(77).at.value - later.value, 4 * kLink + 3 * kSwitch + kTakes);
  }
}

}  // namespace
}  // namespace holdfast::sim
