// Forwarding tables as OpenSM's engine `updn` fills them (opensm(8), "Min Hop Algorithm" and "UPDN
// Algorithm"): shortest up/down routes, and the addresses of hosts spread evenly over the ports of
// each switch. The manual leaves the order of destinations, addresses and ports open: those facts
// are from reading OpenSM 3.3.23 and from its tables. No code of it is used.
//
// Each switch counts for itself how many addresses it has sent to each port, and gives the next one
// to the port with the fewest, the lowest number first. Destinations come by the switch that they
// hang on, those with the most hosts first, and there by its ports. The other addresses of a host
// go to neighbours that this switch does not use for that host yet, as long as there are such ones.
//
// Nobody asks whether packets for an address come by. So what a middle switch really gets is
// a choice that the switches below it have made by the same counting, and may all go to one port:
// in the tree of 1,944 hosts some links carry 18 times the mean. `Routes` counts routes and has no
// such links; these tables are for whoever runs updn and wants to know what it does.
//
// What differs from OpenSM: which way is up is decided as for all routes here (switch_order.hpp)
// and not by its statistics of distances, and switches of one chassis are not taken for one system.
// In fat trees of single switches the tables are OpenSM's, entry by entry (tests/opensm).
#pragma once

#include <cstdint>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/forwarding_tables.hpp"

namespace holdfast::sim {

// paths >= 1: addresses of each host. Time grows with hosts times paths times ports of switches.
ForwardingTables updn_tables(const FabricGraph& graph, std::uint32_t paths);

}  // namespace holdfast::sim
