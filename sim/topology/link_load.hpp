// How many routes cross each link: all ordered pairs of hosts, each by each of its paths. Both
// directions of a link are counted by themselves. What one message of everyone to everyone would
// put on the links, and the measure of how well a routing spreads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "sim/topology/dmodk.hpp"
#include "sim/topology/routes.hpp"

namespace holdfast::sim {

struct LinkLoad {
  std::uint64_t links = 0;   // directions of links, also those that no route crosses
  std::uint64_t routes = 0;  // over all of them
  std::uint64_t most = 0;    // on one of them
};

// By the levels of the switches that a link leads from and to. Links of hosts are left out: each
// carries its host's traffic whatever the routing.
using LinkLoads = std::map<std::pair<std::uint32_t, std::uint32_t>, LinkLoad>;

// By following the tables; time grows with hosts times paths times switches.
LinkLoads link_loads(const FabricGraph& graph, const Routes& routes);
// By formula; time and memory grow with the hosts and links.
LinkLoads link_loads(const DmodkForwarding& forwarding);

// One line: "level 1 to 2: most 306, mean 306.0; level 2 to 1: …". Empty if there are none.
std::string describe(const LinkLoads& loads);

}  // namespace holdfast::sim
