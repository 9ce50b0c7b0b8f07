// Tables around dead parts; see the header.
#include "sim/topology/written_routing.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace holdfast::sim {

namespace {

// What is left of the switches' net when dead parts are taken away.
SwitchNet living_net(const SwitchNet& net, const DeadParts& dead) {
  SwitchNet living = net;
  for (std::uint32_t s = 0; s < net.ports.size(); ++s) {
    std::erase_if(living.ports[s], [&](const SwitchPort& port) {
      return dead.device(net.device[s]) || dead.device(net.device[port.peer]) ||
             dead.link(port.link);
    });
  }
  return living;
}

class Rerouting {
 public:
  Rerouting(const Wiring& wiring, const Routes& routes, const DeadParts& dead)
      : wiring_(wiring),
        routes_(routes),
        dead_(dead),
        net_(living_net(routes.net(), dead)),
        tables_(routes.tables()) {
    for (std::uint32_t s = 0; s < net_.device.size(); ++s) {
      destinations_.emplace_back(wiring.ports(net_.device[s]) + 1, 0u);
    }
  }

  std::unique_ptr<const Forwarding> run() {
    std::vector<std::pair<NodeId, std::uint32_t>> broken;  // host, path
    for (std::uint32_t h = 0; h < wiring_.hosts(); ++h) {
      const std::uint32_t target = living_target(NodeId{h});
      for (std::uint32_t path = 0; path < tables_.paths(); ++path) {
        if (target == kNone || is_broken(NodeId{h}, path)) {
          broken.emplace_back(NodeId{h}, path);
        } else {
          count(NodeId{h}, path);
        }
      }
    }
    for (const auto& [host, path] : broken) reroute(host, path);
    return std::make_unique<ForwardingTables>(std::move(tables_));
  }

 private:
  // The switch of the host's endpoint, by index; kNone if its adapter, link or switch is dead.
  std::uint32_t living_target(NodeId host) const {
    const LinkEnd endpoint = wiring_.endpoint(host);
    if (endpoint.device == kNone || dead_.device(endpoint.device)) return kNone;
    if (!dead_.passes(wiring_, endpoint)) return kNone;
    return net_.index_of_device[wiring_.far_end(endpoint).device];
  }

  bool is_broken(NodeId host, std::uint32_t path) const {
    return std::any_of(net_.device.begin(), net_.device.end(), [&](std::uint32_t device) {
      const std::uint16_t port = tables_.port(device, host, path);
      return port != 0 && !dead_.device(device) && !dead_.passes(wiring_, {device, port});
    });
  }

  void count(NodeId host, std::uint32_t path) {
    for (std::uint32_t s = 0; s < net_.device.size(); ++s) {
      ++destinations_[s][tables_.port(net_.device[s], host, path)];
    }
  }

  void reroute(NodeId host, std::uint32_t path) {
    const std::uint32_t target = living_target(host);
    if (target == kNone) {
      for (const std::uint32_t device : net_.device) tables_.set_port(device, host, path, 0);
      return;
    }
    auto lengths = lengths_.find(target);
    if (lengths == lengths_.end()) {
      lengths = lengths_.emplace(target, route_lengths(net_, routes_.heights(), target)).first;
    }
    for (std::uint32_t s = 0; s < net_.device.size(); ++s) {
      const std::uint16_t port =
          s == target ? last_port(host) : choose(s, host, path, lengths->second);
      tables_.set_port(net_.device[s], host, path, port);
      ++destinations_[s][port];
    }
  }

  std::uint16_t last_port(NodeId host) const {
    return static_cast<std::uint16_t>(wiring_.far_end(wiring_.endpoint(host)).port);
  }

  // The old port if it is still allowed, else the one with the fewest destinations.
  std::uint16_t choose(std::uint32_t s, NodeId host, std::uint32_t path,
                       const RouteLengths& lengths) const {
    const std::uint16_t old = tables_.port(net_.device[s], host, path);
    std::uint32_t best = 0;
    for (const SwitchPort& port : net_.ports[s]) {
      if (!lengths.allows(s, port.peer, routes_.heights())) continue;
      if (port.port == old) return old;
      if (best == 0 || destinations_[s][port.port] < destinations_[s][best]) best = port.port;
    }
    return static_cast<std::uint16_t>(best);
  }

  const Wiring& wiring_;
  const Routes& routes_;
  const DeadParts& dead_;
  const SwitchNet net_;
  ForwardingTables tables_;
  std::vector<std::vector<std::uint32_t>> destinations_;  // by switch and port
  std::map<std::uint32_t, RouteLengths> lengths_;         // by target
};

}  // namespace

std::unique_ptr<const Forwarding> WrittenRouting::tables_around(const DeadParts& dead) const {
  return Rerouting(wiring_, routes_, dead).run();
}

}  // namespace holdfast::sim
