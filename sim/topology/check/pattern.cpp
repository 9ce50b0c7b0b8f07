// The pattern of a fat tree; see the header.
#include "sim/topology/check/pattern.hpp"

#include <algorithm>
#include <numeric>

namespace holdfast::sim {

namespace {

// Below this a group is too small to have a rule of its own.
constexpr std::size_t kCellsOfRule = 4;
constexpr std::size_t kLowersOfRule = 3;
// A cable in the wrong place can change the sums of two nodes; of so many they are not most.
constexpr std::size_t kLowersOfRound = 5;

using Histogram = std::map<std::uint32_t, std::uint64_t>;

// The most common value, if more than `numerator` of `denominator` have it; of equals the greater.
// 0: none.
std::uint32_t mode(const Histogram& counts, std::uint64_t numerator, std::uint64_t denominator) {
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  std::uint32_t value = 0;
  for (const auto& [candidate, count] : counts) {
    all += count;
    if (count < most) continue;
    most = count;
    value = candidate;
  }
  return most * denominator > all * numerator ? value : 0;
}

// What each would have if all had the same; 0 if that is no whole number.
std::uint32_t even_share(const Histogram& counts) {
  std::uint64_t all = 0;
  std::uint64_t sum = 0;
  for (const auto& [value, count] : counts) {
    all += count;
    sum += value * count;
  }
  return all > 0 && sum % all == 0 ? static_cast<std::uint32_t>(sum / all) : 0;
}

}  // namespace

Pattern::Pattern(const FabricGraph& graph) : graph_(graph), levels_(tree_levels(graph)) {
  const std::size_t devices = graph.devices().size();
  for (std::uint32_t d = 0; d < devices; ++d) {
    const Device& device = graph.device(d);
    const bool adapter = device.kind == DeviceKind::adapter;
    const std::uint32_t node = adapter ? graph.host(device.host).adapters.front() : d;
    node_.push_back(device.kind == DeviceKind::router ? kNone : node);
    if (node_.back() == d) nodes_.push_back(d);
  }
  std::stable_sort(nodes_.begin(), nodes_.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return level_of(a) < level_of(b); });
  ups_.resize(devices);
  downs_.resize(devices);
  above_.assign(devices, kNone);
  below_.assign(devices, kNone);
  usual_.resize(levels_.top + 1);
  groups_.resize(levels_.top + 1);
  find_cables();
  count_usual();
  for (std::uint32_t level = 0; level < levels_.top; ++level) {
    find_groups(level);
    settle(level);
    expect_cables(level);
  }
}

void Pattern::find_cables() {
  for (std::uint32_t i = 0; i < graph_.links().size(); ++i) {
    std::uint32_t a = node_of(graph_.links()[i].ends[0].device);
    std::uint32_t b = node_of(graph_.links()[i].ends[1].device);
    if (a == kNone || b == kNone) continue;
    if (level_of(a) > level_of(b)) std::swap(a, b);
    if (level_of(a) + 1 != level_of(b)) continue;
    // A switch of level 0 hangs together with no host.
    if (level_of(a) == 0 && graph_.device(a).kind != DeviceKind::adapter) continue;
    std::vector<std::uint32_t>& pair = cables_[{a, b}];
    if (pair.empty()) {
      ups_[a].push_back(b);
      downs_[b].push_back(a);
    }
    pair.push_back(i);
  }
  for (auto* all : {&ups_, &downs_}) {
    for (auto& neighbours : *all) std::sort(neighbours.begin(), neighbours.end());
  }
}

void Pattern::count_usual() {
  for (const std::uint32_t node : nodes_) {
    if (graph_.device(node).kind != DeviceKind::switch_chip) continue;
    Usual& usual = usual_[level_of(node)];
    ++usual.switches;
    usual.with_up += !ups_[node].empty();
    usual.with_down += !downs_[node].empty();
    const std::vector<Port>& ports = graph_.device(node).ports;
    for (std::uint32_t p = 1; p < ports.size(); ++p) {
      if (ports[p].link == kNone) continue;
      const std::uint32_t far = node_of(graph_.links()[ports[p].link].end_away_from(node).device);
      if (far == kNone) continue;
      const bool up = level_of(far) == level_of(node) + 1;
      if (!up && level_of(far) + 1 != level_of(node)) continue;
      std::vector<std::uint32_t>& of_port = up ? usual.up : usual.down;
      if (of_port.size() <= p) of_port.resize(p + std::size_t{1}, 0);
      ++of_port[p];
    }
  }
}

