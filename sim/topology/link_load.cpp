// Counting routes on links; see the header.
#include "sim/topology/link_load.hpp"

#include <algorithm>
#include <vector>

namespace holdfast::sim {

namespace {

// Counts for one destination after the other: hosts send into their switches, and each switch
// passes on what has come together in it.
class TableLoads {
 public:
  TableLoads(const FabricGraph& graph, const Routes& routes)
      : graph_(graph), routes_(routes), net_(routes.net()) {
    load_.assign(graph.links().size(), {0, 0});
  }

  LinkLoads run() {
    for (std::uint32_t h = 0; h < graph_.host_count(); ++h) {
      for (std::uint32_t path = 0; path < routes_.tables().paths(); ++path) add(NodeId{h}, path);
    }
    LinkLoads loads;
    for (std::uint32_t i = 0; i < graph_.links().size(); ++i) {
      const Link& link = graph_.links()[i];
      for (const std::uint32_t from : {0u, 1u}) {
        const std::uint32_t levels[] = {routes_.levels()[link.ends[from].device],
                                        routes_.levels()[link.ends[1 - from].device]};
        if (levels[0] == 0 || levels[1] == 0) continue;
        LinkLoad& load = loads[{levels[0], levels[1]}];
        ++load.links;
        load.routes += load_[i][from];
        load.most = std::max(load.most, load_[i][from]);
      }
    }
    return loads;
  }

 private:
  void add(NodeId to, std::uint32_t path) {
    const std::uint32_t target = routes_.switch_of(to);
    if (target == kNone) return;
    // How many switches send into each; one into which none does any more is done.
    std::vector<std::uint32_t> inputs(net_.device.size(), 0);
    std::vector<std::uint64_t> flow(net_.hosts.begin(), net_.hosts.end());
    for (std::uint32_t s = 0; s < net_.device.size(); ++s) {
      if (const std::uint32_t next = next_of(s, to, path, target); next != kNone) ++inputs[next];
    }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t s = 0; s < net_.device.size(); ++s) {
      if (inputs[s] == 0) ready.push_back(s);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const std::uint32_t s = ready[i];
      const std::uint32_t next = next_of(s, to, path, target);
      if (next == kNone) continue;
      const std::uint32_t device = net_.device[s];
      const std::uint32_t link =
          graph_.device(device).ports[routes_.tables().port(device, to, path)].link;
      load_[link][graph_.links()[link].ends[0].device == device ? 0 : 1] += flow[s];
      flow[next] += flow[s];
      if (--inputs[next] == 0) ready.push_back(next);
    }
  }

  // The switch that `s` sends to; kNone: it is the last one, or has no way.
  std::uint32_t next_of(std::uint32_t s, NodeId to, std::uint32_t path,
                        std::uint32_t target) const {
    const std::uint32_t device = net_.device[s];
    const std::uint16_t port = routes_.tables().port(device, to, path);
    if (device == target || port == 0) return kNone;
    const std::uint32_t link = graph_.device(device).ports[port].link;
    return net_.index_of_device[graph_.links()[link].end_away_from(device).device];
  }

  const FabricGraph& graph_;
  const Routes& routes_;
  const SwitchNet& net_;
  std::vector<std::array<std::uint64_t, 2>> load_;  // from ends[0], from ends[1]
};

}  // namespace

LinkLoads link_loads(const FabricGraph& graph, const Routes& routes) {
  return TableLoads(graph, routes).run();
}

// A host's packets from one subtree of level l all meet in one switch of it, the one whose digits
// are the host's ways up below l, and leave by one of its ways up. So the links that lead out of a
// subtree have as many routes each as (hosts elsewhere that have these digits and this way) times
// (hosts of the subtree), and the same links downwards (hosts of the subtree that have them) times
// (hosts elsewhere).
LinkLoads link_loads(const DmodkForwarding& forwarding) {
  const Pgft& tree = forwarding.tree();
  LinkLoads loads;
  std::uint32_t below = 1;   // hosts of a subtree
  std::uint32_t digits = 1;  // its switches of this level that are used, w_2 * ... * w_l
  for (std::uint32_t level = 1; level < tree.levels(); ++level) {
    below *= tree.down(level);
    if (level > 1) digits *= tree.up(level);
    const std::uint32_t ways = forwarding.ways_up(level);
    // Which of the subtree's digits * ways links out of it leads towards the host.
    const auto link_of = [&](std::uint32_t host, std::uint32_t path) {
      std::uint32_t at = 0;
      for (std::uint32_t i = level; i > 1; --i) {
        at = at * tree.up(i) + forwarding.way_up(i - 1, NodeId{host}, path) % tree.up(i);
      }
      return at * ways + forwarding.way_up(level, NodeId{host}, path);
    };
    std::vector<std::uint64_t> all(std::size_t{digits} * ways, 0);
    for (std::uint32_t h = 0; h < tree.host_count(); ++h) {
      for (std::uint32_t path = 0; path < forwarding.paths(); ++path) ++all[link_of(h, path)];
    }
    LinkLoad& up = loads[{level, level + 1}];
    LinkLoad& down = loads[{level + 1, level}];
    up.links = down.links = tree.links(level + 1);
    for (std::uint32_t first = 0; first < tree.host_count(); first += below) {
      std::vector<std::uint64_t> inside(all.size(), 0);
      for (std::uint32_t h = first; h < first + below; ++h) {
        for (std::uint32_t path = 0; path < forwarding.paths(); ++path) ++inside[link_of(h, path)];
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::uint64_t out = (all[i] - inside[i]) * below;
        const std::uint64_t in = inside[i] * (tree.host_count() - below);
        up.routes += out;
        up.most = std::max(up.most, out);
        down.routes += in;
        down.most = std::max(down.most, in);
      }
    }
  }
  return loads;
}

std::string describe(const LinkLoads& loads) {
  std::string text;
  for (const auto& [levels, load] : loads) {
    const std::uint64_t tenths = (load.routes * 10 + load.links / 2) / load.links;
    text += text.empty() ? "level " : "; level ";
    text += std::to_string(levels.first) + " to " + std::to_string(levels.second) + ": most " +
            std::to_string(load.most) + ", mean " + std::to_string(tenths / 10) + "." +
            std::to_string(tenths % 10);
  }
  return text;
}

}  // namespace holdfast::sim
