// Routes on each link, against walking every pair.
#include "sim/topology/link_load.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

// By (link, device that it is entered from).
using Counts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

// By levels; `next(device, host, path)` is the forwarding.
LinkLoads loads_of(const FabricGraph& graph, const std::vector<std::uint32_t>& levels,
                   const Counts& counts) {
  LinkLoads loads;
  for (std::uint32_t i = 0; i < graph.links().size(); ++i) {
    for (const LinkEnd& end : graph.links()[i].ends) {
      const std::uint32_t to = graph.links()[i].end_away_from(end.device).device;
      if (levels[end.device] == 0 || levels[to] == 0) continue;
      const auto found = counts.find({i, end.device});
      const std::uint64_t count = found == counts.end() ? 0 : found->second;
      LinkLoad& load = loads[{levels[end.device], levels[to]}];
      ++load.links;
      load.routes += count;
      load.most = std::max(load.most, count);
    }
  }
  return loads;
}

void expect_equal(const LinkLoads& found, const LinkLoads& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [levels, load] : expected) {
    const LinkLoad& other = found.at(levels);
    EXPECT_EQ(other.links, load.links) << levels.first << " to " << levels.second;
    EXPECT_EQ(other.routes, load.routes) << levels.first << " to " << levels.second;
    EXPECT_EQ(other.most, load.most) << levels.first << " to " << levels.second;
  }
}

TEST(LinkLoads, OfTreesByFormulaAreThoseOfEveryPair) {
  for (const PgftSpec& spec :
       {PgftSpec{{5}, {1}, {1}}, PgftSpec{{18, 18}, {1, 9}, {1, 2}},
        PgftSpec{{6, 4}, {1, 4}, {1, 1}}, PgftSpec{{3, 2, 4}, {1, 2, 3}, {1, 3, 2}},
        PgftSpec{{2, 3, 2}, {2, 2, 3}, {2, 1, 2}},
        PgftSpec{{2, 2, 2, 3}, {1, 2, 1, 2}, {1, 1, 2, 1}}}) {
    const Pgft tree = make_tree(spec);
    const FabricGraph graph = build_pgft(tree, kLink100);
    const DmodkForwarding forwarding(tree, 3);
    Counts counts;
    for (std::uint32_t a = 0; a < tree.host_count(); ++a) {
      for (std::uint32_t b = 0; b < tree.host_count(); ++b) {
        for (std::uint32_t path = 0; path < 3 && a != b; ++path) {
          std::uint32_t at = graph.host({a}).adapters.front();
          std::uint32_t link = graph.endpoint_link({a});
          while (true) {
            ++counts[{link, at}];
            at = graph.links()[link].end_away_from(at).device;
            if (graph.device(at).kind == DeviceKind::adapter) break;
            link = graph.device(at).ports[forwarding.port(at, {b}, path)].link;
          }
        }
      }
    }
    expect_equal(link_loads(forwarding), loads_of(graph, pgft_levels(tree), counts));
  }
}

TEST(LinkLoads, OfTablesAreThoseOfEveryPair) {
  HandMade fabric(6);
  for (const std::uint32_t leaf : {0u, 1u, 2u}) {
    for (const std::uint32_t spine : {3u, 4u}) fabric.join(leaf, spine);
    for (std::uint32_t i = 0; i < 2 + leaf; ++i) fabric.host(leaf);
  }
  fabric.join(1, 3);
  fabric.join(3, 5);
  fabric.host(5);
  const Routes routes(fabric.graph, 2);
  Counts counts;
  for (std::uint32_t a = 0; a < fabric.graph.host_count(); ++a) {
    for (std::uint32_t b = 0; b < fabric.graph.host_count(); ++b) {
      for (std::uint32_t path = 0; path < 2 && a != b; ++path) {
        const auto add = [&](std::uint32_t link, std::uint32_t from) { ++counts[{link, from}]; };
        ASSERT_TRUE(routes.walk({a}, {b}, add, path));
      }
    }
  }
  expect_equal(link_loads(fabric.graph, routes), loads_of(fabric.graph, routes.levels(), counts));
}

TEST(LinkLoads, AreDescribedInOneLine) {
  const Pgft tree = make_tree({{18, 18}, {1, 9}, {1, 2}});
  EXPECT_EQ(describe(link_loads(DmodkForwarding(tree, 1))),
            "level 1 to 2: most 306, mean 306.0; level 2 to 1: most 306, mean 306.0");
  EXPECT_EQ(describe(link_loads(DmodkForwarding(make_tree({{4, 2}, {1, 3}, {1, 1}}), 1))),
            "level 1 to 2: most 8, mean 5.3; level 2 to 1: most 8, mean 5.3");
}

}  // namespace
}  // namespace holdfast::sim
