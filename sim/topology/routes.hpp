// Routes of a fabric that is written out: shortest up/down paths, balanced.
//
// As in a real subnet, each switch has a table from destination host to output port. A switch that
// can reach the destination by going down does so; any other goes up by the shortest way. So no
// route turns down and then up, whatever the switch before it chose. Among equal choices the port
// is taken that carries the fewest routes for its rate: destinations are added one after the other
// in the order of hosts, and each counts on a link as many times as hosts use the link to reach it.
// Parallel links are thus used evenly, and slow ones among them in proportion.
//
// Where a host has several addresses (paths), each is a destination of its own, and a switch sends
// the next one of a host to a neighbour that it does not use for that host yet, as long as there is
// one; so the paths part as early as they can. OpenSM does the same with LMC above 0.
//
// The tables may also come from outside (linear_tables.hpp); then only the walking is done here.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/forwarding_tables.hpp"
#include "sim/topology/switch_order.hpp"

namespace holdfast::sim {

class Routes {
 public:
  // Balanced routes. `graph` must outlive them. Time and memory grow with hosts times paths times
  // links between switches. paths >= 1.
  explicit Routes(const FabricGraph& graph, std::uint32_t paths = 1);
  // The routes of these tables, which are of `graph` and lead no packet in a circle.
  Routes(const FabricGraph& graph, ForwardingTables tables);

  // Calls visit(link, device it is entered from) for each link from host to host, in order. False,
  // after perhaps some calls, if there is no route. from != to; path < tables().paths().
  template <class Visit>
  bool walk(NodeId from, NodeId to, Visit visit, std::uint32_t path = 0) const;

  // Links on the route; 0: there is none. from != to.
  std::uint32_t hops(NodeId from, NodeId to, std::uint32_t path = 0) const {
    std::uint32_t count = 0;
    const auto add = [&count](std::uint32_t, std::uint32_t) { ++count; };
    return walk(from, to, add, path) ? count : 0;
  }

  const ForwardingTables& tables() const { return tables_; }
  const SwitchNet& net() const { return net_; }
  // Of each switch of net(): no route goes up, to a greater height, after it has gone down.
  const std::vector<std::uint32_t>& heights() const { return height_; }

  // The level of each device: 1 for a switch with no switch below it, else one more than the
  // highest below it; 0 for what is not a switch.
  const std::vector<std::uint32_t>& levels() const { return levels_; }

  // The switch that the host's endpoint is cabled to; kNone if there is none.
  std::uint32_t switch_of(NodeId node) const;

 private:
  void find_endpoints();
  void fill_tables();
  void route_to(NodeId to, std::uint32_t path, const RouteLengths& lengths,
                const std::vector<std::uint32_t>& farthest);
  std::uint32_t choose_port(std::uint32_t s, const RouteLengths& lengths, std::uint64_t flow);
  void find_levels();

  struct Endpoint {
    std::uint32_t link = kNone;
    std::uint32_t adapter = kNone;
    std::uint32_t peer = kNone;  // device at the other end
  };

  // What the balance counts for each direction of a link: [0] from ends[0], [1] from ends[1].
  struct Load {
    std::uint64_t routes = 0;
    std::uint64_t destinations = 0;
  };

  const FabricGraph* graph_;
  SwitchNet net_;
  std::vector<std::uint32_t> height_;
  std::vector<Endpoint> endpoints_;
  ForwardingTables tables_;
  std::vector<std::uint32_t> levels_;
  // While the tables are filled.
  std::vector<std::array<Load, 2>> load_;
  // By switch: the neighbours to which earlier paths to the same host send somebody's packets.
  std::vector<std::vector<std::uint32_t>> used_peers_;
};

template <class Visit>
bool Routes::walk(NodeId from, NodeId to, Visit visit, std::uint32_t path) const {
  const Endpoint& source = endpoints_[from.value];
  const Endpoint& target = endpoints_[to.value];
  if (source.link == kNone || target.link == kNone) return false;
  visit(source.link, source.adapter);
  std::uint32_t at = source.peer;
  while (at != target.peer) {
    const std::uint32_t s = net_.index_of_device[at];
    if (s == kNone) {
      // A cable from host to host, without a switch.
      const Device& device = graph_->device(at);
      return device.kind == DeviceKind::adapter && device.host == to;
    }
    const std::uint16_t port = tables_.port(at, to, path);
    if (port == 0) return false;
    const std::uint32_t link = graph_->device(at).ports[port].link;
    visit(link, at);
    at = graph_->links()[link].end_away_from(at).device;
  }
  if (net_.index_of_device[at] == kNone) return false;
  visit(target.link, at);
  return true;
}

}  // namespace holdfast::sim
