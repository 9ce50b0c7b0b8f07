// Hosts that are missing, and hosts that hang where they should not.
#include <algorithm>
#include <map>

#include "sim/topology/check/explain.hpp"
#include "sim/topology/check/words.hpp"

namespace holdfast::sim {

namespace {

class Explainer {
 public:
  Explainer(const Pattern& pattern, const std::vector<MissingCable>& missing,
            const Explained& explained)
      : pattern_(pattern), graph_(pattern.graph()), explained_(explained) {
    for (const std::uint32_t node : pattern.nodes()) {
      if (graph_.device(node).kind == DeviceKind::switch_chip && pattern.level_of(node) == 1)
        cables_[node] = cables_below(node);
    }
    for (const MissingCable& cable : missing) {
      if (cables_.count(cable.upper) > 0) ++cables_[cable.upper];
    }
    find_usual();
  }

  std::vector<Finding> explain() {
    for (const std::uint32_t node : pattern_.nodes()) {
      if (graph_.device(node).kind == DeviceKind::adapter &&
          pattern_.neighbours(node, true).empty())
        explain_stray(node);
    }
    explain_unplugged();
    for (const auto& [node, count] : cables_) {
      if (count < usual_) explain_fewer(node, usual_ - count);
    }
    return std::move(findings_);
  }

 private:
  std::uint32_t cables_below(std::uint32_t node) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t host : pattern_.neighbours(node, false))
      sum += static_cast<std::uint32_t>(pattern_.cables(host, node).size());
    return sum;
  }

  // What at least half of the switches have; of equals the greater. 0: no rule.
  void find_usual() {
    leaves_ = cables_.size();
    std::map<std::uint32_t, std::size_t> switches;
    for (const auto& [node, count] : cables_) ++switches[count];
    for (const auto& [count, number] : switches) {
      if (2 * number < cables_.size()) continue;
      usual_ = count;
      like_ = number;
    }
    for (const std::uint32_t node : explained_) cables_.erase(node);
  }

  std::vector<LinkEnd> free_ports(std::uint32_t node) const {
    std::vector<LinkEnd> ports;
    for (std::uint32_t p = 1; p < graph_.device(node).ports.size(); ++p) {
      if (graph_.device(node).ports[p].link == kNone && pattern_.is_usual(1, p, false))
        ports.push_back({node, p});
    }
    return ports;
  }

  // A switch that lacks a host; the one where the host's neighbours by number are, if it is one of
  // these.
  std::uint32_t home_of(std::uint32_t host) const {
    std::uint32_t home = kNone;
    const std::uint32_t number = graph_.device(host).host.value;
    for (const auto& [node, count] : cables_) {
      if (count >= usual_) continue;
      if (home == kNone) home = node;
      for (const std::uint32_t other : pattern_.neighbours(node, false)) {
        const std::uint32_t its = graph_.device(other).host.value;
        if (its + 1 == number || number + 1 == its) return node;
      }
    }
    return home;
  }

  // A host that is on no switch of level 1.
  void explain_stray(std::uint32_t host) {
    for (const std::uint32_t adapter : graph_.host(graph_.device(host).host).adapters) {
      for (const Port& port : graph_.device(adapter).ports) {
        if (port.link == kNone) continue;
        const LinkEnd& far = graph_.links()[port.link].end_away_from(adapter);
        // Behind a switch that has a finding; or a cable from host to host, which is no business of
        // the tree.
        if (explained_.count(far.device) > 0 || pattern_.level_of(far.device) < 2) return;
        add_misplaced(host, port.link, pattern_.level_of(far.device));
        return;
      }
    }
    unplugged_.push_back(host);
  }

  void add_misplaced(std::uint32_t host, std::uint32_t link, std::uint32_t level) {
    const Link& cable = graph_.links()[link];
    Finding finding{FindingKind::host_misplaced, Severity::degraded, {}, {link}, "", "", ""};
    finding.ports.assign(cable.ends.begin(), cable.ends.end());
    finding.what =
        "a host on a switch of level " + std::to_string(level) + ": " + cable_text(graph_, link);
    finding.expected = "hosts are on switches of level 1";
    add_home(host, finding);
    finding.remedy = "move it to a switch of level 1";
    findings_.push_back(std::move(finding));
  }