// Nodes with equal neighbours, the most common set of neighbours first, each to the group that has
// at least half of its neighbours, or else to a new one.
void Pattern::find_groups(std::uint32_t level) {
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> alike;
  for (const std::uint32_t node : nodes_) {
    if (level_of(node) == level && !ups_[node].empty()) alike[ups_[node]].push_back(node);
  }
  std::vector<const std::pair<const std::vector<std::uint32_t>, std::vector<std::uint32_t>>*> order;
  for (const auto& entry : alike) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.size(), a->first.size()) >
           std::pair(b->second.size(), b->first.size());
  });
  std::vector<Group>& groups = groups_[level];
  for (const auto* entry : order) {
    const auto& [uppers, lowers] = *entry;
    std::map<std::uint32_t, std::uint32_t> shared;
    std::uint32_t best = kNone;
    for (const std::uint32_t upper : uppers) {
      const std::uint32_t group = below_[upper];
      if (group == kNone) continue;
      ++shared[group];
      if (best == kNone || shared[group] > shared[best]) best = group;
    }
    if (best == kNone || 2 * shared[best] < uppers.size()) {
      best = static_cast<std::uint32_t>(groups.size());
      groups.emplace_back();
    }
    for (const std::uint32_t upper : uppers) {
      if (below_[upper] == kNone) below_[upper] = best;
    }
    for (const std::uint32_t lower : lowers) above_[lower] = best;
  }
}

// The first sets may have been unusual ones: each node once more to the group with which it has
// most cables; of equals to the one with more of them in usual ports.
void Pattern::settle(std::uint32_t level) {
  std::vector<Group>& groups = groups_[level];
  for (const bool lower_side : {false, true}) {
    for (const std::uint32_t node : nodes_) {
      if (level_of(node) != (lower_side ? level : level + 1)) continue;
      std::uint32_t& its_group = lower_side ? above_[node] : below_[node];
      if (its_group == kNone) continue;
      std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> with;  // group: cables, usual
      for (const std::uint32_t other : lower_side ? ups_[node] : downs_[node]) {
        const auto& links = lower_side ? cables(node, other) : cables(other, node);
        auto& [all, usual] = with[lower_side ? below_[other] : above_[other]];
        all += links.size();
        for (const std::uint32_t link : links)
          usual += level > 0 && is_usual(level_of(node), end_at(link, node).port, lower_side);
      }
      for (const auto& [group, strength] : with) {
        if (strength > with[its_group]) its_group = group;
      }
    }
  }
  for (const std::uint32_t node : nodes_) {
    if (level_of(node) == level && above_[node] != kNone)
      groups[above_[node]].lowers.push_back(node);
    if (level_of(node) == level + 1 && below_[node] != kNone)
      groups[below_[node]].uppers.push_back(node);
  }
}

// Most pairs of a group say how many cables a pair has; where they do not agree, most pairs between
// these levels; else, for each upper node, most of its lower ones; else, because cables in each
// other's places leave their number as it was, the number that all pairs could have. All this where
// the cables of a lower node can be so many to each upper one; expect_round has the rest.
void Pattern::expect_cables(std::uint32_t level) {
  std::vector<Group>& groups = groups_[level];
  Histogram all;
  std::vector<Histogram> of_group(groups.size());
  std::vector<Histogram> sums(groups.size());  // of the lower nodes
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::uint32_t lower : groups[g].lowers) {
      std::uint32_t sum = 0;
      for (const std::uint32_t upper : groups[g].uppers) {
        const auto count = static_cast<std::uint32_t>(cables(lower, upper).size());
        ++all[count];
        ++of_group[g][count];
        sum += count;
      }
      ++sums[g][sum];
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Group& group = groups[g];
    if (expect_round(group, mode(sums[g], 1, 2))) continue;
    const std::size_t cells = group.lowers.size() * group.uppers.size();
    std::uint32_t rule = cells >= kCellsOfRule ? mode(of_group[g], 2, 3) : 0;
    if (rule == 0) rule = mode(all, 1, 2);
    if (rule == 0) rule = mode(of_group[g], 1, 2);
    group.expected.assign(group.uppers.size(), rule);
    if (rule == 0 && !expect_by_upper(group)) {
      group.expected.assign(group.uppers.size(), even_share(all));
    }
  }
}

