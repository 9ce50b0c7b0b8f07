// Latency of an idle path, exact for both ways of switching.
#include <string>

#include "sim/topology/link_rate.hpp"
#include "sim/topology/routes.hpp"
#include "tests/unit/sim_packet/wire.hpp"

namespace holdfast::sim {
namespace {

const std::uint32_t kSizes[] = {0, 1, 30, 66, 512, 4096, 30'000};

// Through a graph whose routes are those of the subnet's tables.
class RoutesForwarding final : public Forwarding {
 public:
  RoutesForwarding(const FabricGraph& graph, const Routes& routes)
      : graph_(graph), routes_(routes) {}
  std::uint16_t port(std::uint32_t device, NodeId to, std::uint32_t) const override {
    std::uint16_t found = 0;
    // Some host of this switch's side that is not `to` leads through it; tables are by destination.
    for (std::uint32_t from = 0; from < graph_.host_count() && found == 0; ++from) {
      if (from == to.value) continue;
      routes_.walk(NodeId{from}, to, [&](std::uint32_t link, std::uint32_t entered) {
        if (entered != device) return;
        for (const LinkEnd& end : graph_.links()[link].ends) {
          if (end.device == device) found = static_cast<std::uint16_t>(end.port);
        }
      });
    }
    return found;
  }
  std::uint32_t paths() const override { return 1; }

 private:
  const FabricGraph& graph_;
  const Routes& routes_;
};

// Every pair and size, one after the other, each on an idle fabric.
void expect_path_times(PacketWire& wire, const PathTimes& times, std::uint32_t hosts) {
  Driver drive(wire);
  SimTime now;
  for (std::uint32_t from = 0; from < hosts; ++from) {
    for (std::uint32_t to = 0; to < hosts; ++to) {
      if (from == to) continue;
      for (const std::uint32_t bytes : kSizes) {
        drive.inject(now, {.from = {from}, .to = {to}, .bytes = bytes});
        drive.finish();
        ASSERT_EQ(drive.reports.size(), 1u);
        ASSERT_EQ((drive.reports[0].at - now).value, times.one_way({from}, {to}, bytes).value)
            << from << " to " << to << ", " << bytes << " bytes";
        drive.reports.clear();
        now = now + SimTime{100'000'000};
      }
    }
  }
}

TEST(IdlePath, CutThroughTakesTheTimeOfMessageFidelity) {
  for (const std::int64_t rate : {100'000'000'000, 54'545'454'545, 99'999'999'977}) {
    const LinkSpec link{rate, nanoseconds(131)};
    const Pgft tree = make_tree({{3, 2, 2}, {1, 2, 2}, {1, 2, 1}});
    const PathTimes times(tree, link, nanoseconds(77));
    for (const bool collapse : {false, true}) {
      TreeWire fabric(tree, {.switch_latency = nanoseconds(77), .collapse = collapse}, link);
      expect_path_times(fabric.wire, times, tree.host_count());
      EXPECT_EQ(fabric.wire.collapsed() > 0, collapse);
    }
  }
}

// Rates that differ from link to link, in both directions, slower and faster.
TEST(IdlePath, CutThroughThroughUnlikeLinksTakesTheTimeOfMessageFidelity) {
  const std::int64_t rates[] = {*parse_link_rate("4xEDR"), *parse_link_rate("4xFDR"),
                                *parse_link_rate("1xFDR"), *parse_link_rate("4xQDR")};
  FabricGraph graph;
  for (std::uint32_t i = 0; i < 6; ++i) {
    graph.add_host("h" + std::to_string(i));
    graph.add_device({DeviceKind::adapter, 100 + i, "h", "", NodeId{i}, {}}, 1);
  }
  for (std::uint32_t i = 0; i < 3; ++i) {
    graph.add_device({DeviceKind::switch_chip, 200 + i, "s", "", {}, {}}, 8);
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    graph.connect({i, 1}, {6 + i / 3, 1 + i % 3}, {rates[i % 4], nanoseconds(100 + i)});
  }
  graph.connect({6, 4}, {8, 1}, {rates[2], nanoseconds(17)});
  graph.connect({7, 4}, {8, 2}, {rates[0], nanoseconds(23)});
  const Routes routes(graph);
  const RoutesForwarding forwarding(graph, routes);
  const PathTimes times(graph, routes, nanoseconds(90));
  for (const bool collapse : {false, true}) {
    PacketWire wire(graph, forwarding, {.switch_latency = nanoseconds(90), .collapse = collapse});
    expect_path_times(wire, times, graph.host_count());
  }
}

// n links and n - 1 switches: a packet's own time once in cut-through, on each link in
// store-and-forward.
TEST(IdlePath, HasItsClosedFormInBothWaysOfSwitching) {
  const Pgft tree = make_tree({{3, 2, 2}, {1, 2, 2}, {1, 2, 1}});
  for (const Switching switching : {Switching::cut_through, Switching::store_and_forward}) {
    for (const bool collapse : {false, true}) {
      TreeWire fabric(
          tree, {.switching = switching, .switch_latency = nanoseconds(77), .collapse = collapse});
      SimTime now;
      for (std::uint32_t level = 1; level <= 3; ++level) {
        const NodeId to{level == 1 ? 1u : level == 2 ? 4u : 7u};
        const std::int64_t links = 2 * level;
        for (const std::uint32_t bytes : kSizes) {
          fabric.drive.inject(now, {.from = {0}, .to = to, .bytes = bytes});
          fabric.drive.finish();
          const std::int64_t times = switching == Switching::cut_through ? 1 : links;
          const std::int64_t expected =
              times * takes_100(bytes).value + links * 15'000 + (links - 1) * 7'700;
          EXPECT_EQ((fabric.drive.reports.back().at - now).value, expected);
          now = now + SimTime{100'000'000};
        }
      }
      EXPECT_EQ(fabric.wire.collapsed() > 0, collapse);
    }
  }
}

}  // namespace
}  // namespace holdfast::sim
