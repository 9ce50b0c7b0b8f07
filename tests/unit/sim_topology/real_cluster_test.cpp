// A production cluster's fabric: 11 switches, 89 adapters, irregular, two generations of adapters.
#include <gtest/gtest.h>

#include "sim/topology/path_times.hpp"
#include "sim/topology/summary.hpp"
#include "sim/topology/topology.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

constexpr const char* kFile = "/topologies/psmn-x5.ibnetdiscover";

TEST(RealCluster, HasItsCountsAndRates) {
  HOLDFAST_DATA_OR_SKIP(data);
  const ImportedFabric fabric = import_file(data + kFile);
  EXPECT_TRUE(fabric.warnings.empty());
  const Summary summary = summarize(fabric.graph, Routes(fabric.graph));
  EXPECT_EQ(summary.switches, 11u);
  EXPECT_EQ(summary.adapters, 89u);
  EXPECT_EQ(summary.hosts, 89u);  // one adapter each: the file has no evidence of more
  EXPECT_EQ(summary.links.host_links, 89u);
  EXPECT_EQ(summary.links.switch_links, 70u);
  EXPECT_EQ(summary.unreachable_pairs, 0u);
  EXPECT_EQ(summary.links_of_rate.at(16'000'000'000).host_links, 23u);
  EXPECT_EQ(summary.links_of_rate.at(32'000'000'000).host_links, 66u);
}

TEST(RealCluster, HasTwoSlowLinksAndOneSlowSwitch) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + kFile).graph;
  const auto links = find_slow_links(graph);
  ASSERT_EQ(links.size(), 2u);
  for (const SlowLink& slow : links) {
    EXPECT_EQ(graph.device(slow.device).guid, 0x8f10500108bbau);
    EXPECT_EQ(graph.links()[slow.link].bits_per_second, 16'000'000'000);
  }
  const auto switches = find_slow_switches(graph);
  ASSERT_EQ(switches.size(), 1u);
  EXPECT_EQ(graph.device(switches[0].device).guid, 0x8f10500200b50u);
  EXPECT_EQ(switches[0].host_links, 21u);
  EXPECT_EQ(summarize(graph, Routes(graph)).warnings.size(), 3u);
}

TEST(RealCluster, RoutesAreShortestAndEvenOnParallelLinks) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + kFile).graph;
  const Routes routes(graph);
  const auto shortest = shortest_hops(graph);
  for (std::uint32_t a = 0; a < graph.host_count(); ++a) {
    for (std::uint32_t b = 0; b < graph.host_count(); ++b) {
      if (a == b) continue;
      ASSERT_EQ(routes.hops({a}, {b}), shortest[a][b]);
    }
  }
  expect_even_load(graph, routes, false);
}

TEST(RealCluster, PartsAreFoundByGuidAndMap) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + kFile, {{0x3048c7488b0000, "login1"}}).graph;
  NodeId by_map;
  NodeId by_guid;
  NodeId by_port;
  ASSERT_TRUE(graph.find_host("login1", by_map).is_ok());
  ASSERT_TRUE(graph.find_host("3048c7488b0000", by_guid).is_ok());
  ASSERT_TRUE(graph.find_host("0x003048c7488b0001[1]", by_port).is_ok());
  EXPECT_EQ(by_map, by_guid);
  EXPECT_EQ(by_map, by_port);
  NodeId node;
  const std::string message =
      graph.find_host("MT25408 ConnectX Mellanox Technologies", node).message();
  EXPECT_NE(message.find("is the name of 89 hosts; say which by GUID: 0x0002c90300048208"),
            std::string::npos)
      << message;
}

TEST(RealCluster, ASlowAdapterCostsItsSerialisation) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + kFile).graph;
  const PathTimes times(graph, Routes(graph), nanoseconds(90));
  NodeId slow;
  NodeId fast;
  ASSERT_TRUE(graph.find_host("0x3048c7488b0000", slow).is_ok());
  ASSERT_TRUE(graph.find_host("0x2c90300080e84", fast).is_ok());
  // Both are on switch ...8bba: 100 bytes take 50 ns at 16 Gb/s, which is the slower link either
  // way.
  EXPECT_EQ(times.one_way(slow, fast, 66).value, (2 * 150 + 90 + 50) * 100);
  EXPECT_EQ(times.one_way(fast, slow, 66).value, (2 * 150 + 90 + 50) * 100);
}

}  // namespace
}  // namespace holdfast::sim