// 18 cables to 8 spines are two or three each. Either the same spines have three of every leaf, or
// it goes round, so that all spines have about as many. False if `sum`, the cables that most lower
// nodes have, is no such number, or an upper node has no part in it; 0: they do not agree.
bool Pattern::expect_round(Group& group, std::uint32_t sum) const {
  const auto uppers = static_cast<std::uint32_t>(group.uppers.size());
  if (group.lowers.size() < kLowersOfRound || uppers == 0 || sum < uppers || sum % uppers == 0)
    return false;
  const std::uint32_t least = sum / uppers;
  Histogram of_uppers;
  for (const std::uint32_t upper : group.uppers) {
    std::uint32_t below = 0;
    std::size_t in_turn = 0;
    for (const std::uint32_t lower : group.lowers) {
      const auto count = static_cast<std::uint32_t>(cables(lower, upper).size());
      below += count;
      in_turn += count == least || count == least + 1;
    }
    if (2 * in_turn <= group.lowers.size()) return false;
    ++of_uppers[below];
  }
  group.expected.assign(uppers, least);
  if (expect_by_upper(group) &&
      std::accumulate(group.expected.begin(), group.expected.end(), 0u) == sum)
    return true;
  group.expected.assign(uppers, least);
  group.sum_of_lower = sum;
  group.sum_of_upper = mode(of_uppers, 1, 2);
  return true;
}

// False if it has a node whose cables follow no rule.
bool Pattern::expect_by_upper(Group& group) const {
  for (std::size_t u = 0; u < group.uppers.size(); ++u) {
    Histogram column;
    for (const std::uint32_t lower : group.lowers)
      ++column[static_cast<std::uint32_t>(cables(lower, group.uppers[u]).size())];
    group.expected[u] = mode(column, 1, 2);
  }
  return group.lowers.size() >= kLowersOfRule &&
         std::find(group.expected.begin(), group.expected.end(), 0u) == group.expected.end();
}

const std::vector<std::uint32_t>& Pattern::cables(std::uint32_t lower, std::uint32_t upper) const {
  static const std::vector<std::uint32_t> kNoCables;
  const auto found = cables_.find({lower, upper});
  return found == cables_.end() ? kNoCables : found->second;
}

std::vector<std::uint32_t> Pattern::neighbours(std::uint32_t node, bool up) const {
  return up ? ups_[node] : downs_[node];
}

bool Pattern::is_usual(std::uint32_t level, std::uint32_t port, bool up) const {
  const Usual& usual = usual_[level];
  const std::vector<std::uint32_t>& of_port = up ? usual.up : usual.down;
  return port < of_port.size() && 2 * of_port[port] > usual.switches;
}

bool Pattern::most_have(std::uint32_t level, bool up) const {
  const Usual& usual = usual_[level];
  return 2 * (up ? usual.with_up : usual.with_down) > usual.switches;
}

LinkEnd Pattern::end_at(std::uint32_t link, std::uint32_t node) const {
  const Link& cable = graph_.links()[link];
  return node_of(cable.ends[0].device) == node ? cable.ends[0] : cable.ends[1];
}

LinkEnd Pattern::end_beyond(std::uint32_t link, std::uint32_t node) const {
  const Link& cable = graph_.links()[link];
  return node_of(cable.ends[0].device) == node ? cable.ends[1] : cable.ends[0];
}

}  // namespace holdfast::sim
