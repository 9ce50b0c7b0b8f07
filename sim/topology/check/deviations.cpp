// Missing and extra cables; see the header.
#include "sim/topology/check/deviations.hpp"

#include <algorithm>
#include <set>

namespace holdfast::sim {

namespace {

using Votes = std::map<LinkEnd, std::uint32_t, bool (*)(const LinkEnd&, const LinkEnd&)>;

bool before(const LinkEnd& a, const LinkEnd& b) {
  return std::pair(a.device, a.port) < std::pair(b.device, b.port);
}

class Finder {
 public:
  explicit Finder(const Pattern& pattern) : pattern_(pattern), graph_(pattern.graph()) {}

  Deviations find() {
    for (std::uint32_t level = 0; level < pattern_.levels().top; ++level) {
      for (const Group& group : pattern_.groups(level)) compare(group, level == 0);
    }
    for (std::uint32_t link = 0; link < graph_.links().size(); ++link) {
      if (is_stray(link)) extra_.insert(link);
    }
    find_ports();
    return {std::move(missing_), {extra_.begin(), extra_.end()}};
  }

 private:
  void compare(const Group& group, bool of_hosts) {
    for (const std::uint32_t lower : group.lowers) {
      const std::size_t before_it = missing_.size();
      for (std::size_t u = 0; u < group.uppers.size(); ++u) {
        const std::size_t count = pattern_.cables(lower, group.uppers[u]).size();
        for (std::size_t i = count; i < group.expected[u]; ++i)
          missing_.push_back({lower, group.uppers[u], {}, {}});
      }
      const bool lacks = missing_.size() > before_it;
      if (of_hosts && !lacks) continue;
      for (std::size_t u = 0; u < group.uppers.size(); ++u) add_surplus(group, lower, u);
      for (const std::uint32_t upper : pattern_.neighbours(lower, true)) {
        if (pattern_.group_below(upper) == pattern_.group_above(lower)) continue;
        const auto& links = pattern_.cables(lower, upper);
        extra_.insert(links.begin(), links.end());
      }
    }
    if (group.sum_of_lower > 0 && group.sum_of_upper > 0) compare_sums(group);
  }

  // Where some pairs have one cable more than others, it is the sums that say whether one is
  // missing: between a lower and an upper node that both lack one.
  void compare_sums(const Group& group) {
    std::map<std::uint32_t, std::uint32_t> has;  // or has been found missing, by node
    const auto lacks = [&](std::uint32_t node, std::uint32_t usual) { return has[node] < usual; };
    for (std::size_t u = 0; u < group.uppers.size(); ++u) {
      for (const std::uint32_t lower : group.lowers) {
        const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(
            pattern_.cables(lower, group.uppers[u]).size(), group.expected[u]));
        has[lower] += count;
        has[group.uppers[u]] += count;
      }
    }
    for (const std::uint32_t lower : group.lowers) {
      for (std::size_t u = 0; u < group.uppers.size(); ++u) {
        const std::uint32_t upper = group.uppers[u];
        if (!lacks(lower, group.sum_of_lower) || !lacks(upper, group.sum_of_upper) ||
            pattern_.cables(lower, upper).size() > group.expected[u])
          continue;
        missing_.push_back({lower, upper, {}, {}});
        ++has[lower];
        ++has[upper];
      }
    }
  }

  // Of more cables between two nodes than expected: those in ports where no others have them.
  void add_surplus(const Group& group, std::uint32_t lower, std::size_t u) {
    const std::uint32_t upper = group.uppers[u];
    std::vector<std::uint32_t> links = pattern_.cables(lower, upper);
    const std::uint32_t most = group.expected[u] + group.most_more();
    if (group.expected[u] == 0 || links.size() <= most) return;
    const std::vector<LinkEnd> below = ports_of_like(lower, upper, true);
    const std::vector<LinkEnd> above = ports_of_like(lower, upper, false);
    const auto right_ends = [&](std::uint32_t link) {
      return holds(below, pattern_.end_at(link, lower)) +
             holds(above, pattern_.end_at(link, upper));
    };
    std::stable_sort(links.begin(), links.end(), [&](std::uint32_t a, std::uint32_t b) {
      return right_ends(a) > right_ends(b);
    });
    extra_.insert(links.begin() + most, links.end());
  }

  static bool holds(const std::vector<LinkEnd>& ends, const LinkEnd& end) {
    return std::any_of(ends.begin(), ends.end(), [&](const LinkEnd& other) {
      return other.device == end.device && other.port == end.port;
    });
  }

