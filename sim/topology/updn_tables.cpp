// Up/down tables balanced by each switch for itself; see the header.
#include "sim/topology/updn_tables.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "sim/topology/switch_order.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {

namespace {

// A host whose endpoint is cabled to a switch.
struct Destination {
  NodeId host;
  std::uint16_t port;  // of the switch
};

// A switch that hosts hang on.
struct Target {
  std::uint32_t index;
  std::vector<Destination> destinations;
  RouteLengths lengths;
};

class Balancing {
 public:
  Balancing(const FabricGraph& graph, std::uint32_t paths)
      : graph_(graph), net_(graph), heights_(choose_heights(net_)), tables_(graph, paths) {
    for (const std::vector<SwitchPort>& ports : net_.ports) addresses_.emplace_back(ports.size());
  }

  // First one address of every host, then the next.
  ForwardingTables run() {
    std::vector<Target> targets;
    for (const std::uint32_t s : switches_in_order()) {
      std::vector<Destination> destinations = destinations_on(s);
      if (destinations.empty()) continue;
      targets.push_back({s, std::move(destinations), route_lengths(net_, heights_, s)});
    }
    for (std::uint32_t path = 0; path < tables_.paths(); ++path) {
      for (const Target& target : targets) {
        for (const Destination& to : target.destinations) {
          tables_.set_port(net_.device[target.index], to.host, path, to.port);
          for (std::uint32_t s = 0; s < net_.device.size(); ++s) {
            const std::uint32_t length = target.lengths.total[s];
            if (length != kFar && length != 0) route(s, to.host, path, target.lengths);
          }
        }
      }
    }
    return std::move(tables_);
  }

 private:
  // The adapter that a port of a switch leads to; kNone: none.
  std::uint32_t adapter_at(std::uint32_t device, std::uint32_t port) const {
    const std::uint32_t link = graph_.device(device).ports[port].link;
    if (link == kNone) return kNone;
    const std::uint32_t far = graph_.links()[link].end_away_from(device).device;
    return graph_.device(far).kind == DeviceKind::adapter ? far : kNone;
  }

  std::uint32_t adapters_on(std::uint32_t device) const {
    std::uint32_t count = 0;
    for (std::uint32_t port = 1; port < graph_.device(device).ports.size(); ++port) {
      if (adapter_at(device, port) != kNone) ++count;
    }
    return count;
  }

  // All switches, those with the most adapters first, then by GUID.
  std::vector<std::uint32_t> switches_in_order() const {
    std::vector<std::uint32_t> adapters;
    for (const std::uint32_t device : net_.device) adapters.push_back(adapters_on(device));
    std::vector<std::uint32_t> order(net_.device.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return adapters[a] != adapters[b]
                 ? adapters[a] > adapters[b]
                 : graph_.device(net_.device[a]).guid < graph_.device(net_.device[b]).guid;
    });
    return order;
  }

  std::vector<Destination> destinations_on(std::uint32_t target) const {
    std::vector<Destination> destinations;
    const std::uint32_t device = net_.device[target];
    for (std::uint32_t port = 1; port < graph_.device(device).ports.size(); ++port) {
      const std::uint32_t adapter = adapter_at(device, port);
      if (adapter == kNone) continue;
      const NodeId host = graph_.device(adapter).host;
      // An adapter that carries no traffic has no addresses here.
      if (graph_.endpoint_link(host) != graph_.device(device).ports[port].link) continue;
      destinations.push_back({host, static_cast<std::uint16_t>(port)});
    }
    return destinations;
  }

  // An address of the host at switch `s`, which is not the one that it hangs on.
  void route(std::uint32_t s, NodeId to, std::uint32_t path, const RouteLengths& lengths) {
    const std::uint32_t device = net_.device[s];
    used_.clear();
    for (std::uint32_t earlier = 0; earlier < path; ++earlier) {
      const std::uint32_t link =
          graph_.device(device).ports[tables_.port(device, to, earlier)].link;
      used_.push_back(net_.index_of_device[graph_.links()[link].end_away_from(device).device]);
    }
    const std::uint32_t last = path == 0 ? 0 : tables_.port(device, to, path - 1);
    const std::uint32_t chosen = choose(s, lengths, last);
    tables_.set_port(device, to, path, static_cast<std::uint16_t>(net_.ports[s][chosen].port));
    ++addresses_[s][chosen];
  }

  // Looks at the ports from that after `last` on, round to it, and takes the first of the best.
  std::uint32_t choose(std::uint32_t s, const RouteLengths& lengths, std::uint32_t last) const {
    const std::vector<SwitchPort>& ports = net_.ports[s];
    const auto first = std::find_if(ports.begin(), ports.end(),
                                    [last](const SwitchPort& port) { return port.port > last; });
    const auto start = static_cast<std::uint32_t>(first - ports.begin());
    const auto count = static_cast<std::uint32_t>(ports.size());
    std::uint32_t best = kNone;
    std::tuple<bool, std::uint64_t, std::ptrdiff_t> best_rank;
    for (std::uint32_t step = 0; step < count; ++step) {
      const std::uint32_t i = (start + step) % count;
      const std::uint32_t peer = ports[i].peer;
      if (!lengths.allows(s, peer, heights_)) continue;
      const std::ptrdiff_t uses = std::count(used_.begin(), used_.end(), peer);
      const std::tuple rank{uses > 0, addresses_[s][i], uses};
      if (best != kNone && rank >= best_rank) continue;
      best = i;
      best_rank = rank;
    }
    HOLDFAST_ASSERT(best != kNone);
    return best;
  }

  const FabricGraph& graph_;
  const SwitchNet net_;
  const std::vector<std::uint32_t> heights_;
  ForwardingTables tables_;
  std::vector<std::vector<std::uint64_t>> addresses_;  // by switch and index of its port
  std::vector<std::uint32_t> used_;  // of one choice: neighbours, once for each earlier address
};

}  // namespace

ForwardingTables updn_tables(const FabricGraph& graph, std::uint32_t paths) {
  return Balancing(graph, paths).run();
}

}  // namespace holdfast::sim
