// How high each switch stands; the header has the rules.
#include "sim/topology/tree_levels.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::sim {

namespace {

// Each round makes at least one more cable right; a tree with some faults takes two or three.
constexpr int kRoundsMax = 16;

class Levels {
 public:
  explicit Levels(const FabricGraph& graph) : peers_(graph.devices().size()) {
    hosts_.assign(peers_.size(), 0);
    result_.of_device.assign(peers_.size(), 0);
    for (const Link& link : graph.links()) {
      const std::uint32_t a = link.ends[0].device;
      const std::uint32_t b = link.ends[1].device;
      const auto is = [&](std::uint32_t d, DeviceKind kind) {
        return graph.device(d).kind == kind;
      };
      if (is(a, DeviceKind::switch_chip) && is(b, DeviceKind::switch_chip)) {
        peers_[a].push_back(b);
        peers_[b].push_back(a);
        ++result_.switch_links;
      } else {
        if (is(b, DeviceKind::adapter)) ++hosts_[a];
        if (is(a, DeviceKind::adapter)) ++hosts_[b];
      }
    }
    for (std::uint32_t d = 0; d < peers_.size(); ++d) {
      if (graph.device(d).kind == DeviceKind::switch_chip) switches_.push_back(d);
    }
  }

  TreeLevels find() {
    start();
    for (int round = 0; round < kRoundsMax && improve(); ++round) {
    }
    sink_leaves();
    for (const std::uint32_t s : switches_) {
      result_.top = std::max(result_.top, level(s));
      for (const std::uint32_t peer : peers_[s]) {
        if (peer > s && !one_apart(level(s), level(peer))) ++result_.misfits;
      }
    }
    return std::move(result_);
  }

 private:
  std::uint32_t& level(std::uint32_t device) { return result_.of_device[device]; }
  static bool one_apart(std::uint32_t a, std::uint32_t b) { return a + 1 == b || b + 1 == a; }

  // Distance from the switches with at least half as many hosts as the one with the most; then the
  // same for what no cable joins to these.
  void start() {
    while (true) {
      std::uint32_t most = 0;
      for (const std::uint32_t s : switches_) {
        if (level(s) == 0) most = std::max(most, hosts_[s]);
      }
      if (most == 0) return;
      std::vector<std::uint32_t> queue;
      for (const std::uint32_t s : switches_) {
        if (level(s) > 0 || 2 * hosts_[s] < most) continue;
        level(s) = 1;
        queue.push_back(s);
      }
      for (std::size_t i = 0; i < queue.size(); ++i) {
        for (const std::uint32_t peer : peers_[queue[i]]) {
          if (level(peer) != 0) continue;
          level(peer) = level(queue[i]) + 1;
          queue.push_back(peer);
        }
      }
    }
  }

  bool improve() {
    bool changed = false;
    std::map<std::uint32_t, std::uint32_t>
        right;  // cables, by the level that the switch would have
    for (const std::uint32_t s : switches_) {
      if (level(s) == 0) continue;
      right.clear();
      right[1] = hosts_[s];
      for (const std::uint32_t peer : peers_[s]) {
        ++right[level(peer) + 1];
        if (level(peer) > 1) ++right[level(peer) - 1];
      }
      std::uint32_t best = level(s);
      for (const auto& [other, cables] : right) {
        // Of equally good ones the higher: spines have as many cables to the level below as a leaf
        // without hosts has to the one above.
        if (cables > right[level(s)] && cables >= right[best]) best = other;
      }
      changed = changed || best != level(s);
      level(s) = best;
    }
    return changed;
  }

  void sink_leaves() {
    for (const std::uint32_t s : switches_) {
      if (level(s) < 3 || hosts_[s] > 0) continue;
      const std::set<std::uint32_t> below(peers_[s].begin(), peers_[s].end());
      if (std::any_of(below.begin(), below.end(),
                      [&](std::uint32_t peer) { return level(peer) + 1 != level(s); }))
        continue;
      std::map<std::uint32_t, std::uint32_t> shared;  // neighbours, by the switch that has them too
      for (const std::uint32_t peer : below) {
        const std::set<std::uint32_t> theirs(peers_[peer].begin(), peers_[peer].end());
        for (const std::uint32_t other : theirs) ++shared[other];
      }
      std::uint32_t with_lower = 0;
      std::uint32_t with_equal = 0;
      std::uint32_t alike = 0;  // switches two levels down with most of its neighbours
      for (const auto& [other, count] : shared) {
        if (other == s) continue;
        const bool lower = level(other) + 2 == level(s);
        std::uint32_t& most = lower ? with_lower : with_equal;
        most = std::max(most, count);
        alike += lower && 2 * count > below.size();
      }
      // A single one may be a leaf whose cables were swapped with those of another group.
      if (alike > 1 && with_lower >= with_equal && (below.size() > 1 || with_equal == 0))
        level(s) -= 2;
    }
  }

  std::vector<std::vector<std::uint32_t>> peers_;  // switches, once for each cable
  std::vector<std::uint32_t> hosts_;               // cables of adapters
  std::vector<std::uint32_t> switches_;
  TreeLevels result_;
};

}  // namespace

TreeLevels tree_levels(const FabricGraph& graph) {
  return Levels(graph).find();
}

}  // namespace holdfast::sim
