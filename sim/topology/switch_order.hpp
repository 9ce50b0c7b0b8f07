// Which of two neighbouring switches is the upper one: the base of up/down routing in a tree that
// no one has drawn. Private to this folder.
//
// Any total order of the switches gives routes without loops or deadlock, if each goes up first and
// then only down (Schroeder et al., Autonet, 1991). The order decides how short the routes are and
// how many there are to choose from. Three orders are tried, because real fabrics break each simple
// rule (hosts on a spine, spines that reach only a part, switches without hosts); the best by this
// count is taken: fewest pairs of hosts without a route, then least total length, then most choices
// of link.
//  1. by distance from the nearest switch with adapters: right for every tree with hosts at the
//  bottom;
//  2. by total distance to all hosts: right where hosts hang on switches of several levels;
//  3. by distance from the most central switch: always routes every pair that is connected at all.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology/fabric_graph.hpp"

namespace holdfast::sim {

// One cabled port of a switch that leads to another switch.
struct SwitchPort {
  std::uint32_t port = 0;
  std::uint32_t link = 0;
  std::uint32_t peer = 0;  // index of the switch
};

// The switches of a fabric, numbered from 0 in the order of its devices.
struct SwitchNet {
  explicit SwitchNet(const FabricGraph& graph);

  std::vector<std::uint32_t> device;           // of each switch
  std::vector<std::uint32_t> index_of_device;  // kNone: not a switch
  std::vector<std::vector<SwitchPort>> ports;  // of each switch, by port
  std::vector<std::uint32_t> hosts;            // whose endpoint is on this switch
  std::vector<bool> has_adapters;              // any, whether or not they carry traffic
};

constexpr std::uint32_t kFar = 0xffff'ffff;  // no route

// Hops between switches on the up/down routes to one switch.
struct RouteLengths {
  std::vector<std::uint32_t> down;   // by going down only; kFar: impossible
  std::vector<std::uint32_t> total;  // what a switch uses: down if possible, else up first

  // Whether `from` may forward through a port to `to`, `to` being its neighbour.
  bool allows(std::uint32_t from, std::uint32_t to,
              const std::vector<std::uint32_t>& height) const {
    if (total[from] == kFar || total[from] == 0) return false;
    if (down[from] != kFar) return height[to] < height[from] && down[to] == down[from] - 1;
    return height[to] > height[from] && total[to] == total[from] - 1;
  }
};

// `height`: of each switch; all different, greater is upper.
RouteLengths route_lengths(const SwitchNet& net, const std::vector<std::uint32_t>& height,
                           std::uint32_t target);

// The height of each switch, 0 … switches-1, by the best of the three orders.
std::vector<std::uint32_t> choose_heights(const SwitchNet& net);

}  // namespace holdfast::sim
