// Counts, warnings and the picture, each on a fabric small enough to be checked by hand.
#include "sim/topology/summary.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/topology/modules.hpp"
#include "sim/topology/topology.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

constexpr std::int64_t kQdr = 32'000'000'000;
constexpr std::int64_t kDdr = 16'000'000'000;

TEST(Summary, DescribesASmallFabric) {
  HandMade fabric(3);
  fabric.join(0, 2, kQdr);
  fabric.join(0, 2, kQdr);
  fabric.join(1, 2, kQdr);
  for (int i = 0; i < 2; ++i) fabric.host(0, kQdr);
  fabric.host(1, kDdr);
  EXPECT_EQ(
      describe(summarize(fabric.graph, Routes(fabric.graph))),
      "hosts       3 with 3 adapters\n"
      "switches    3 (level 1: 2, level 2: 1)\n"
      "links       6 (3 to hosts, 3 between switches)\n"
      "rates       16 Gb/s: 1 to hosts, 0 between switches, 32 Gb/s: 2 to hosts, 3 between "
      "switches (of data)\n"
      "parallel    1 between each of 1 pairs of switches, 2 between each of 1 pairs of switches\n"
      "hops        2 links: 2 pairs, 4 links: 4 pairs (ordered pairs of hosts)\n"
      "warning: slow hosts: the fastest of all 1 host links of s1 runs at 16 Gb/s; usual in "
      "this fabric is 32 Gb/s\n");
}

TEST(Summary, LeavesOutWhatThereIsNone) {
  HandMade fabric(1);
  fabric.host(0, kQdr);
  EXPECT_EQ(describe(summarize(fabric.graph, Routes(fabric.graph))),
            "hosts       1 with 1 adapters\n"
            "switches    1 (level 1: 1)\n"
            "links       1 (1 to hosts, 0 between switches)\n"
            "rates       32 Gb/s: 1 to hosts, 0 between switches (of data)\n");
}

TEST(Summary, ReportsPairsWithoutARoute) {
  HandMade fabric(2);
  fabric.host(0);
  fabric.host(0);
  fabric.host(1);
  const Summary summary = summarize(fabric.graph, Routes(fabric.graph));
  EXPECT_EQ(summary.unreachable_pairs, 4u);
  ASSERT_EQ(summary.warnings.size(), 1u);
  EXPECT_EQ(summary.warnings[0],
            "no route: 4 ordered pairs of hosts cannot reach each other, such as h0 to h2");
}

TEST(SlowLinks, ComparesLinksOfOneKindOnOneSwitch) {
  HandMade fabric(2);
  fabric.join(0, 1, kQdr);
  fabric.host(0, kQdr);
  const NodeId slow = fabric.host(0, kDdr);
  fabric.host(1, kQdr);
  // Links to hosts are not compared with links between switches.
  HandMade other(2);
  other.join(0, 1, kQdr);
  other.host(0, kDdr);
  other.host(1, kDdr);
  EXPECT_TRUE(find_slow_links(other.graph).empty());
  EXPECT_TRUE(find_slow_switches(other.graph).empty());
  const auto found = find_slow_links(fabric.graph);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].link, fabric.graph.endpoint_link(slow));
  EXPECT_EQ(found[0].fastest, kQdr);
  EXPECT_FALSE(found[0].parallel);
  EXPECT_TRUE(find_slow_switches(fabric.graph).empty());
}

TEST(SlowLinks, ComparesParallelLinksAndWarnsOnce) {
  HandMade fabric(3);
  fabric.join(0, 1, kQdr);
  const std::uint32_t slow_parallel = fabric.join(0, 1, kDdr);
  const std::uint32_t slow_alone = fabric.join(0, 2, kDdr);
  fabric.join(1, 2, kDdr);
  const auto found = find_slow_links(fabric.graph);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].link, slow_parallel);
  EXPECT_TRUE(found[0].parallel);
  EXPECT_EQ(found[1].link, slow_alone);
  EXPECT_FALSE(found[1].parallel);
  EXPECT_EQ(found[1].device, 0u);
}

TEST(SlowSwitches, UsualIsWhatMostHostLinksHave) {
  HandMade fabric(3);
  for (int i = 0; i < 3; ++i) fabric.host(0, kQdr);
  fabric.host(1, kQdr);
  for (int i = 0; i < 2; ++i) fabric.host(2, kDdr);
  // Links between switches must not count: they would make 100 Gb/s usual.
  for (int i = 0; i < 9; ++i) fabric.join(0, 1);
  fabric.join(1, 2);
  EXPECT_EQ(usual_host_rate(fabric.graph), kQdr);
  const auto found = find_slow_switches(fabric.graph);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].device, 2u);
  EXPECT_EQ(found[0].host_links, 2u);
  EXPECT_EQ(found[0].fastest, kDdr);
  EXPECT_TRUE(find_slow_links(fabric.graph).empty());
}

TEST(SlowSwitches, OfEquallyCommonRatesTheFasterIsUsual) {
  HandMade fabric(2);
  fabric.host(0, kDdr);
  fabric.host(1, kQdr);
  EXPECT_EQ(usual_host_rate(fabric.graph), kQdr);
  EXPECT_EQ(find_slow_switches(fabric.graph).size(), 1u);
}

