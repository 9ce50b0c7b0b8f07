// Ways around dead parts of fabrics that are written out, balanced and imported: whoever can be
// reached by going up and then down is reached, and what is not concerned stays as it was.
#include "sim/topology/written_routing.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sim/topology/subnet_manager.hpp"
#include "stack/base/random.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

// Hosts that can be reached from the switch `start` by going up and then down by `height`.
std::set<std::uint32_t> reachable(const FabricGraph& graph, const Routes& routes,
                                  const DeadParts& dead, std::uint32_t start) {
  const GraphWiring wiring(graph);
  const auto height = [&](std::uint32_t device) {
    return routes.heights()[routes.net().index_of_device[device]];
  };
  std::set<std::uint32_t> hosts;
  std::set<std::pair<std::uint32_t, bool>> seen = {{start, false}};
  std::vector<std::pair<std::uint32_t, bool>> queue(seen.begin(), seen.end());
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [at, gone_down] = queue[i];
    for (std::uint32_t p = 1; p <= wiring.ports(at); ++p) {
      const std::uint32_t link = wiring.link_at({at, p});
      if (link == kNone || dead.link(link)) continue;
      const LinkEnd far = wiring.far_end({at, p});
      if (dead.device(far.device)) continue;
      if (!wiring.is_switch(far.device)) {
        hosts.insert(graph.device(far.device).host.value);
      } else {
        const bool down = height(far.device) < height(at);
        if (!down && gone_down) continue;
        if (seen.insert({far.device, down}).second) queue.emplace_back(far.device, down);
      }
    }
  }
  return hosts;
}

void expect_all_reached(const FabricGraph& graph, const Routes& routes,
                        const std::vector<FabricPart>& parts) {
  const WrittenRouting routing(graph, routes);
  SubnetManager manager(routing, {});
  for (const FabricPart part : parts) manager.part_down(part, SimTime{1});
  manager.apply(manager.next_change());
  const Wiring& wiring = routing.wiring();
  for (std::uint32_t a = 0; a < wiring.hosts(); ++a) {
    const LinkEnd source = wiring.endpoint({a});
    const bool attached =
        !manager.dead().device(source.device) && manager.dead().passes(wiring, source);
    const std::set<std::uint32_t> can =
        attached ? reachable(graph, routes, manager.dead(), wiring.far_end(source).device)
                 : std::set<std::uint32_t>{};
    for (std::uint32_t b = 0; b < wiring.hosts(); ++b) {
      for (std::uint32_t path = 0; path < routes.tables().paths() && a != b; ++path) {
        ASSERT_EQ(manager.reaches({a}, {b}, path), can.contains(b))
            << a << " to " << b << " by " << path << ", first part " << parts.front().index;
      }
    }
  }
  for (const FabricPart part : parts) manager.part_up(part, SimTime{kSimUnitsPerSecond});
  manager.apply(manager.next_change());
  EXPECT_TRUE(manager.pristine());
}

std::vector<FabricPart> parts_of(const FabricGraph& graph) {
  std::vector<FabricPart> parts;
  for (std::uint32_t i = 0; i < graph.links().size(); ++i) {
    parts.push_back({FabricPart::Kind::link, i});
  }
  for (std::uint32_t i = 0; i < graph.devices().size(); ++i) {
    parts.push_back({FabricPart::Kind::device, i});
  }
  return parts;
}

// A tree with a short cut between two leaves and a host on a spine.
FabricGraph irregular() {
  HandMade fabric(7);
  for (const std::uint32_t leaf : {0u, 1u, 2u, 3u}) {
    for (const std::uint32_t spine : {4u, 5u, 6u}) {
      if (leaf + spine != 9) fabric.join(leaf, spine);
    }
    for (int i = 0; i < 3; ++i) fabric.host(leaf);
  }
  fabric.join(0, 1);
  fabric.join(2, 4);
  fabric.host(6);
  return std::move(fabric.graph);
}

TEST(WrittenRouting, AfterTheSweepWhoeverCanBeReachedIsReached) {
  std::vector<FabricGraph> graphs;
  graphs.push_back(build_pgft(make_tree({{4, 4}, {1, 4}, {1, 1}}), kLink100));
  graphs.push_back(build_pgft(make_tree({{3, 2, 2}, {1, 2, 2}, {1, 2, 1}}), kLink100));
  graphs.push_back(irregular());
  Random random(5, 0x64656164, 1);
  for (const FabricGraph& graph : graphs) {
    const Routes routes(graph, 2);
    const std::vector<FabricPart> parts = parts_of(graph);
    for (const FabricPart part : parts) expect_all_reached(graph, routes, {part});
    for (int round = 0; round < 40; ++round) {
      std::vector<FabricPart> dead;
      for (const FabricPart part : parts) {
        if (random.below(16) < static_cast<std::uint64_t>(1 + round % 4)) dead.push_back(part);
      }
      if (!dead.empty()) expect_all_reached(graph, routes, dead);
    }
  }
}

TEST(WrittenRouting, OnlyTreesThatLostALinkChange) {
  const FabricGraph graph = build_pgft(make_tree({{18, 18}, {1, 9}, {1, 2}}), kLink100);
  const Routes routes(graph);
  const WrittenRouting routing(graph, routes);
  const std::uint32_t leaf = routes.switch_of({0});
  const std::uint16_t port = routes.tables().port(leaf, {323}, 0);
  DeadParts dead;
  dead.add({FabricPart::Kind::link, graph.device(leaf).ports[port].link});
  const auto tables = routing.tables_around(dead);
  std::uint32_t changed = 0;
  std::set<std::uint16_t> used;
  for (std::uint32_t h = 0; h < 324; ++h) {
    for (std::uint32_t d = 324; d < graph.devices().size(); ++d) {
      const std::uint16_t before = routes.tables().port(d, {h}, 0);
      const std::uint16_t after = tables->port(d, {h}, 0);
      if (before == after) continue;
      ++changed;
      // Up from the leaf to its hosts' peers, or down from the spine to the leaf's hosts.
      EXPECT_TRUE((d == leaf && before == port) || h < 18) << "switch " << d << " to host " << h;
      if (d == leaf) used.insert(after);
    }
  }
  // The leaf sent to 17 hosts by that link, one of each other leaf; its spine to 9 of the leaf's
  // 18, and turns them to the parallel link.
  EXPECT_EQ(changed, 17u + 9u);
  EXPECT_EQ(used.size(), 17u);
}

TEST(WrittenRouting, ImportedTablesAreLedAroundInTheSameWay) {
  const FabricGraph graph = build_pgft(make_tree({{4, 4}, {1, 4}, {1, 1}}), kLink100);
  // Up by the source's leaf, which balanced routes never do: all packets of a leaf by one spine.
  ForwardingTables tables(graph, 1);
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf) {
    for (std::uint32_t h = 0; h < 16; ++h) {
      tables.set_port(16 + leaf, {h}, 0,
                      static_cast<std::uint16_t>(h / 4 == leaf ? 1 + h % 4 : 5 + leaf));
      tables.set_port(20 + leaf, {h}, 0, static_cast<std::uint16_t>(1 + h / 4));
    }
  }
  const Routes routes(graph, tables);
  for (const FabricPart part : parts_of(graph)) expect_all_reached(graph, routes, {part});
}

}  // namespace
}  // namespace holdfast::sim
