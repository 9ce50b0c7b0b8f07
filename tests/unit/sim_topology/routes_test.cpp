// Routes: every connected pair has one, it never turns down and then up, and the load is spread.
#include "sim/topology/routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "stack/base/random.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

// The devices of a route, source first, and a check that its links follow each other.
std::vector<std::uint32_t> devices_on(const FabricGraph& graph, const Routes& routes, NodeId from,
                                      NodeId to) {
  std::vector<std::uint32_t> devices;
  const bool routed = routes.walk(from, to, [&](std::uint32_t link, std::uint32_t entered) {
    if (devices.empty()) devices.push_back(entered);
    EXPECT_EQ(devices.back(), entered);
    devices.push_back(graph.links()[link].end_away_from(entered).device);
  });
  if (!routed) return {};
  EXPECT_EQ(graph.device(devices.front()).host, from);
  EXPECT_EQ(graph.device(devices.back()).host, to);
  return devices;
}

// Routes of each direction of each link, over all pairs of hosts: (link, device entered from) ->
// count.
using Loads = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;
Loads loads_of(const FabricGraph& graph, const Routes& routes) {
  Loads loads;
  for (std::uint32_t a = 0; a < graph.host_count(); ++a) {
    for (std::uint32_t b = 0; b < graph.host_count(); ++b) {
      if (a == b) continue;
      EXPECT_TRUE(routes.walk({a}, {b}, [&](std::uint32_t link, std::uint32_t entered) {
        ++loads[{link, entered}];
      }));
    }
  }
  return loads;
}

void expect_no_turn_upwards(const FabricGraph& graph, const Routes& routes) {
  for (std::uint32_t a = 0; a < graph.host_count(); ++a) {
    for (std::uint32_t b = 0; b < graph.host_count(); ++b) {
      if (a == b) continue;
      const auto devices = devices_on(graph, routes, {a}, {b});
      bool down = false;
      for (std::size_t i = 1; i + 2 < devices.size(); ++i) {
        const std::uint32_t here = routes.levels()[devices[i]];
        const std::uint32_t next = routes.levels()[devices[i + 1]];
        ASSERT_NE(here, next);
        if (next < here) down = true;
        ASSERT_FALSE(down && next > here) << "down and then up from " << a << " to " << b;
      }
    }
  }
}

TEST(Routes, OfFatTreesAreShortestAndEven) {
  for (const PgftSpec& spec :
       {PgftSpec{{18, 18}, {1, 9}, {1, 2}}, PgftSpec{{4, 4, 4}, {1, 4, 4}, {1, 1, 1}},
        PgftSpec{{6, 3, 2}, {1, 2, 3}, {1, 3, 2}}}) {
    const FabricGraph graph = build_pgft(make_tree(spec), kLink100);
    const Routes routes(graph);
    expect_no_turn_upwards(graph, routes);
    const auto shortest = shortest_hops(graph);
    for (std::uint32_t a = 0; a < graph.host_count(); ++a) {
      for (std::uint32_t b = 0; b < graph.host_count(); ++b) {
        if (a == b) continue;
        ASSERT_EQ(routes.hops({a}, {b}), shortest[a][b]);
      }
    }
    expect_even_load(graph, routes, true);
  }
}

TEST(Routes, OfTheNonBlockingTreeWithTwoLevelsAreExactlyEven) {
  const FabricGraph graph = build_pgft(make_tree({{18, 18}, {1, 9}, {1, 2}}), kLink100);
  const Routes routes(graph);
  const Loads loads = loads_of(graph, routes);
  EXPECT_EQ(loads.size(), 2 * graph.links().size());
  for (const auto& [place, load] : loads) {
    const bool to_host = graph.links()[place.first].ends[0].device < 324;
    // Each host sends to 323 others; a leaf's 18 x 306 routes leave on 18 links.
    EXPECT_EQ(load, to_host ? 323u : 306u);
  }
}

TEST(Routes, FourPathsAreEvenOnEveryLevelAndPartAtTheLeaf) {
  const FabricGraph graph = build_pgft(make_tree({{4, 4, 4}, {1, 4, 4}, {1, 1, 1}}), kLink100);
  const Routes routes(graph, 4);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> loads;
  for (std::uint32_t a = 0; a < 64; ++a) {
    for (std::uint32_t b = 0; b < 64; ++b) {
      std::set<std::uint32_t> parents;
      for (std::uint32_t path = 0; path < 4 && a != b; ++path) {
        std::vector<std::uint32_t> entered;
        const auto visit = [&](std::uint32_t link, std::uint32_t from) {
          ++loads[{link, from}];
          entered.push_back(from);
        };
        ASSERT_TRUE(routes.walk({a}, {b}, visit, path));
        if (entered.size() > 2) parents.insert(entered[2]);
      }
      EXPECT_EQ(parents.size(), a / 4 == b / 4 ? 0u : 4u);
    }
  }
  for (const auto& [place, load] : loads) {
    const std::array<LinkEnd, 2>& ends = graph.links()[place.first].ends;
    const std::uint32_t lower = routes.levels()[ends[0].device];
    // Up or down: 4 x 64 x 63 routes less those that turn below, on 64 links.
    const std::uint32_t turning = lower == 0 ? 0 : lower == 1 ? 3 : 15;
    EXPECT_EQ(load, 4 * (63u - turning)) << graph.part_text(ends[0]);
  }
}

