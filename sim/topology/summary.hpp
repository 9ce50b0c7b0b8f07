// What `holdfast topology` and the reports say of a fabric: counts, rates, hop counts, and what
// looks wrong with its links.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/link_load.hpp"
#include "sim/topology/modules.hpp"
#include "sim/topology/pgft.hpp"
#include "sim/topology/routes.hpp"

namespace holdfast::sim {

// Links are of a kind by what they join: a host or router with anything, or two switches.
struct LinkCounts {
  std::uint64_t host_links = 0;
  std::uint64_t switch_links = 0;
};

struct Summary {
  std::uint32_t hosts = 0;
  std::uint32_t adapters = 0;
  std::uint32_t switches = 0;
  std::uint32_t routers = 0;
  LinkCounts links;
  std::vector<std::uint64_t> switches_of_level;          // [0] is level 1, next to the hosts
  std::map<std::int64_t, LinkCounts> links_of_rate;      // by data bits per second
  std::map<std::uint32_t, std::uint64_t> parallel;       // how many pairs of switches have n links
  std::map<std::uint32_t, std::uint64_t> pairs_of_hops;  // ordered pairs of hosts n links apart
  std::uint64_t unreachable_pairs = 0;                   // ordered
  LinkLoads loads;                                       // filled in by Topology
  std::vector<std::string> warnings;
};

Summary summarize(const FabricGraph& graph, const Routes& routes);
// By formula, for any number of hosts.
Summary summarize(const Pgft& tree, const LinkSpec& link);

// A link slower than the fastest of its kind on a switch at one of its ends, or than one that is
// parallel to it.
struct SlowLink {
  std::uint32_t link = 0;
  std::int64_t fastest = 0;  // data bits per second of what it was compared with
  bool parallel = false;     // that is a parallel link; else another one of the same switch
  std::uint32_t device = 0;  // the switch
};
// In order of links; each link once.
std::vector<SlowLink> find_slow_links(const FabricGraph& graph);

// A switch whose host links are all slower than the fabric's usual host link. Comparing links
// within a switch cannot find these: they agree with each other. Usual is the rate that most host
// links have; links between switches do not count, because they are often faster by design. If two
// rates are equally common, the faster one is usual: a needless line is better than a silent half
// of the cluster.
struct SlowSwitch {
  std::uint32_t device = 0;
  std::uint32_t host_links = 0;
  std::int64_t fastest = 0;  // of those
};
std::vector<SlowSwitch> find_slow_switches(const FabricGraph& graph);

// The rate that most host links have, 0 if there are none.
std::int64_t usual_host_rate(const FabricGraph& graph);

// The text of `holdfast topology`; ends with a newline.
std::string describe(const Summary& summary);

// For the report's picture: {"nodes": [{id, kind: host | switch | router, level, name, guid,
// description, slow_hosts, board, chassis}], "links": [{a, b, bits_per_second, count, ports,
// slow}]}. Hosts have level 0; their adapters are drawn as one. Parallel links that are alike are
// one entry, whose `ports` are those at a and b of each. `levels`: by device, as Routes::levels or
// pgft_levels give them. Chips that are on no board, or in no chassis, say nothing of it.
std::string topology_json(const FabricGraph& graph, const std::vector<std::uint32_t>& levels,
                          const Modules& modules = {});

}  // namespace holdfast::sim
