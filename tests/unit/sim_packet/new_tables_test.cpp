// Tables that change while packets are under way: a switch forwards by those that are in force when
// a packet is there (stated in sim/topology/subnet_manager.hpp).
#include "tests/unit/sim_packet/wire.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint32_t kBytes = 4'062;         // 4,096 on the wire
constexpr std::int64_t kTakes = 8 * 4'096;      // 32,768 units
constexpr std::int64_t kHop = 15'000 + 10'000;  // a link, and the switch behind it
constexpr std::int64_t kAtLeaf = kHop;          // cut-through: a packet is sent on from then
constexpr std::int64_t kThere = 3 * kHop + kTakes + 15'000;  // from leaf to leaf by a spine

// The other of D-Mod-K's two ways between leaf switches.
class OtherSpine final : public Forwarding {
 public:
  explicit OtherSpine(const Pgft& tree) : dmodk_(tree, 2) {}
  std::uint16_t port(std::uint32_t device, NodeId to, std::uint32_t) const override {
    return dmodk_.port(device, to, 1);
  }
  std::uint32_t paths() const override { return 1; }

 private:
  DmodkForwarding dmodk_;
};

// Host 0 to host 4, which have different leaf switches; the spine of the first tables does not
// reach that of host 4 any more.
struct TwoSpines : TreeWire {
  explicit TwoSpines(bool collapse)
      : TreeWire(make_tree({{4, 4}, {1, 2}, {1, 1}}), {.collapse = collapse}),
        other(make_tree({{4, 4}, {1, 2}, {1, 1}})) {
    const std::uint32_t leaf = far_end(graph.endpoint_link({0}), graph.hosts()[0].adapters[0]);
    const std::uint32_t spine = behind(leaf);
    drive.set_link_up({}, graph.devices()[spine].ports[forwarding.port(spine, {4}, 0)].link, false);
  }
  std::uint32_t far_end(std::uint32_t link, std::uint32_t device) const {
    return graph.links()[link].end_away_from(device).device;
  }
  std::uint32_t behind(std::uint32_t device) const {
    return far_end(graph.devices()[device].ports[forwarding.port(device, {4}, 0)].link, device);
  }
  void send(SimTime at, std::uint64_t token) {
    drive.inject(at, {.from = {0}, .to = {4}, .bytes = kBytes, .token = token});
  }
  void change_tables(SimTime at) {
    drive.until(at);
    wire.set_forwarding(at, other);
  }
  void expect(std::uint64_t token, PacketFate fate, std::int64_t at) {
    EXPECT_EQ(drive.of(token).fate, fate) << token;
    EXPECT_EQ(drive.of(token).at.value, at) << token;
  }

  OtherSpine other;
};

TEST(NewTables, WhoHasPassedASwitchGoesTheOldWayAndWhoIsBehindTheNew) {
  for (const bool collapse : {false, true}) {
    TwoSpines fabric(collapse);
    fabric.send({}, 0);
    fabric.send({}, 1);  // leaves the host when the first one has
    fabric.change_tables({kAtLeaf + 1});
    fabric.drive.finish();
    fabric.expect(0, PacketFate::port_down, 2 * kHop);
    fabric.expect(1, PacketFate::delivered, kTakes + kThere);
  }
}

TEST(NewTables, WhoIsAtASwitchInTheInstantOfTheChangeGoesTheOldWay) {
  for (const bool collapse : {false, true}) {
    for (const std::int64_t before : {0, 1}) {
      TwoSpines fabric(collapse);
      fabric.send({}, 0);
      fabric.change_tables({kAtLeaf - before});
      fabric.drive.finish();
      const bool is_new = before > 0;
      fabric.expect(0, is_new ? PacketFate::delivered : PacketFate::port_down,
                    is_new ? kThere : 2 * kHop);
    }
  }
}

// What waits for a port was forwarded when it came.
TEST(NewTables, WhatWaitsForAPortStaysThere) {
  for (const bool collapse : {false, true}) {
    TwoSpines fabric(collapse);
    fabric.send({}, 0);
    fabric.drive.inject({}, {.from = {1}, .to = {4}, .bytes = kBytes, .token = 1});
    fabric.change_tables({kAtLeaf + 1});
    fabric.drive.finish();
    fabric.expect(0, PacketFate::port_down, 2 * kHop);
    fabric.expect(1, PacketFate::port_down, kTakes + 2 * kHop);
  }
}

}  // namespace
}  // namespace holdfast::sim
