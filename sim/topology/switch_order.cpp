// Which switch is the upper one; see the header.
#include "sim/topology/switch_order.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

namespace holdfast::sim {

namespace {

std::vector<std::uint32_t> distances(const SwitchNet& net, std::vector<std::uint32_t> front) {
  std::vector<std::uint32_t> distance(net.ports.size(), kFar);
  for (const std::uint32_t s : front) distance[s] = 0;
  for (std::size_t next = 0; next < front.size(); ++next) {
    for (const SwitchPort& port : net.ports[front[next]]) {
      if (distance[port.peer] != kFar) continue;
      distance[port.peer] = distance[front[next]] + 1;
      front.push_back(port.peer);
    }
  }
  return distance;
}

// What the orders are made of; each by switch.
struct Measures {
  std::vector<std::uint32_t> from_adapters;  // hops from the nearest switch with adapters
  std::vector<std::uint64_t> to_all;         // total hops to all hosts that can be reached
  std::vector<std::uint32_t> from_centre;    // hops from the most central switch of its component
};

Measures measure(const SwitchNet& net) {
  const auto count = static_cast<std::uint32_t>(net.ports.size());
  Measures m;
  std::vector<std::uint32_t> with_adapters;
  std::vector<std::uint32_t> by_centrality(count);
  for (std::uint32_t s = 0; s < count; ++s) {
    if (net.has_adapters[s]) with_adapters.push_back(s);
    const std::vector<std::uint32_t> distance = distances(net, {s});
    std::uint64_t total = 0;
    for (std::uint32_t t = 0; t < count; ++t) {
      if (distance[t] != kFar) total += std::uint64_t{distance[t]} * net.hosts[t];
    }
    m.to_all.push_back(total);
    by_centrality[s] = s;
  }
  m.from_adapters = distances(net, with_adapters);
  std::sort(by_centrality.begin(), by_centrality.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(m.to_all[a], net.hosts[a], a) < std::tuple(m.to_all[b], net.hosts[b], b);
  });
  m.from_centre.assign(count, kFar);
  for (const std::uint32_t centre : by_centrality) {
    if (m.from_centre[centre] != kFar) continue;
    const std::vector<std::uint32_t> distance = distances(net, {centre});
    for (std::uint32_t s = 0; s < count; ++s) {
      m.from_centre[s] = std::min(m.from_centre[s], distance[s]);
    }
  }
  return m;
}

// Heights such that a switch with a greater key is upper; the lower number is upper among equals.
template <class Key>
std::vector<std::uint32_t> heights_by(std::uint32_t count, Key key) {
  std::vector<std::uint32_t> lowest_first(count);
  std::iota(lowest_first.begin(), lowest_first.end(), 0u);
  std::sort(lowest_first.begin(), lowest_first.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(key(a), b) < std::tuple(key(b), a);
  });
  std::vector<std::uint32_t> height(count);
  for (std::uint32_t i = 0; i < count; ++i) height[lowest_first[i]] = i;
  return height;
}

// How good an order is: less is better in each place, the first place counts most.
using Cost = std::array<std::uint64_t, 3>;

Cost cost_of(const SwitchNet& net, const std::vector<std::uint32_t>& height) {
  std::uint64_t unrouted = 0;
  std::uint64_t length = 0;
  std::uint64_t choices = 0;
  for (std::uint32_t target = 0; target < net.ports.size(); ++target) {
    if (net.hosts[target] == 0) continue;
    const RouteLengths lengths = route_lengths(net, height, target);
    for (std::uint32_t s = 0; s < net.ports.size(); ++s) {
      const std::uint64_t pairs = std::uint64_t{net.hosts[s]} * net.hosts[target];
      if (pairs == 0) continue;
      if (lengths.total[s] == kFar) {
        unrouted += pairs;
        continue;
      }
      length += pairs * lengths.total[s];
      for (const SwitchPort& port : net.ports[s]) {
        if (lengths.allows(s, port.peer, height)) choices += pairs;
      }
    }
  }
  return {unrouted, length, std::numeric_limits<std::uint64_t>::max() - choices};
}

}  // namespace