  void add_home(std::uint32_t host, Finding& finding) {
    const std::uint32_t home = home_of(host);
    if (home == kNone) return;
    ++cables_[home];
    const std::vector<LinkEnd> free = free_ports(home);
    finding.ports.push_back(free.size() == 1 ? free.front() : LinkEnd{home, 0});
    finding.expected += "; " + finding_part(graph_, finding.ports.back()) + " lacks one";
  }

  // Hosts without any cable, as one finding.
  void explain_unplugged() {
    if (unplugged_.empty()) return;
    Finding finding{FindingKind::host_missing, Severity::degraded, {}, {}, "", "", ""};
    std::vector<std::string> names;
    finding.expected = "each host is on a switch of level 1";
    for (const std::uint32_t host : unplugged_) {
      finding.ports.push_back({host, graph_.device(host).ports.size() == 2 ? 1u : 0u});
      names.push_back(finding_part(graph_, finding.ports.back()));
      add_home(host, finding);
    }
    finding.what = count_text(unplugged_.size(), "host") + " without a cable: " + list_text(names);
    finding.remedy = "plug in its cable, or look why its port is down or disabled";
    findings_.push_back(std::move(finding));
  }

  // Hosts that are not in the fabric at all, or hang on another switch of level 1.
  void explain_fewer(std::uint32_t node, std::uint32_t lacks) {
    Finding finding{FindingKind::host_missing, Severity::odd, free_ports(node), {}, "", "", ""};
    if (finding.ports.size() != lacks) finding.ports.assign(1, {node, 0});
    std::vector<std::string> names;
    for (const LinkEnd& port : finding.ports) names.push_back(finding_part(graph_, port));
    finding.what = count_text(lacks, "host") + " missing at " + list_text(names);
    finding.expected = std::to_string(usual_) + " cables to hosts, as " + std::to_string(like_) +
                       " of " + std::to_string(leaves_) + " switches of level 1 have";
    finding.remedy = "look whether it is switched off, unplugged or its port disabled";
    for (auto& [other, count] : cables_) {
      if (count <= usual_ || lacks == 0) continue;
      finding.kind = FindingKind::moved_cable;
      const LinkEnd port = unusual_port(other);
      finding.ports.push_back(port);
      if (port.port != 0) {
        const std::uint32_t link = graph_.device(other).ports[port.port].link;
        finding.links.push_back(link);
        finding.ports.push_back(graph_.links()[link].end_away_from(other));
      }
      finding.what +=
          "; " + finding_part(graph_, finding.ports.back()) +
          (port.port == 0 ? " has one more than usual"
                          : " hangs on " + finding_part(graph_, port) + ", where others have none");
      finding.remedy = "move it, if it should be here";
      --count;
      --lacks;
    }
    findings_.push_back(std::move(finding));
  }

  // The only port with a host where most switches of level 1 have none; port 0: not the only one.
  LinkEnd unusual_port(std::uint32_t node) const {
    LinkEnd found{node, 0};
    for (std::uint32_t p = 1; p < graph_.device(node).ports.size(); ++p) {
      const std::uint32_t link = graph_.device(node).ports[p].link;
      if (link == kNone || pattern_.is_usual(1, p, false)) continue;
      const std::uint32_t far = graph_.links()[link].end_away_from(node).device;
      if (graph_.device(far).kind != DeviceKind::adapter) continue;
      if (found.port != 0) return {node, 0};
      found.port = p;
    }
    return found;
  }

  const Pattern& pattern_;
  const FabricGraph& graph_;
  const Explained& explained_;
  // To hosts, there or already explained, of the switches of level 1 without a finding.
  std::map<std::uint32_t, std::uint32_t> cables_;
  std::uint32_t usual_ = 0;
  std::size_t like_ = 0;    // switches that have so many,
  std::size_t leaves_ = 0;  // of so many
  std::vector<std::uint32_t> unplugged_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> explain_hosts(const Pattern& pattern, const std::vector<MissingCable>& missing,
                                   const Explained& explained) {
  return Explainer(pattern, missing, explained).explain();
}

}  // namespace holdfast::sim
