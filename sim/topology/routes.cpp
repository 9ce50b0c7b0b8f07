// Balanced up/down routes; see the header.
#include "sim/topology/routes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::sim {

namespace {

__extension__ using Wide = unsigned __int128;

// Switches from the farthest to the nearest, so that what flows into one is known before it
// forwards.
std::vector<std::uint32_t> farthest_first(const RouteLengths& lengths) {
  std::vector<std::uint32_t> order(lengths.total.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return lengths.total[a] > lengths.total[b];
  });
  return order;
}

}  // namespace

Routes::Routes(const FabricGraph& graph, std::uint32_t paths)
    : graph_(&graph), net_(graph), height_(choose_heights(net_)), tables_(graph, paths) {
  find_endpoints();
  fill_tables();
  find_levels();
}

Routes::Routes(const FabricGraph& graph, ForwardingTables tables)
    : graph_(&graph), net_(graph), height_(choose_heights(net_)), tables_(std::move(tables)) {
  find_endpoints();
  find_levels();
}

void Routes::find_endpoints() {
  for (std::uint32_t h = 0; h < graph_->host_count(); ++h) {
    Endpoint endpoint;
    endpoint.link = graph_->endpoint_link(NodeId{h});
    if (endpoint.link != kNone) {
      const Link& link = graph_->links()[endpoint.link];
      const Device& first = graph_->device(link.ends[0].device);
      const bool is_first = first.kind == DeviceKind::adapter && first.host == NodeId{h};
      endpoint.adapter = link.ends[is_first ? 0 : 1].device;
      endpoint.peer = link.ends[is_first ? 1 : 0].device;
    }
    endpoints_.push_back(endpoint);
  }
}

std::uint32_t Routes::switch_of(NodeId node) const {
  const std::uint32_t peer = endpoints_[node.value].peer;
  return peer != kNone && net_.index_of_device[peer] != kNone ? peer : kNone;
}

void Routes::fill_tables() {
  load_.assign(graph_->links().size(), {});
  struct Target {
    RouteLengths lengths;
    std::vector<std::uint32_t> farthest;
  };
  std::map<std::uint32_t, Target> targets;  // by switch; hosts of one switch share it
  for (std::uint32_t h = 0; h < graph_->host_count(); ++h) {
    const std::uint32_t device = switch_of(NodeId{h});
    if (device == kNone) continue;
    const std::uint32_t s = net_.index_of_device[device];
    auto found = targets.find(s);
    if (found == targets.end()) {
      RouteLengths lengths = route_lengths(net_, height_, s);
      std::vector<std::uint32_t> farthest = farthest_first(lengths);
      found = targets.emplace(s, Target{std::move(lengths), std::move(farthest)}).first;
    }
    used_peers_.assign(net_.device.size(), {});
    for (std::uint32_t path = 0; path < tables_.paths(); ++path) {
      route_to(NodeId{h}, path, found->second.lengths, found->second.farthest);
    }
  }
  load_ = {};
  used_peers_ = {};
}

void Routes::route_to(NodeId to, std::uint32_t path, const RouteLengths& lengths,
                      const std::vector<std::uint32_t>& farthest) {
  const Endpoint& target = endpoints_[to.value];
  const auto& ends = graph_->links()[target.link].ends;
  const LinkEnd& last = ends[0].device == target.peer ? ends[0] : ends[1];
  tables_.set_port(last.device, to, path, static_cast<std::uint16_t>(last.port));
  // Hosts whose route to the destination crosses each switch.
  std::vector<std::uint64_t> flow(net_.hosts.begin(), net_.hosts.end());
  for (const std::uint32_t s : farthest) {
    if (lengths.total[s] == kFar || lengths.total[s] == 0) continue;
    const std::uint32_t chosen = choose_port(s, lengths, flow[s]);
    const SwitchPort& port = net_.ports[s][chosen];
    tables_.set_port(net_.device[s], to, path, static_cast<std::uint16_t>(port.port));
    if (flow[s] > 0) used_peers_[s].push_back(port.peer);
    flow[port.peer] += flow[s];
  }
}

std::uint32_t Routes::choose_port(std::uint32_t s, const RouteLengths& lengths,
                                  std::uint64_t flow) {
  const std::uint32_t device = net_.device[s];
  std::optional<std::uint32_t> best;
  Load* best_load = nullptr;
  Wide best_rate = 0;
  bool best_used = false;
  for (std::uint32_t i = 0; i < net_.ports[s].size(); ++i) {
    const SwitchPort& port = net_.ports[s][i];
    if (!lengths.allows(s, port.peer, height_)) continue;
    const Link& link = graph_->links()[port.link];
    Load& load = load_[port.link][link.ends[0].device == device ? 0 : 1];
    const Wide rate = static_cast<Wide>(link.bits_per_second);
    const bool used =
        std::find(used_peers_[s].begin(), used_peers_[s].end(), port.peer) != used_peers_[s].end();
    if (best && used != best_used) {
      if (used) continue;
    } else if (best) {
      // Routes per rate, after this destination is added; without division.
      const Wide mine = (load.routes + flow) * best_rate;
      const Wide its = (best_load->routes + flow) * rate;
      const bool better = mine != its ? mine < its : load.destinations < best_load->destinations;
      if (!better) continue;
    }
    best = i;
    best_load = &load;
    best_rate = rate;
    best_used = used;
  }
  HOLDFAST_ASSERT(best.has_value());
  best_load->routes += flow;
  ++best_load->destinations;
  return *best;
}

void Routes::find_levels() {
  levels_.assign(graph_->devices().size(), 0);
  std::vector<std::uint32_t> lowest_first(net_.device.size());
  for (std::uint32_t s = 0; s < height_.size(); ++s) lowest_first[height_[s]] = s;
  for (const std::uint32_t s : lowest_first) {
    std::uint32_t level = 1;
    for (const SwitchPort& port : net_.ports[s]) {
      if (height_[port.peer] > height_[s]) continue;
      level = std::max(level, levels_[net_.device[port.peer]] + 1);
    }
    levels_[net_.device[s]] = level;
  }
}

}  // namespace holdfast::sim
