// Cables that are missing, moved, crossed or too many.
#include <algorithm>
#include <map>
#include <numeric>

#include "sim/topology/check/explain.hpp"
#include "sim/topology/check/words.hpp"

namespace holdfast::sim {

namespace {

// What hangs together; indices into the deviations.
struct Case {
  std::vector<std::size_t> missing;
  std::vector<std::size_t> extra;
};

class Explainer {
 public:
  Explainer(const Pattern& pattern, const Deviations& deviations)
      : pattern_(pattern),
        graph_(pattern.graph()),
        missing_(deviations.missing),
        extra_(deviations.extra),
        root_(missing_.size() + extra_.size()) {
    std::iota(root_.begin(), root_.end(), std::size_t{0});
  }

  std::vector<Finding> explain() {
    join();
    std::map<std::size_t, Case> cases;
    for (std::size_t i = 0; i < root_.size(); ++i) {
      Case& its = cases[find(i)];
      if (i < missing_.size()) its.missing.push_back(i);
      if (i >= missing_.size()) its.extra.push_back(i - missing_.size());
    }
    std::vector<Finding> findings;
    for (const auto& [root, its] : cases) findings.push_back(explain(its));
    return findings;
  }

 private:
  std::size_t find(std::size_t i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  }

  using Place = std::pair<std::uint32_t, std::uint32_t>;  // device, port

  void join() {
    // A port that holds an extra cable, by node and by port; each serves one missing cable.
    std::map<Place, std::size_t> at_port;
    std::map<std::uint32_t, std::vector<Place>> of_node;
    for (std::size_t e = 0; e < extra_.size(); ++e) {
      for (const LinkEnd& end : graph_.links()[extra_[e]].ends) {
        at_port[{end.device, end.port}] = missing_.size() + e;
        of_node[pattern_.node_of(end.device)].push_back({end.device, end.port});
      }
    }
    for (const bool by_port : {true, false}) {
      for (std::size_t m = 0; m < missing_.size(); ++m) {
        for (const bool below : {true, false}) {
          const LinkEnd& port = below ? missing_[m].lower_port : missing_[m].upper_port;
          if (by_port && port.port != 0) {
            take(at_port, {port.device, port.port}, m);
          } else if (!by_port && port.port == 0) {
            for (const auto& place : of_node[below ? missing_[m].lower : missing_[m].upper]) {
              if (take(at_port, place, m)) break;
            }
          }
        }
      }
    }
    // Parallel cables that miss together are one finding.
    for (std::size_t m = 1; m < missing_.size(); ++m) {
      const bool parallel =
          missing_[m].lower == missing_[m - 1].lower && missing_[m].upper == missing_[m - 1].upper;
      if (parallel) root_[find(m)] = find(m - 1);
    }
  }

  bool take(std::map<Place, std::size_t>& places, const Place& place, std::size_t m) {
    const auto found = places.find(place);
    if (found == places.end()) return false;
    root_[find(m)] = find(found->second);
    places.erase(found);
    return true;
  }

