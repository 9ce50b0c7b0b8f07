// How high each switch of a fat tree stands, found from its hosts and cables in such a way that a
// few wrong cables do not move it: the base of checking, drawing and naming the groups of a tree.
// Routes (switch_order.hpp) have an order of their own, which bends to every cable, because each
// cable can carry packets; here a cable may be a mistake.
//
// Switches with many hosts are level 1, and the others as far above as they are away from these.
// Then each switch in turn goes to the level where most of its cables lead one level up or down
// (and those of hosts to level 1), as long as that makes more cables right. At last a switch
// without hosts or anything above it goes down by two levels if most of its neighbours are also
// those of several switches there: a leaf whose hosts are off, which by distance alone would be a
// spine of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology/fabric_graph.hpp"

namespace holdfast::sim {

struct TreeLevels {
  std::vector<std::uint32_t> of_device;  // 1 … top; 0: no switch, or none that cables join to hosts
  std::uint32_t top = 0;
  std::uint64_t switch_links = 0;
  std::uint64_t misfits = 0;  // of these, those between switches that are not one level apart

  // Whether these are the levels of a tree at all: two switches in a row, a ring and a mesh have
  // none, and what is usual among their cables says nothing about the others.
  bool is_tree() const { return top > 0 && misfits * 3 <= switch_links; }
};

// O(links) for a tree, and some rounds of that for a damaged one.
TreeLevels tree_levels(const FabricGraph& graph);

}  // namespace holdfast::sim
