// Fat trees against the definition: digits, products, and a search of the written-out graph.
#include "sim/topology/pgft.hpp"

#include <gtest/gtest.h>

#include <map>

#include "sim/topology/routes.hpp"
#include "sim/topology/summary.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

// The digits of node `index` of `level`: digit 1 counts fastest, bases w up to the level, m above
// it.
std::vector<std::uint32_t> digits(const PgftSpec& spec, std::size_t level, std::uint32_t index) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < spec.down.size(); ++i) {
    const std::uint32_t base = i < level ? spec.up[i] : spec.down[i];
    result.push_back(index % base);
    index /= base;
  }
  return result;
}

TEST(Pgft, EveryPairOfNodesIsJoinedAsTheDefinitionSays) {
  for (const PgftSpec& spec : small_trees()) {
    const Pgft tree = make_tree(spec);
    const FabricGraph graph = build_pgft(tree, kLink100);
    // (level, index) of each device; a host's adapters count as the host.
    std::map<std::uint32_t, std::pair<std::size_t, std::uint32_t>> place;
    std::vector<std::uint32_t> seen(spec.down.size() + 1, 0);
    for (std::uint32_t d = 0; d < graph.devices().size(); ++d) {
      const Device& device = graph.device(d);
      if (device.kind == DeviceKind::adapter) {
        place[d] = {0, device.host.value};
      } else {
        const std::size_t level = (device.guid >> 40) & 0xff;
        place[d] = {level, seen[level]++};
      }
    }
    using Pair = std::pair<std::pair<std::size_t, std::uint32_t>, std::uint32_t>;
    std::map<Pair, std::uint32_t> joined;  // lower node, upper index -> links
    for (const Link& link : graph.links()) {
      auto low = place.at(link.ends[0].device);
      auto high = place.at(link.ends[1].device);
      if (low.first > high.first) std::swap(low, high);
      ASSERT_EQ(low.first + 1, high.first);
      ++joined[{low, high.second}];
    }
    for (std::size_t level = 1; level <= spec.down.size(); ++level) {
      for (std::uint32_t low = 0; low < tree.nodes(static_cast<std::uint32_t>(level - 1)); ++low) {
        for (std::uint32_t high = 0; high < tree.nodes(static_cast<std::uint32_t>(level)); ++high) {
          std::vector<std::uint32_t> a = digits(spec, level - 1, low);
          std::vector<std::uint32_t> b = digits(spec, level, high);
          a[level - 1] = b[level - 1] = 0;
          const auto found = joined.find({{level - 1, low}, high});
          const std::uint32_t links = found == joined.end() ? 0 : found->second;
          EXPECT_EQ(links, a == b ? spec.parallel[level - 1] : 0);
        }
      }
    }
  }
}

TEST(Pgft, CountsAreTheProductsOfTheDefinition) {
  for (const PgftSpec& spec : small_trees()) {
    const Pgft tree = make_tree(spec);
    const FabricGraph graph = build_pgft(tree, kLink100);
    std::uint64_t links = 0;
    std::uint32_t switches = 0;
    for (std::size_t level = 0; level <= spec.down.size(); ++level) {
      std::uint32_t nodes = 1;
      for (std::size_t i = 0; i < spec.down.size(); ++i) {
        nodes *= i < level ? spec.up[i] : spec.down[i];
      }
      EXPECT_EQ(tree.nodes(static_cast<std::uint32_t>(level)), nodes);
      if (level > 0) switches += nodes;
      if (level > 0) links += nodes * spec.down[level - 1] * spec.parallel[level - 1];
    }
    EXPECT_EQ(graph.host_count(), tree.host_count());
    EXPECT_EQ(graph.count(DeviceKind::switch_chip), switches);
    EXPECT_EQ(tree.switch_count(), switches);
    EXPECT_EQ(graph.links().size(), links);
  }
}

TEST(Pgft, HopsAreTwiceTheNearestCommonLevelAndShortest) {
  for (const PgftSpec& spec : small_trees()) {
    const Pgft tree = make_tree(spec);
    const FabricGraph graph = build_pgft(tree, kLink100);
    const auto shortest = shortest_hops(graph);
    std::map<std::uint32_t, std::uint64_t> pairs;
    for (std::uint32_t a = 0; a < tree.host_count(); ++a) {
      for (std::uint32_t b = 0; b < tree.host_count(); ++b) {
        if (a == b) continue;
        ASSERT_EQ(2 * tree.nearest_common_level({a}, {b}), shortest[a][b]) << a << " " << b;
        ++pairs[shortest[a][b]];
      }
    }
    EXPECT_EQ(summarize(tree, kLink100).pairs_of_hops, pairs);
  }
}