TEST(Picture, HasEveryPartOnce) {
  HandMade fabric(3);
  fabric.join(0, 2, kQdr);
  fabric.join(0, 2, kQdr);
  fabric.join(0, 2, kDdr);
  fabric.join(1, 2, kQdr);
  fabric.host(0, kQdr);
  fabric.host(0, kQdr);
  fabric.host(1, kDdr);
  const auto json = nlohmann::json::parse(
      topology_json(fabric.graph, Routes(fabric.graph).levels(),
                    {.chassis = {{"box", {0, 2}}}, .boards = {{"card", {2}}}}));
  ASSERT_EQ(json["nodes"].size(), 6u);
  EXPECT_EQ(json["nodes"][3]["chassis"], "box");
  EXPECT_FALSE(json["nodes"][3].contains("board"));
  EXPECT_FALSE(json["nodes"][4].contains("chassis"));
  EXPECT_EQ(json["nodes"][5]["board"], "card");
  EXPECT_EQ(json["nodes"][0]["kind"], "host");
  EXPECT_EQ(json["nodes"][0]["name"], "h0");
  EXPECT_EQ(json["nodes"][0]["level"], 0);
  EXPECT_EQ(json["nodes"][3]["kind"], "switch");
  EXPECT_EQ(json["nodes"][3]["level"], 1);
  EXPECT_EQ(json["nodes"][3]["slow_hosts"], false);
  EXPECT_EQ(json["nodes"][4]["slow_hosts"], true);
  EXPECT_EQ(json["nodes"][5]["level"], 2);
  EXPECT_EQ(json["nodes"][5]["guid"], "0x0000000000002002");
  std::uint64_t links = 0;
  std::uint64_t slow = 0;
  for (const auto& link : json["links"]) {
    links += link["count"].get<std::uint64_t>();
    EXPECT_EQ(link["ports"].size(), link["count"]);
    if (link["slow"].get<bool>()) {
      slow += link["count"].get<std::uint64_t>();
      EXPECT_EQ(link["bits_per_second"], kDdr);
      EXPECT_EQ(link["a"], 3);
      EXPECT_EQ(link["b"], 5);
    }
  }
  EXPECT_EQ(links, 7u);
  // The first switch's cables to the third, its hosts' behind them.
  const auto pair_of = [&](std::size_t a, std::size_t b, bool is_slow) {
    for (const auto& link : json["links"])
      if (link["a"] == a && link["b"] == b && link["slow"] == is_slow) return link["ports"];
    return nlohmann::json();
  };
  EXPECT_EQ(pair_of(3, 5, false), nlohmann::json::parse("[[1, 1], [2, 2]]"));
  EXPECT_EQ(pair_of(3, 5, true), nlohmann::json::parse("[[3, 3]]"));
  EXPECT_EQ(pair_of(0, 3, false), nlohmann::json::parse("[[1, 4]]"));
  EXPECT_EQ(slow, 1u);
  EXPECT_EQ(json["links"].size(), 6u);
}

TEST(Picture, SurvivesDescriptionsThatAreNotText) {
  FabricGraph graph;
  const NodeId node = graph.add_host("h");
  graph.add_device(Device{DeviceKind::adapter, 1, "", "\xff\xfe\"\\", node, {}}, 1);
  EXPECT_TRUE(nlohmann::json::accept(topology_json(graph, {0})));
}

TEST(Topology, AnswersAlikeForGeneratedAndImported) {
  const Pgft tree = make_tree({{3, 3}, {1, 2}, {1, 1}});
  const Topology generated = Topology::generated(tree, kLink100);
  ImportedFabric written{build_pgft(tree, kLink100), {"first"}, modules_of(tree)};
  const Topology imported = Topology::imported(std::move(written));
  EXPECT_EQ(generated.host_count(), imported.host_count());
  EXPECT_EQ(generated.host_name({4}), imported.host_name({4}));
  EXPECT_EQ(generated.picture(), imported.picture());
  EXPECT_EQ(generated.path_times(nanoseconds(90)).one_way({0}, {8}, 100),
            imported.path_times(nanoseconds(90)).one_way({0}, {8}, 100));
  NodeId node;
  EXPECT_TRUE(imported.find_host("host-4", node).is_ok());
  EXPECT_EQ(node.value, 4u);
  EXPECT_EQ(imported.summary().warnings, std::vector<std::string>{"first"});
  EXPECT_TRUE(generated.summary().warnings.empty());
}

// Hosts a and b are of one leaf if they are a message across one switch apart.
TEST(Topology, LeavesAreTheSwitchesNextToTheHosts) {
  const Pgft tree = make_tree({{3, 4}, {1, 2}, {1, 1}});
  FabricGraph graph = build_pgft(tree, kLink100);
  graph.add_host("not cabled");
  graph.add_host("not cabled either");
  const Topology imported = Topology::imported({std::move(graph), {}});
  const std::vector<std::uint32_t> of_tree = Topology::generated(tree, kLink100).leaf_of_hosts();
  const std::vector<std::uint32_t> of_graph = imported.leaf_of_hosts();
  ASSERT_EQ(of_tree.size(), 12u);
  ASSERT_EQ(of_graph.size(), 14u);
  for (std::uint32_t a = 0; a < 12; ++a) {
    for (std::uint32_t b = 0; b < 12; ++b) {
      const bool together = a == b || tree.nearest_common_level({a}, {b}) == 1;
      EXPECT_EQ(of_tree[a] == of_tree[b], together);
      EXPECT_EQ(of_graph[a] == of_graph[b], together);
    }
    EXPECT_NE(of_graph[a], of_graph[12]);
    EXPECT_NE(of_graph[a], of_graph[13]);
  }
  EXPECT_NE(of_graph[12], of_graph[13]);
}

}  // namespace
}  // namespace holdfast::sim
