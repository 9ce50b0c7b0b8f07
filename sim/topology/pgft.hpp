// Fat trees as parallel-ports generalised fat trees, PGFT(h; m_1..m_h; w_1..w_h; p_1..p_h).
// Source: Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real
// life fat trees", CCIT report 776, 2010.
//
// h levels of switches stand above the hosts, which are level 0; level 1 is next to the hosts. A
// node of level l has a digit for each level i: below w_i for i <= l, below m_i for i > l. A node
// of level l and one of level l-1 are neighbours if all digits but the l-th agree, and are then
// joined by p_l links. So a node of level l has m_l neighbours below it, and one of level l-1 has
// w_l above it; in the configuration m is called down, w up and p parallel. There are m_1*...*m_h
// hosts.
//
// Numbering: digit 1 counts fastest, so leaf switch 0 holds hosts 0 ... m_1-1; the ports of a
// switch go down first, then up, the links of a parallel group side by side. With w_1 > 1 a host
// has w_1 adapters, each on a plane of its own; with p_1 > 1 an adapter has p_1 ports.
//
// The class itself needs O(h) memory for any number of hosts; build_pgft writes the fabric out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

// The three lists of the definition, level 1 first; equally long, 1 to 8 levels, entries >= 1.
struct PgftSpec {
  std::vector<std::uint32_t> down;
  std::vector<std::uint32_t> up;
  std::vector<std::uint32_t> parallel;
};

class Pgft {
 public:
  static constexpr std::uint32_t kLevelsMax = 8;
  static constexpr std::uint32_t kHostsMax = 1u << 20;  // also the most switches of a level
  static constexpr std::uint32_t kPortsMax = 65'535;    // of one device
  static constexpr std::uint64_t kLinksMax = 1u << 24;  // of one level

  // Checks `spec`; an error names the list, the level and the limit.
  static Status create(const PgftSpec& spec, Pgft& tree);

  std::uint32_t levels() const { return static_cast<std::uint32_t>(spec_.down.size()); }
  std::uint32_t host_count() const { return nodes(0); }
  // Nodes of `level`; level 0 is the hosts.
  std::uint32_t nodes(std::uint32_t level) const { return nodes_[level]; }
  std::uint32_t switch_count() const;
  // Links between `level`-1 and `level`, 1 <= level <= levels().
  std::uint64_t links(std::uint32_t level) const;
  std::uint32_t down(std::uint32_t level) const { return spec_.down[level - 1]; }
  std::uint32_t up(std::uint32_t level) const { return spec_.up[level - 1]; }
  std::uint32_t parallel(std::uint32_t level) const { return spec_.parallel[level - 1]; }

  // The lowest level at which two different hosts have a common switch; a message between them
  // crosses twice as many links.
  std::uint32_t nearest_common_level(NodeId a, NodeId b) const {
    HOLDFAST_ASSERT(a != b && a.value < nodes_[0] && b.value < nodes_[0]);
    std::uint32_t level = levels();
    while (level > 1 && subtree(a, level - 1) == subtree(b, level - 1)) --level;
    return level;
  }
  // Ordered pairs of hosts whose nearest common level is `level`.
  std::uint64_t pairs(std::uint32_t level) const;

  std::string host_name(NodeId node) const { return "host-" + std::to_string(node.value); }
  // leaf-3, level2-3, spine-3; the only level is called leaf.
  std::string switch_name(std::uint32_t level, std::uint32_t index) const;
  // GUIDs that no vendor has: 0001 + host + adapter, 0002 + level + index.
  static std::uint64_t adapter_guid(NodeId node, std::uint32_t adapter);
  static std::uint64_t switch_guid(std::uint32_t level, std::uint32_t index);

  // As FabricGraph::find_host, but without the graph: an index, host-N, or the GUID of an adapter.
  Status find_host(std::string_view text, NodeId& node) const;

 private:
  // a / hosts_below_[level], by a multiplication: exact, because both are at most 2^20.
  std::uint64_t subtree(NodeId a, std::uint32_t level) const {
    return a.value * reciprocal_[level] >> 40;
  }

  std::uint32_t host_of_guid(std::string_view text) const;  // kNone: not of this tree

  PgftSpec spec_;
  std::vector<std::uint32_t> nodes_;        // by level, 0 ... h
  std::vector<std::uint32_t> hosts_below_;  // m_1*...*m_l by level; [0] = 1
  std::vector<std::uint64_t> reciprocal_;   // 2^40 / hosts_below_, the next greater whole number
};

// The tree written out; all links alike.
FabricGraph build_pgft(const Pgft& tree, const LinkSpec& link);

// The level of each device of that graph: 0 for adapters.
std::vector<std::uint32_t> pgft_levels(const Pgft& tree);

}  // namespace holdfast::sim