  // A cable between levels that are not neighbours, unless it is all that a host has.
  bool is_stray(std::uint32_t link) const {
    const std::uint32_t a = pattern_.node_of(graph_.links()[link].ends[0].device);
    const std::uint32_t b = pattern_.node_of(graph_.links()[link].ends[1].device);
    if (a == kNone || b == kNone) return false;
    const std::uint32_t low = std::min(pattern_.level_of(a), pattern_.level_of(b));
    const std::uint32_t high = std::max(pattern_.level_of(a), pattern_.level_of(b));
    if (low + 1 == high) return false;
    const std::uint32_t host = graph_.device(a).kind == DeviceKind::adapter ? a : b;
    if (graph_.device(host).kind != DeviceKind::adapter) return true;
    return high > 0 && !pattern_.neighbours(host, true).empty();
  }

  // The ports, at `lower` if `below`, else at `upper`, where most of its like have their cables of
  // this pair. A host's port may be of any of its adapters.
  std::vector<LinkEnd> ports_of_like(std::uint32_t lower, std::uint32_t upper, bool below) const {
    const std::uint32_t level = pattern_.level_of(lower);
    const std::uint32_t its = below ? pattern_.group_above(lower) : pattern_.group_below(upper);
    const Group& group = pattern_.groups(level)[its];
    const std::vector<std::uint32_t>& like = below ? group.lowers : group.uppers;
    const std::uint32_t self = below ? lower : upper;
    Votes votes(before);
    for (const std::uint32_t other : like) {
      if (other == self) continue;
      const auto& links = below ? pattern_.cables(other, upper) : pattern_.cables(lower, other);
      for (const std::uint32_t link : links)
        ++votes[moved_to(self, other, pattern_.end_at(link, other))];
    }
    std::vector<LinkEnd> ports;
    for (const auto& [end, count] : votes) {
      if (2 * count >= like.size() && exists(end)) ports.push_back(end);
    }
    return ports;
  }

  // The port of `self` that has the place that `end` has on `other`.
  LinkEnd moved_to(std::uint32_t self, std::uint32_t other, const LinkEnd& end) const {
    if (graph_.device(self).kind != DeviceKind::adapter) return {self, end.port};
    const auto& theirs = graph_.host(graph_.device(other).host).adapters;
    const auto& ours = graph_.host(graph_.device(self).host).adapters;
    const auto at = static_cast<std::size_t>(std::find(theirs.begin(), theirs.end(), end.device) -
                                             theirs.begin());
    return {at < ours.size() ? ours[at] : kNone, end.port};
  }

  bool exists(const LinkEnd& end) const {
    return end.device != kNone && end.port < graph_.device(end.device).ports.size();
  }

  bool is_free_or_wrong(const LinkEnd& end) const {
    const std::uint32_t link = graph_.device(end.device).ports[end.port].link;
    return link == kNone || extra_.count(link) > 0;
  }

  void find_ports() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken;  // ports of missing cables
    for (MissingCable& cable : missing_) {
      for (const bool below : {true, false}) {
        const std::uint32_t node = below ? cable.lower : cable.upper;
        std::vector<LinkEnd> free;
        for (const LinkEnd& end : ports_of_like(cable.lower, cable.upper, below)) {
          if (is_free_or_wrong(end) && taken.count({end.device, end.port}) == 0)
            free.push_back(end);
        }
        if (free.empty()) {
          free = usual_ports(node, below);
          std::erase_if(free, [&](const LinkEnd& end) {
            return taken.count({end.device, end.port}) > 0;
          });
          if (free.size() > 1) free.clear();
        }
        LinkEnd& port = below ? cable.lower_port : cable.upper_port;
        port = free.empty() ? LinkEnd{node, 0} : free.front();
        if (!free.empty()) taken.insert({port.device, port.port});
      }
    }
  }

  // Those that are usual on this level and free or wrongly used here.
  std::vector<LinkEnd> usual_ports(std::uint32_t node, bool up) const {
    std::vector<LinkEnd> free;
    if (graph_.device(node).kind == DeviceKind::adapter) {
      for (const std::uint32_t adapter : graph_.host(graph_.device(node).host).adapters) {
        for (std::uint32_t p = 1; p < graph_.device(adapter).ports.size(); ++p) {
          if (is_free_or_wrong({adapter, p})) free.push_back({adapter, p});
        }
      }
      return free;
    }
    for (std::uint32_t p = 1; p < graph_.device(node).ports.size(); ++p) {
      if (pattern_.is_usual(pattern_.level_of(node), p, up) && is_free_or_wrong({node, p}))
        free.push_back({node, p});
    }
    return free;
  }

  const Pattern& pattern_;
  const FabricGraph& graph_;
  std::vector<MissingCable> missing_;
  std::set<std::uint32_t> extra_;
};

}  // namespace

Deviations find_deviations(const Pattern& pattern) {
  return Finder(pattern).find();
}

}  // namespace holdfast::sim