TEST(Pgft, TheSummaryByFormulaIsThatOfTheGraph) {
  for (const PgftSpec& spec : small_trees()) {
    const Pgft tree = make_tree(spec);
    const FabricGraph graph = build_pgft(tree, kLink100);
    const Routes routes(graph);
    EXPECT_EQ(describe(summarize(tree, kLink100)), describe(summarize(graph, routes)));
    EXPECT_EQ(pgft_levels(tree), routes.levels());
  }
}

TEST(Pgft, HoldsAQuarterOfAMillionHosts) {
  const Pgft tree = make_tree({{64, 64, 64}, {1, 64, 64}, {1, 1, 1}});
  EXPECT_EQ(tree.host_count(), 262'144u);
  EXPECT_EQ(tree.nearest_common_level({0}, {63}), 1u);
  EXPECT_EQ(tree.nearest_common_level({0}, {64}), 2u);
  EXPECT_EQ(tree.nearest_common_level({4095}, {4096}), 3u);
  EXPECT_EQ(tree.nearest_common_level({262'143}, {0}), 3u);
  EXPECT_EQ(tree.pairs(1) + tree.pairs(2) + tree.pairs(3), 262'144ull * 262'143ull);
}

TEST(Pgft, TheNearestLevelIsExactForEveryHost) {
  // Odd divisors, up to the greatest number of hosts: subtrees are found without a division.
  for (const PgftSpec& spec :
       {PgftSpec{{7, 3, 11, 13, 17, 19}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}},
        PgftSpec{{1023, 1025}, {1, 1}, {1, 1}}, PgftSpec{{1, 1024, 1024}, {1, 1, 1}, {1, 1, 1}}}) {
    const Pgft tree = make_tree(spec);
    for (std::uint32_t a = 0; a + 1 < tree.host_count(); ++a) {
      std::uint32_t level = 1;
      std::uint32_t below = spec.down[0];
      while (a / below != (a + 1) / below) below *= spec.down[level++];
      ASSERT_EQ(tree.nearest_common_level({a}, {a + 1}), level) << a;
    }
  }
}

TEST(Pgft, NamesCountFromTheLeaves) {
  const Pgft tree = make_tree({{2, 2, 2}, {1, 2, 2}, {1, 1, 1}});
  EXPECT_EQ(tree.switch_name(1, 0), "leaf-0");
  EXPECT_EQ(tree.switch_name(2, 3), "level2-3");
  EXPECT_EQ(tree.switch_name(3, 3), "spine-3");
  const FabricGraph graph = build_pgft(tree, kLink100);
  // Leaf 1 carries hosts 2 and 3.
  const std::uint32_t leaf = graph.find_device(Pgft::switch_guid(1, 1));
  EXPECT_EQ(graph.device(leaf).name, "leaf-1");
  for (const std::uint32_t h : {2u, 3u}) {
    EXPECT_EQ(graph.links()[graph.endpoint_link({h})].ends[1].device, leaf);
  }
}

struct WrongTree {
  PgftSpec spec;
  std::string message;
};

TEST(Pgft, RefusesWhatIsNoTree) {
  const std::vector<WrongTree> wrong = {
      {{{}, {}, {}}, "down has 0, up 0, parallel 0"},
      {{{4, 4}, {1}, {1, 1}}, "down has 2, up 1, parallel 2"},
      {{{4, 4}, {1, 4}, {1, 1, 1}}, "down has 2, up 2, parallel 3"},
      {{{4, 0}, {1, 4}, {1, 1}}, "down[1] is 0; expected 1 or more"},
      {{{4, 4}, {0, 4}, {1, 1}}, "up[0] is 0; expected 1 or more"},
      {{{4, 4}, {1, 4}, {1, 0}}, "parallel[1] is 0; expected 1 or more"},
      {{{1024, 1025}, {1, 1}, {1, 1}}, "more than 1048576 hosts"},
      {{{4'000'000'000, 4'000'000'000}, {1, 1}, {1, 1}}, "more than 1048576 hosts"},
      {{{2, 2}, {1025, 1025}, {1, 1}}, "more than 1048576 switches on level 2"},
      {{{65'536}, {1}, {1}}, "more than 65535 ports on each node of level 1"},
      {{{2, 2}, {1, 40'000}, {1, 2}}, "more than 65535 ports on each node of level 1"},
      {{{1024, 1024}, {1, 1}, {32, 1}}, "more than 16777216 links below level 1"},
      {{{1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
       "1 to 8 levels; down has 9"},
  };
  for (const WrongTree& entry : wrong) {
    Pgft tree = make_tree({{2}, {1}, {1}});
    const Status status = Pgft::create(entry.spec, tree);
    EXPECT_FALSE(status.is_ok()) << entry.message;
    EXPECT_NE(status.message().find(entry.message), std::string::npos) << status.message();
    EXPECT_EQ(tree.host_count(), 2u);
  }
  Pgft largest;
  EXPECT_TRUE(Pgft::create({{1024, 1024}, {1, 1}, {1, 1}}, largest).is_ok());
}

}  // namespace
}  // namespace holdfast::sim
