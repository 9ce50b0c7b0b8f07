// Slow cables; see the header.
#include "sim/topology/check/slow_cables.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "sim/topology/check/words.hpp"
#include "sim/topology/link_rate.hpp"

namespace holdfast::sim {

namespace {

using Levels = std::pair<std::uint32_t, std::uint32_t>;  // lower, upper

class Finder {
 public:
  explicit Finder(const Pattern& pattern) : pattern_(pattern), graph_(pattern.graph()) {}

  std::vector<Finding> find() {
    find_usual();
    std::map<Levels, std::set<std::uint32_t>> slow;
    for (std::uint32_t i = 0; i < graph_.links().size(); ++i) {
      const auto kind = kind_of(i);
      if (kind && graph_.links()[i].bits_per_second < usual_[*kind].rate) slow[*kind].insert(i);
    }
    for (auto& [kind, links] : slow) {
      take_switches(kind, links);
      for (const std::uint32_t link : links) add_cable(kind, link);
    }
    return std::move(findings_);
  }

 private:
  struct Usual {
    std::int64_t rate = 0;
    std::string name;
    std::size_t links = 0;
    std::size_t all = 0;
  };

  std::optional<Levels> kind_of(std::uint32_t link) const {
    const std::uint32_t a = pattern_.node_of(graph_.links()[link].ends[0].device);
    const std::uint32_t b = pattern_.node_of(graph_.links()[link].ends[1].device);
    if (a == kNone || b == kNone) return std::nullopt;
    return std::minmax(pattern_.level_of(a), pattern_.level_of(b));
  }

  std::string name_of(const Link& link) const {
    const std::string name = link_rate_name(link.bits_per_second, link.lanes);
    return rate_text(link.bits_per_second) +
           (link.lanes == 0 || name.empty() ? "" : " (" + name + ")");
  }

  void find_usual() {
    std::map<std::pair<Levels, std::int64_t>, std::pair<std::size_t, std::string>> counts;
    for (std::uint32_t i = 0; i < graph_.links().size(); ++i) {
      const auto kind = kind_of(i);
      if (!kind) continue;
      auto& [count, name] = counts[{*kind, graph_.links()[i].bits_per_second}];
      ++count;
      name = name_of(graph_.links()[i]);
    }
    for (const auto& [key, entry] : counts) {
      Usual& usual = usual_[key.first];
      usual.all += entry.first;
      if (entry.first < usual.links) continue;
      usual.rate = key.second;
      usual.name = entry.second;
      usual.links = entry.first;
    }
  }

  // Takes those out of `links` that belong to a switch all of whose cables of this kind are slow
  // alike.
  void take_switches(const Levels& kind, std::set<std::uint32_t>& links) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> all_of;
    for (std::uint32_t i = 0; i < graph_.links().size(); ++i) {
      if (kind_of(i) != kind) continue;
      for (const LinkEnd& end : graph_.links()[i].ends) {
        if (graph_.device(end.device).kind == DeviceKind::switch_chip)
          all_of[end.device].push_back(i);
      }
    }
    std::map<std::int64_t, std::vector<std::uint32_t>> slow_switches;  // by rate
    for (const auto& [device, its] : all_of) {
      const std::int64_t rate = graph_.links()[its.front()].bits_per_second;
      const bool alike =
          its.size() > 1 && std::all_of(its.begin(), its.end(), [&](std::uint32_t i) {
            return links.count(i) > 0 && graph_.links()[i].bits_per_second == rate;
          });
      if (!alike) continue;
      slow_switches[rate].push_back(device);
      for (const std::uint32_t i : its) links.erase(i);
    }
    for (const auto& [rate, devices] : slow_switches) add_switches(kind, devices, all_of);
  }

  void add_switches(const Levels& kind, const std::vector<std::uint32_t>& devices,
                    const std::map<std::uint32_t, std::vector<std::uint32_t>>& all_of) {
    Finding finding{FindingKind::slow_switch, Severity::degraded, {}, {}, "", "", ""};
    std::vector<std::string> names;
    for (const std::uint32_t device : devices) {
      const auto& its = all_of.at(device);
      finding.ports.push_back({device, 0});
      finding.links.insert(finding.links.end(), its.begin(), its.end());
      names.push_back(finding_part(graph_, {device, 0}));
    }
    finding.what = "all " + std::to_string(finding.links.size()) + " cables " + between(kind) +
                   " of " + list_text(names) + " run at " +
                   name_of(graph_.links()[finding.links.front()]);
    finding.expected = expected(kind);
    finding.remedy = "look whether these are meant to be of another generation";
    findings_.push_back(std::move(finding));
  }

  void add_cable(const Levels& kind, std::uint32_t link) {
    const Link& cable = graph_.links()[link];
    Finding finding{FindingKind::slow_cable, Severity::degraded, {}, {link}, "", "", ""};
    finding.ports.assign(cable.ends.begin(), cable.ends.end());
    finding.what = cable_text(graph_, link) + " runs at " + name_of(cable);
    finding.expected = expected(kind);
    finding.remedy = "look at cable and connectors, and at the rate and width that its ports allow";
    findings_.push_back(std::move(finding));
  }

  static std::string between(const Levels& kind) {
    if (kind.first == 0) return "to hosts";
    return "between level " + std::to_string(kind.first) + " and " + std::to_string(kind.second);
  }

  std::string expected(const Levels& kind) const {
    const Usual& usual = usual_.at(kind);
    return usual.name + ", as " + std::to_string(usual.links) + " of " + std::to_string(usual.all) +
           " cables " + between(kind) + " have";
  }

  const Pattern& pattern_;
  const FabricGraph& graph_;
  std::map<Levels, Usual> usual_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> find_slow_cables(const Pattern& pattern) {
  return Finder(pattern).find();
}

}  // namespace holdfast::sim