  static std::uint32_t apart(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

  bool joins_hosts(const Case& its) const {
    for (const std::size_t m : its.missing) {
      if (graph_.device(missing_[m].lower).kind == DeviceKind::adapter) return true;
    }
    for (const std::size_t e : its.extra) {
      for (const LinkEnd& end : graph_.links()[extra_[e]].ends) {
        if (graph_.device(end.device).kind == DeviceKind::adapter) return true;
      }
    }
    return false;
  }

  bool joins_neighbours(std::size_t e) const {
    const Link& link = graph_.links()[extra_[e]];
    return apart(pattern_.level_of(pattern_.node_of(link.ends[0].device)),
                 pattern_.level_of(pattern_.node_of(link.ends[1].device))) == 1;
  }

  FindingKind kind_of(const Case& its) const {
    const bool hosts = joins_hosts(its);
    if (its.extra.empty()) return hosts ? FindingKind::one_path : FindingKind::missing_cable;
    if (its.extra.size() > 1 || its.missing.size() > 2) return FindingKind::crossed_cables;
    if (!joins_neighbours(its.extra.front()))
      return hosts ? FindingKind::host_misplaced : FindingKind::wrong_level;
    return its.missing.empty() ? FindingKind::extra_cable : FindingKind::moved_cable;
  }

  Finding explain(const Case& its) {
    Finding finding{kind_of(its), Severity::serious, {}, {}, "", "", ""};
    std::vector<std::string> there;
    std::vector<std::string> wanted;
    for (const std::size_t e : its.extra) {
      const Link& link = graph_.links()[extra_[e]];
      finding.links.push_back(extra_[e]);
      finding.ports.insert(finding.ports.end(), link.ends.begin(), link.ends.end());
      there.push_back(cable_text(graph_, extra_[e]));
    }
    for (const std::size_t m : its.missing) {
      finding.ports.push_back(missing_[m].lower_port);
      finding.ports.push_back(missing_[m].upper_port);
      finding.absent.push_back({missing_[m].lower_port, missing_[m].upper_port});
      wanted.push_back(finding_part(graph_, missing_[m].lower_port) + " to " +
                       finding_part(graph_, missing_[m].upper_port));
    }
    describe(its, list_text(there), list_text(wanted), finding);
    return finding;
  }

  // "each other switch of level 1 of its group has 2 cables to that switch of level 2"
  std::string why(const Case& its) const {
    const MissingCable& cable = missing_[its.missing.front()];
    const std::uint32_t level = pattern_.level_of(cable.lower);
    const Group& group = pattern_.groups(level)[pattern_.group_above(cable.lower)];
    const auto u = static_cast<std::size_t>(
        std::find(group.uppers.begin(), group.uppers.end(), cable.upper) - group.uppers.begin());
    return "in this group of " +
           (level == 0 ? count_text(group.lowers.size(), "host")
                       : std::to_string(group.lowers.size()) + " switches of level " +
                             std::to_string(level)) +
           " and " + std::to_string(group.uppers.size()) + " of level " +
           std::to_string(level + 1) + ", " +
           (group.sum_of_lower == 0
                ? "most pairs have " + count_text(group.expected[u], "cable")
                : "pairs have " + pair_text(group, u) + " cables, most lower switches " +
                      std::to_string(group.sum_of_lower));
  }

  void describe(const Case& its, const std::string& there, const std::string& wanted,
                Finding& finding) const {
    const std::string because = its.missing.empty() ? "" : "; " + why(its);
    switch (finding.kind) {
      case FindingKind::one_path:
        finding.what = "a host has fewer cables than its like: nothing joins " + wanted;
        finding.expected = wanted + because;
        finding.remedy = "look at cable, adapter and port: one more failure cuts the host off";
        break;
      case FindingKind::missing_cable:
        finding.severity = Severity::degraded;
        finding.what = count_text(its.missing.size(), "cable") + " missing: " + wanted;
        finding.expected = wanted + because;
        finding.remedy = "plug it in, or look why its ports are down or disabled";
        break;
      case FindingKind::moved_cable:
        finding.what = "a cable leads elsewhere: " + there;
        finding.expected = wanted + because;
        finding.remedy = "move the end that is in the wrong port";
        break;
      case FindingKind::wrong_level:
        finding.what = "a cable between " + levels(its) + ": " + there;
        finding.expected = its.missing.empty()
                               ? "cables lead from one level to the next; packets that take this "
                                 "one can wait for each other in a circle"
                               : wanted + because;
        finding.remedy = its.missing.empty() ? "unplug it" : "plug its ends where they belong";
        break;
      case FindingKind::host_misplaced:
        finding.severity = Severity::degraded;
        finding.what = "a host on a switch of level " + std::to_string(high(its)) + ": " + there;
        finding.expected =
            its.missing.empty() ? "hosts are on switches of level 1" : wanted + because;
        finding.remedy = "move it to a switch of level 1";
        break;
      case FindingKind::extra_cable:
        finding.severity = Severity::odd;
        finding.what = "a cable that no other pair has: " + there;
        finding.expected =
            "groups of switches are joined by the level above them only, each pair "
            "by equally many cables";
        finding.remedy = "unplug it, or find where it should lead";
        break;
      default:
        finding.what =
            std::to_string(its.extra.size()) + " cables are in each other's places: " + there;
        finding.expected = wanted + because;
        finding.remedy = "swap their ends at one side";
        break;
    }
  }

  std::uint32_t high(const Case& its) const {
    std::uint32_t level = 0;
    for (const LinkEnd& end : graph_.links()[extra_[its.extra.front()]].ends)
      level = std::max(level, pattern_.level_of(pattern_.node_of(end.device)));
    return level;
  }

  std::string levels(const Case& its) const {
    const Link& link = graph_.links()[extra_[its.extra.front()]];
    const std::uint32_t a = pattern_.level_of(pattern_.node_of(link.ends[0].device));
    const std::uint32_t b = pattern_.level_of(pattern_.node_of(link.ends[1].device));
    if (a == b) return "two switches of level " + std::to_string(a);
    return "level " + std::to_string(std::min(a, b)) + " and level " +
           std::to_string(std::max(a, b));
  }

  const Pattern& pattern_;
  const FabricGraph& graph_;
  const std::vector<MissingCable>& missing_;
  const std::vector<std::uint32_t>& extra_;
  std::vector<std::size_t> root_;  // union-find over missing, then extra cables
};

}  // namespace

std::vector<Finding> explain_cables(const Pattern& pattern, const Deviations& deviations) {
  return Explainer(pattern, deviations).explain();
}

}  // namespace holdfast::sim