SwitchNet::SwitchNet(const FabricGraph& graph) : index_of_device(graph.devices().size(), kNone) {
  for (std::uint32_t d = 0; d < graph.devices().size(); ++d) {
    if (graph.device(d).kind != DeviceKind::switch_chip) continue;
    index_of_device[d] = static_cast<std::uint32_t>(device.size());
    device.push_back(d);
  }
  ports.resize(device.size());
  hosts.assign(device.size(), 0);
  has_adapters.assign(device.size(), false);
  for (std::uint32_t s = 0; s < device.size(); ++s) {
    const std::vector<Port>& all = graph.device(device[s]).ports;
    for (std::uint32_t p = 1; p < all.size(); ++p) {
      if (all[p].link == kNone) continue;
      const LinkEnd& far = graph.links()[all[p].link].end_away_from(device[s]);
      const std::uint32_t peer = index_of_device[far.device];
      if (peer != kNone) ports[s].push_back({p, all[p].link, peer});
      if (graph.device(far.device).kind == DeviceKind::adapter) has_adapters[s] = true;
    }
  }
  for (std::uint32_t h = 0; h < graph.host_count(); ++h) {
    const std::uint32_t link = graph.endpoint_link(NodeId{h});
    if (link == kNone) continue;
    for (const LinkEnd& end : graph.links()[link].ends) {
      if (index_of_device[end.device] != kNone) ++hosts[index_of_device[end.device]];
    }
  }
}

RouteLengths route_lengths(const SwitchNet& net, const std::vector<std::uint32_t>& height,
                           std::uint32_t target) {
  RouteLengths lengths;
  lengths.down.assign(net.ports.size(), kFar);
  lengths.down[target] = 0;
  std::vector<std::uint32_t> front = {target};
  for (std::size_t next = 0; next < front.size(); ++next) {
    const std::uint32_t s = front[next];
    for (const SwitchPort& port : net.ports[s]) {
      if (height[port.peer] < height[s] || lengths.down[port.peer] != kFar) continue;
      lengths.down[port.peer] = lengths.down[s] + 1;
      front.push_back(port.peer);
    }
  }
  lengths.total = lengths.down;
  std::vector<std::uint32_t> highest_first(net.ports.size());
  for (std::uint32_t s = 0; s < height.size(); ++s) {
    highest_first[height.size() - 1 - height[s]] = s;
  }
  for (const std::uint32_t s : highest_first) {
    if (lengths.down[s] != kFar) continue;
    for (const SwitchPort& port : net.ports[s]) {
      if (height[port.peer] < height[s] || lengths.total[port.peer] == kFar) continue;
      lengths.total[s] = std::min(lengths.total[s], lengths.total[port.peer] + 1);
    }
  }
  return lengths;
}

std::vector<std::uint32_t> choose_heights(const SwitchNet& net) {
  const auto count = static_cast<std::uint32_t>(net.ports.size());
  const Measures m = measure(net);
  // Total distances turned round, so that the more central switch is the upper one.
  const auto centrality = [&m](std::uint32_t s) { return ~m.to_all[s]; };
  const std::array<std::vector<std::uint32_t>, 3> orders = {
      heights_by(count,
                 [&](std::uint32_t s) { return std::tuple(m.from_adapters[s], centrality(s)); }),
      heights_by(count, [&](std::uint32_t s) { return std::tuple(centrality(s), ~net.hosts[s]); }),
      heights_by(count,
                 [&](std::uint32_t s) { return std::tuple(~m.from_centre[s], centrality(s)); })};
  const auto best = std::min_element(
      orders.begin(), orders.end(),
      [&](const auto& a, const auto& b) { return cost_of(net, a) < cost_of(net, b); });
  return *best;
}

}  // namespace holdfast::sim
