// Routing of a PGFT by the destination's number, D-Mod-K: computed, no tables, O(levels) memory.
// Source: Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real
// life fat trees", CCIT report 776, 2010.
//
// A switch of level l that is above the destination j sends down to the one child that is above it
// too; any other sends up. Where there is a choice, it is made by a digit of j: with
// W_l = w_1 * ... * w_l and x = floor(j / W_l), the way up is number x mod (w_(l+1) * p_(l+1)),
// where number q is parallel link floor(q / w_(l+1)) to parent q mod w_(l+1); the way down uses the
// parallel link that the way up one level below would. Hosts next to each other thus leave by
// different ports, and the packets of different sources to one host meet early and never spread
// again. In a tree of full bisection each link carries traffic to one destination at a time under
// any shift permutation.
//
// Path k of a host counts every one of these numbers k further: the k-th paths are as even as the
// first, and two paths to one host have no switch above its leaf in common as long as they differ
// by less than the parents there are.
//
// A host's traffic uses the first port of its first adapter, so with w_1 > 1 only the plane of that
// adapter is used: digit 1 of every switch on the way is 0, and w_1 and p_1 count as 1.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology/forwarding.hpp"
#include "sim/topology/pgft.hpp"

namespace holdfast::sim {

// A switch of a PGFT: its level, 1 … h, and its number on it.
struct PgftSwitch {
  std::uint32_t level = 0;
  std::uint32_t index = 0;
};

class DmodkForwarding final : public Forwarding {
 public:
  // paths >= 1.
  DmodkForwarding(const Pgft& tree, std::uint32_t paths);

  std::uint16_t port(std::uint32_t device, NodeId to, std::uint32_t path) const override;
  std::uint32_t paths() const override { return paths_; }

  // The same in the terms of the tree, for those who route around what is dead.

  // Devices are numbered as by build_pgft: adapters, then switches by level. `device` is a switch.
  PgftSwitch switch_of(std::uint32_t device) const;
  // Whether `at` can reach the host by going down.
  bool above(PgftSwitch at, NodeId to) const;
  // Ways up from a switch of `level` are numbered 0 … ways_up(level)-1. Attempt 0 is the chosen one
  // for (to, path); 1 … ways_up(level)-1 are the others, in an order that differs between hosts
  // that prefer the same way, so that they do not all turn to one when it is dead.
  std::uint32_t ways_up(std::uint32_t level) const { return radix_[level + 1]; }
  std::uint32_t way_up(std::uint32_t level, NodeId to, std::uint32_t path,
                       std::uint32_t attempt = 0) const {
    const std::uint32_t x = number(level, to, path);
    const std::uint32_t ways = ways_up(level);
    if (attempt == 0) return x % ways;
    return (x + 1 + (x / ways + attempt - 1) % (ways - 1)) % ways;
  }
  // The chosen parallel link down to level - 1; `at` is above the host.
  std::uint32_t parallel_down(std::uint32_t level, NodeId to, std::uint32_t path) const {
    return level == 1 ? 0 : way_up(level - 1, to, path) / tree_.up(level);
  }
  // The child, 0 … m_level - 1, of a switch of `level` that is above the host, towards it.
  std::uint32_t child(std::uint32_t level, NodeId to) const {
    return to.value / hosts_below_[level - 1] % tree_.down(level);
  }
  std::uint16_t port_up(std::uint32_t level, std::uint32_t way) const;
  std::uint16_t port_down(std::uint32_t level, std::uint32_t child, std::uint32_t parallel) const {
    return static_cast<std::uint16_t>(child * tree_.parallel(level) + parallel + 1);
  }
  const Pgft& tree() const { return tree_; }

 private:
  // x of the head comment for a choice that is made on `level`, counted on by the path.
  std::uint32_t number(std::uint32_t level, NodeId to, std::uint32_t path) const {
    return to.value / divisor_[level] + path;
  }

  Pgft tree_;
  std::uint32_t paths_;
  std::vector<std::uint32_t> first_switch_;  // device of switch 0 of each level; [levels + 1]: end
  std::vector<std::uint32_t> switches_below_;  // w_1 * ... * w_l by level
  std::vector<std::uint32_t> divisor_;         // w_2 * ... * w_l by level
  std::vector<std::uint32_t> hosts_below_;     // m_1 * ... * m_l by level
  std::vector<std::uint32_t> radix_;           // ways up from level - 1, by level
};

}  // namespace holdfast::sim