TEST(Routes, AParallelLinkCarriesRoutesByItsRate) {
  HandMade fabric(2);
  const std::uint32_t fast = fabric.join(0, 1, 32'000'000'000);
  const std::uint32_t slow = fabric.join(0, 1, 8'000'000'000);
  for (int i = 0; i < 20; ++i) fabric.host(0);
  for (int i = 0; i < 20; ++i) fabric.host(1);
  const Routes routes(fabric.graph);
  Loads loads = loads_of(fabric.graph, routes);
  EXPECT_EQ((loads[{fast, 0}]), 320u);
  EXPECT_EQ((loads[{slow, 0}]), 80u);
  EXPECT_EQ((loads[{fast, 1}]), 320u);
  EXPECT_EQ((loads[{slow, 1}]), 80u);
}

TEST(Routes, ReportWhatIsNotConnectedAndRouteTheRest) {
  HandMade fabric(3);
  fabric.join(0, 1);
  const NodeId a = fabric.host(0);
  const NodeId b = fabric.host(1);
  const NodeId c = fabric.host(2);
  const NodeId uncabled = fabric.graph.add_host("uncabled");
  fabric.graph.add_device(Device{DeviceKind::adapter, 0x9000, "", "", uncabled, {}}, 2);
  const NodeId empty = fabric.graph.add_host("without an adapter");
  const Routes routes(fabric.graph);
  EXPECT_EQ(routes.hops(a, b), 3u);
  for (const NodeId other : {c, uncabled, empty}) {
    EXPECT_EQ(routes.hops(a, other), 0u);
    EXPECT_EQ(routes.hops(other, a), 0u);
  }
  EXPECT_EQ(routes.switch_of(uncabled), kNone);
}

TEST(Routes, TwoHostsMayBeCabledToEachOther) {
  FabricGraph graph;
  for (std::uint64_t guid : {1u, 2u}) {
    const NodeId node = graph.add_host("h" + std::to_string(guid));
    graph.add_device(Device{DeviceKind::adapter, guid, "", "", node, {}}, 1);
  }
  graph.connect({0, 1}, {1, 1}, kLink100);
  const Routes routes(graph);
  EXPECT_EQ(routes.hops({0}, {1}), 1u);
  EXPECT_EQ(routes.hops({1}, {0}), 1u);
}

TEST(Routes, TheFirstCabledAdapterCarriesTheTraffic) {
  HandMade fabric(2);
  fabric.join(0, 1);
  const NodeId a = fabric.host(0);
  const NodeId two = fabric.graph.add_host("two");
  const std::uint32_t dead =
      fabric.graph.add_device(Device{DeviceKind::adapter, 0x9000, "", "", two, {}}, 2);
  const std::uint32_t live =
      fabric.graph.add_device(Device{DeviceKind::adapter, 0x9001, "", "", two, {}}, 2);
  fabric.graph.connect({live, 2}, {1, 30}, kLink100);
  const Routes routes(fabric.graph);
  const auto devices = devices_on(fabric.graph, routes, a, two);
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices.back(), live);
  EXPECT_NE(devices.back(), dead);
}

TEST(Routes, HostsOnASpineLeaveTheOtherSpinesInUse) {
  // Four leaves, three spines, and two hosts on spine 4 itself.
  HandMade fabric(7);
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf) {
    for (std::uint32_t spine = 4; spine < 7; ++spine) fabric.join(leaf, spine);
    for (int i = 0; i < 6; ++i) fabric.host(leaf);
  }
  fabric.host(4);
  fabric.host(4);
  const Routes routes(fabric.graph);
  expect_no_turn_upwards(fabric.graph, routes);
  const auto shortest = shortest_hops(fabric.graph);
  for (std::uint32_t a = 0; a < fabric.graph.host_count(); ++a) {
    for (std::uint32_t b = 0; b < fabric.graph.host_count(); ++b) {
      if (a == b) continue;
      EXPECT_EQ(routes.hops({a}, {b}), shortest[a][b]);
    }
  }
  const Loads loads = loads_of(fabric.graph, routes);
  for (std::uint32_t link = 0; link < fabric.graph.links().size(); ++link) {
    EXPECT_GT(loads.count({link, fabric.graph.links()[link].ends[0].device}), 0u);
  }
}

TEST(Routes, AnyConnectedFabricIsRoutedWhole) {
  Random random(7, 7, 7);
  for (int round = 0; round < 200; ++round) {
    const auto switches = static_cast<std::uint32_t>(2 + random.below(12));
    HandMade fabric(switches);
    for (std::uint32_t s = 1; s < switches; ++s) {
      fabric.join(s, static_cast<std::uint32_t>(random.below(s)));
    }
    for (std::uint64_t extra = random.below(10); extra > 0; --extra) {
      const auto a = static_cast<std::uint32_t>(random.below(switches));
      const auto b = static_cast<std::uint32_t>(random.below(switches));
      if (a != b) fabric.join(a, b);
    }
    for (std::uint64_t hosts = 2 + random.below(10); hosts > 0; --hosts) {
      fabric.host(static_cast<std::uint32_t>(random.below(switches)));
    }
    const Routes routes(fabric.graph);
    expect_no_turn_upwards(fabric.graph, routes);
    for (std::uint32_t a = 0; a < fabric.graph.host_count(); ++a) {
      for (std::uint32_t b = 0; b < fabric.graph.host_count(); ++b) {
        if (a == b) continue;
        ASSERT_GT(routes.hops({a}, {b}), 0u) << "round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace holdfast::sim
