// The tables of updn against its rule in closed form: where nothing disturbs the count, the k-th
// destination that a switch sends by one of n ports leaves by port k mod n. Beside OpenSM itself
// they are in tests/opensm.
#include "sim/topology/updn_tables.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

// Ports of a switch that lead to a host from above, or upwards, ascending.
class Ports {
 public:
  explicit Ports(const Pgft& tree)
      : graph_(build_pgft(tree, kLink100)), levels_(pgft_levels(tree)), hosts_(tree.host_count()) {
    below_.resize(graph_.devices().size());
    for (std::uint32_t h = 0; h < hosts_; ++h) below_[h] = {h};
    for (std::uint32_t level = 1; level <= tree.levels(); ++level) {
      for (std::uint32_t s = hosts_; s < below_.size(); ++s) {
        if (levels_[s] != level) continue;
        for (const std::uint32_t down : neighbours(s, false)) {
          below_[s].insert(below_[down].begin(), below_[down].end());
        }
      }
    }
  }

  const FabricGraph& graph() const { return graph_; }
  std::uint32_t hosts() const { return hosts_; }

  std::vector<std::uint32_t> towards(std::uint32_t s, std::uint32_t host) const {
    const bool up = !below_[s].contains(host);
    std::vector<std::uint32_t> ports;
    for (std::uint32_t p = 1; p < graph_.device(s).ports.size(); ++p) {
      const std::uint32_t far = beyond(s, p);
      if (up ? levels_[far] > levels_[s] : levels_[far] < levels_[s] && below_[far].contains(host))
        ports.push_back(p);
    }
    return ports;
  }

 private:
  std::uint32_t beyond(std::uint32_t s, std::uint32_t port) const {
    return graph_.links()[graph_.device(s).ports[port].link].end_away_from(s).device;
  }
  std::set<std::uint32_t> neighbours(std::uint32_t s, bool up) const {
    std::set<std::uint32_t> found;
    for (std::uint32_t p = 1; p < graph_.device(s).ports.size(); ++p) {
      if ((levels_[beyond(s, p)] > levels_[s]) == up) found.insert(beyond(s, p));
    }
    return found;
  }

  FabricGraph graph_;
  std::vector<std::uint32_t> levels_;
  std::uint32_t hosts_;
  std::vector<std::set<std::uint32_t>> below_;
};

TEST(UpdnTables, EachSwitchDealsOutItsPortsInTurn) {
  for (const PgftSpec& spec :
       {PgftSpec{{4, 4}, {1, 4}, {1, 1}}, PgftSpec{{18, 18}, {1, 9}, {1, 2}},
        PgftSpec{{4, 4, 4}, {1, 4, 4}, {1, 1, 1}}, PgftSpec{{6, 3, 2}, {1, 2, 3}, {1, 3, 2}}}) {
    const Pgft tree = make_tree(spec);
    const Ports ports(tree);
    const ForwardingTables tables = updn_tables(ports.graph(), 1);
    for (std::uint32_t s = ports.hosts(); s < ports.graph().devices().size(); ++s) {
      std::map<std::vector<std::uint32_t>, std::uint32_t> sent;  // by the ports to choose from
      for (std::uint32_t h = 0; h < ports.hosts(); ++h) {
        const std::vector<std::uint32_t> choice = ports.towards(s, h);
        const std::uint32_t turn = sent[choice]++;
        ASSERT_EQ(tables.port(s, {h}, 0), choice[turn % choice.size()]) << s << " to " << h;
      }
    }
  }
}

// What everybody gets who counts for himself: each of the four middle switches of a group is sent
// every fourth destination by the leaves below, has counted them all, and finds the same port for
// each of those. D-Mod-K has 48 routes on each of these links.
TEST(UpdnTables, CountingForItselfAMiddleSwitchMayUseOnePortOnly) {
  const Pgft tree = make_tree({{4, 4, 4}, {1, 4, 4}, {1, 1, 1}});
  const FabricGraph graph = build_pgft(tree, kLink100);
  const Routes routes(graph, updn_tables(graph, 1));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> upwards;  // link, from
  for (std::uint32_t a = 0; a < 64; ++a) {
    for (std::uint32_t b = 0; b < 64; ++b) {
      if (a == b) continue;
      ASSERT_EQ(routes.hops({a}, {b}), a / 4 == b / 4 ? 2u : a / 16 == b / 16 ? 4u : 6u);
      ASSERT_TRUE(routes.walk({a}, {b}, [&](std::uint32_t link, std::uint32_t from) {
        const std::uint32_t far = graph.links()[link].end_away_from(from).device;
        if (routes.levels()[from] == 2 && routes.levels()[far] == 3) ++upwards[{link, from}];
      }));
    }
  }
  // 16 hosts of a group send to 48 others through 4 switches: 192 routes each, on one link of four.
  EXPECT_EQ(upwards.size(), 16u);
  for (const auto& [place, count] : upwards) EXPECT_EQ(count, 192u);
}

TEST(UpdnTables, FurtherAddressesPartAtTheLeaf) {
  const Pgft tree = make_tree({{4, 4, 4}, {1, 4, 4}, {1, 1, 1}});
  const FabricGraph graph = build_pgft(tree, kLink100);
  const ForwardingTables tables = updn_tables(graph, 4);
  for (std::uint32_t leaf = 64; leaf < 80; ++leaf) {
    for (std::uint32_t h = 0; h < 64; ++h) {
      std::set<std::uint32_t> ports;
      for (std::uint32_t path = 0; path < 4; ++path) ports.insert(tables.port(leaf, {h}, path));
      EXPECT_EQ(ports.size(), h / 4 == leaf - 64 ? 1u : 4u);
    }
  }
}

// Switches 0 and 1 are above 2, 3 and 4; one host on 2, two on 3. Switch 4 deals out its ports 1
// and 2 to the hosts of 3 first.
TEST(UpdnTables, SwitchesWithTheMostHostsComeFirst) {
  HandMade fabric(5);
  for (const std::uint32_t leaf : {2u, 3u, 4u}) {
    fabric.join(leaf, 0);
    fabric.join(leaf, 1);
  }
  for (const std::uint32_t leaf : {2u, 3u, 3u, 4u}) fabric.host(leaf);
  const ForwardingTables tables = updn_tables(fabric.graph, 1);
  EXPECT_EQ(tables.port(4, {1}, 0), 1u);
  EXPECT_EQ(tables.port(4, {2}, 0), 2u);
  EXPECT_EQ(tables.port(4, {0}, 0), 1u);
  EXPECT_EQ(tables.port(4, {3}, 0), 3u);  // its own
}

}  // namespace
}  // namespace holdfast::sim
