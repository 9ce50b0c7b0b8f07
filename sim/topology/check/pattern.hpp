// The pattern of a fat tree: which nodes of one level are joined to which of the next, as most of
// them are. Private to this folder.
//
// Between two levels a fat tree falls into groups; in a group each lower node is joined to each
// upper one by equally many cables (pgft.hpp: the nodes that agree in all digits but one). That
// also holds for trees that are no PGFT, such as ibnft-oversubscribed, and the few cables that are
// wrong do not hide it: nodes belong to the group with which they share most neighbours.
//
// Nodes are hosts (level 0, all adapters of one together, called by the first adapter's number) and
// switches (called by their device number). Routers are in no pattern.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/tree_levels.hpp"

namespace holdfast::sim {

// Of one level (the lower one is `level`, 0 for hosts).
struct Group {
  std::vector<std::uint32_t> lowers;    // ascending
  std::vector<std::uint32_t> uppers;    // ascending
  std::vector<std::uint32_t> expected;  // cables between each lower and this upper; 0: no rule
  // Where the cables of a lower node cannot be the same number to each upper one, and go round,
  // some pairs have one more than expected: the sums that most lower and most upper nodes have. 0:
  // no such group; of upper nodes also: they do not agree.
  std::uint32_t sum_of_lower = 0;
  std::uint32_t sum_of_upper = 0;

  bool fits(std::size_t u, std::size_t cables) const {
    return cables >= expected[u] && cables <= expected[u] + most_more();
  }
  std::uint32_t most_more() const { return sum_of_lower > 0 ? 1 : 0; }
};

class Pattern {
 public:
  explicit Pattern(const FabricGraph& graph);

  const FabricGraph& graph() const { return graph_; }
  const TreeLevels& levels() const { return levels_; }

  std::uint32_t node_of(std::uint32_t device) const { return node_[device]; }  // kNone: a router
  std::uint32_t level_of(std::uint32_t node) const { return levels_.of_device[node]; }
  const std::vector<std::uint32_t>& nodes() const { return nodes_; }  // by level, then number

  // Groups whose lower nodes are of this level.
  const std::vector<Group>& groups(std::uint32_t level) const { return groups_[level]; }
  std::uint32_t group_above(std::uint32_t node) const { return above_[node]; }  // kNone: none
  std::uint32_t group_below(std::uint32_t node) const { return below_[node]; }

  // Cables between a node and one on the next higher level, ascending.
  const std::vector<std::uint32_t>& cables(std::uint32_t lower, std::uint32_t upper) const;
  // Neighbours one level up, or down, ascending.
  std::vector<std::uint32_t> neighbours(std::uint32_t node, bool up) const;

  // Whether most switches of this level have a cable up (down) in this port.
  bool is_usual(std::uint32_t level, std::uint32_t port, bool up) const;
  // Whether most switches of this level have any.
  bool most_have(std::uint32_t level, bool up) const;

  // The node and port of a link's end that is not at `node`; and the one that is.
  LinkEnd end_at(std::uint32_t link, std::uint32_t node) const;
  LinkEnd end_beyond(std::uint32_t link, std::uint32_t node) const;

 private:
  struct Usual {
    std::vector<std::uint32_t> up, down;  // switches with such a cable, by port
    std::uint32_t with_up = 0, with_down = 0, switches = 0;
  };

  void find_cables();
  void count_usual();
  void find_groups(std::uint32_t level);
  void settle(std::uint32_t level);
  void expect_cables(std::uint32_t level);
  bool expect_by_upper(Group& group) const;
  bool expect_round(Group& group, std::uint32_t sum) const;

  const FabricGraph& graph_;
  TreeLevels levels_;
  std::vector<std::uint32_t> node_;  // by device
  std::vector<std::uint32_t> nodes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> cables_;
  std::vector<std::vector<std::uint32_t>> ups_, downs_;  // neighbours, by node
  std::vector<Usual> usual_;                             // by level
  std::vector<std::vector<Group>> groups_;               // by lower level
  std::vector<std::uint32_t> above_, below_;             // by node
};

}  // namespace holdfast::sim
