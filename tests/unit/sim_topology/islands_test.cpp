// Who still has a living way to whom, on 16 hosts under four leaves and two spines.
#include "sim/topology/islands.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sim_topology/trees.hpp"

namespace holdfast::sim {
namespace {

using Islands = std::vector<std::uint32_t>;

constexpr FabricPart device(std::uint32_t index) {
  return {FabricPart::Kind::device, index};
}

struct Tree {
  Pgft tree = make_tree({{4, 4}, {1, 2}, {1, 1}});
  PgftWiring wiring{tree};
  DeadParts dead;

  Islands islands() const { return islands_of(wiring, dead, 16); }
  std::uint32_t link(LinkEnd end) const { return wiring.link_at(end); }
};

// These nodes on island 1, 2 ..., all others on the largest.
Islands apart(std::initializer_list<std::initializer_list<std::uint32_t>> groups) {
  Islands islands(16, 0);
  std::uint32_t number = 0;
  for (const auto& group : groups) {
    ++number;
    for (const std::uint32_t node : group) islands[node] = number;
  }
  return islands;
}

TEST(Islands, AWholeFabricIsOne) {
  EXPECT_EQ(Tree().islands(), Islands(16, 0));
}

TEST(Islands, AHostWithoutItsLinkOrAdapterIsAlone) {
  Tree tree;
  tree.dead.add({FabricPart::Kind::link, tree.link(tree.wiring.endpoint({5}))});
  tree.dead.add(device(tree.wiring.endpoint({11}).device));
  EXPECT_EQ(tree.islands(), apart({{5}, {11}}));
}

TEST(Islands, ALeafWithoutUplinksKeepsItsHostsTogether) {
  Tree tree;
  const std::uint32_t leaf = tree.wiring.device_of(1, 1);
  for (const std::uint32_t port : {5u, 6u}) {
    EXPECT_EQ(tree.islands(), Islands(16, 0));
    tree.dead.add({FabricPart::Kind::link, tree.link({leaf, port})});
  }
  EXPECT_EQ(tree.islands(), apart({{4, 5, 6, 7}}));
}

TEST(Islands, ADeadLeafLeavesEachOfItsHostsAlone) {
  Tree tree;
  tree.dead.add(device(tree.wiring.device_of(1, 0)));
  EXPECT_EQ(tree.islands(), apart({{0}, {1}, {2}, {3}}));
}

// Of equal islands the first is the largest.
TEST(Islands, WithoutSpinesEachLeafIsOne) {
  Tree tree;
  tree.dead.add(device(tree.wiring.device_of(2, 0)));
  EXPECT_EQ(tree.islands(), Islands(16, 0));
  tree.dead.add(device(tree.wiring.device_of(2, 1)));
  EXPECT_EQ(tree.islands(), apart({{4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
  // Without a host the first leaf is no longer the largest.
  tree.dead.add(device(tree.wiring.endpoint({3}).device));
  EXPECT_EQ(tree.islands(), (Islands{1, 1, 1, 2, 0, 0, 0, 0, 3, 3, 3, 3, 4, 4, 4, 4}));
}

}  // namespace
}  // namespace holdfast::sim
