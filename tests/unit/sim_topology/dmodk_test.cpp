// D-Mod-K against the paper's formulas, walked over the tree as it is written out.
#include "sim/topology/dmodk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

// The links of the way, each with the device it is entered from; empty if it leads astray.
std::vector<std::pair<std::uint32_t, std::uint32_t>> way_of(const FabricGraph& graph,
                                                            const Forwarding& forwarding,
                                                            NodeId from, NodeId to,
                                                            std::uint32_t path) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> way;
  std::uint32_t at = graph.host(from).adapters.front();
  std::uint32_t link = graph.endpoint_link(from);
  for (int hops = 0; hops < 20; ++hops) {
    way.emplace_back(link, at);
    at = graph.links()[link].end_away_from(at).device;
    if (graph.device(at).kind == DeviceKind::adapter) {
      return link == graph.endpoint_link(to) ? way : decltype(way){};
    }
    const std::uint16_t port = forwarding.port(at, to, path);
    if (port == 0 || port >= graph.device(at).ports.size()) return {};
    link = graph.device(at).ports[port].link;
  }
  return {};
}

TEST(DmodkForwarding, EveryPathArrivesByTheNearestCommonLevel) {
  for (const PgftSpec& spec : small_trees()) {
    const Pgft tree = make_tree(spec);
    const FabricGraph graph = build_pgft(tree, kLink100);
    const DmodkForwarding forwarding(tree, 3);
    ASSERT_EQ(forwarding.paths(), 3u);
    for (std::uint32_t a = 0; a < tree.host_count(); ++a) {
      for (std::uint32_t b = 0; b < tree.host_count(); ++b) {
        if (a == b) continue;
        for (std::uint32_t path = 0; path < 3; ++path) {
          ASSERT_EQ(way_of(graph, forwarding, {a}, {b}, path).size(),
                    2 * tree.nearest_common_level({a}, {b}))
              << a << " to " << b << " by path " << path;
        }
      }
    }
  }
}

// Zahavi's equations 1 and 2: the port that the packet to j leaves level l by, in the paper's order
// of up ports (first the w_(l+1) parents, then again by the next parallel link).
TEST(DmodkForwarding, TheWayUpIsTheDestinationByTheProductOfUpModuloThePorts) {
  const PgftSpec spec{{6, 4, 4}, {1, 3, 2}, {1, 2, 3}};
  const Pgft tree = make_tree(spec);
  const FabricGraph graph = build_pgft(tree, kLink100);
  const DmodkForwarding forwarding(tree, 4);
  for (std::uint32_t d = 0; d < graph.devices().size(); ++d) {
    if (graph.device(d).kind != DeviceKind::switch_chip) continue;
    const std::string& name = graph.device(d).name;
    const std::size_t level = name.starts_with("leaf") ? 1 : name.starts_with("level2") ? 2 : 3;
    for (std::uint32_t j = 0; j < tree.host_count(); ++j) {
      for (std::uint32_t path = 0; path < 4; ++path) {
        const std::uint32_t port = forwarding.port(d, {j}, path);
        const std::uint32_t down_ports = spec.down[level - 1] * spec.parallel[level - 1];
        if (port > down_ports) {
          const std::uint32_t w = spec.up[level];
          const std::uint32_t p = spec.parallel[level];
          std::uint32_t product = 1;
          for (std::size_t i = 0; i < level; ++i) product *= spec.up[i];
          const std::uint32_t q = (j / product + path) % (w * p);
          EXPECT_EQ((port - down_ports - 1) / p, q % w) << name << " to " << j;
          EXPECT_EQ((port - down_ports - 1) % p, q / w) << name << " to " << j;
        } else if (level > 1) {
          const std::uint32_t w = spec.up[level - 1];
          const std::uint32_t p = spec.parallel[level - 1];
          std::uint32_t product = 1;
          for (std::size_t i = 0; i + 1 < level; ++i) product *= spec.up[i];
          EXPECT_EQ((port - 1) % p, (j / product + path) % (w * p) / w) << name << " to " << j;
        }
      }
    }
  }
}

TEST(DmodkForwarding, NoLinkOfAFullTreeCarriesTwoMessagesOfAShift) {
  for (const PgftSpec& spec :
       {PgftSpec{{18, 18}, {1, 9}, {1, 2}}, PgftSpec{{4, 4, 8}, {1, 4, 4}, {1, 1, 1}},
        PgftSpec{{6, 6, 6}, {1, 3, 4}, {1, 2, 3}}}) {
    const Pgft tree = make_tree(spec);
    const FabricGraph graph = build_pgft(tree, kLink100);
    const DmodkForwarding forwarding(tree, 2);
    const std::uint32_t hosts = tree.host_count();
    for (std::uint32_t shift = 1; shift < hosts; ++shift) {
      std::set<std::pair<std::uint32_t, std::uint32_t>> used;
      for (std::uint32_t a = 0; a < hosts; ++a) {
        for (const auto& hop : way_of(graph, forwarding, {a}, {(a + shift) % hosts}, shift % 2)) {
          ASSERT_TRUE(used.insert(hop).second) << "shift " << shift << " from host " << a;
        }
      }
    }
  }
}

TEST(DmodkForwarding, FourPathsShareNoSwitchAboveTheLeaves) {
  for (const PgftSpec& spec :
       {PgftSpec{{18, 18}, {1, 9}, {1, 2}}, PgftSpec{{4, 4, 4}, {1, 4, 4}, {1, 1, 1}}}) {
    const Pgft tree = make_tree(spec);
    const FabricGraph graph = build_pgft(tree, kLink100);
    const DmodkForwarding forwarding(tree, 4);
    for (std::uint32_t b = spec.down[0]; b < tree.host_count(); ++b) {
      std::set<std::uint32_t> entered;
      std::size_t inner = 0;
      for (std::uint32_t path = 0; path < 4; ++path) {
        const auto way = way_of(graph, forwarding, {0}, {b}, path);
        ASSERT_GE(way.size(), 4u);
        for (std::size_t i = 2; i + 1 < way.size(); ++i, ++inner) entered.insert(way[i].second);
      }
      EXPECT_EQ(entered.size(), inner) << "to host " << b;
    }
  }
}

TEST(DmodkForwarding, AnotherPlaneLeadsNowhere) {
  // Two adapters a host; traffic uses the first, so switches with an odd digit 1 have no way.
  const Pgft tree = make_tree({{2, 3}, {2, 2}, {1, 1}});
  const FabricGraph graph = build_pgft(tree, kLink100);
  const DmodkForwarding forwarding(tree, 1);
  const std::uint32_t leaf = graph.find_device(Pgft::switch_guid(1, 1));
  EXPECT_EQ(forwarding.port(leaf, {0}, 0), 0);
  EXPECT_EQ(forwarding.port(leaf, {5}, 0), 0);
  EXPECT_NE(forwarding.port(leaf - 1, {5}, 0), 0);
}

}  // namespace
}  // namespace holdfast::sim
