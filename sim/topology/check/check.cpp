// Puts the parts of the check together; see the header.
#include "sim/topology/check/check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "sim/topology/check/explain.hpp"
#include "sim/topology/check/slow_cables.hpp"
#include "sim/topology/check/words.hpp"

namespace holdfast::sim {

namespace {

// "18 x 9 switches", most of the groups of a level.
std::string describe_level(const Pattern& pattern, std::uint32_t level) {
  // Sizes, and the cables of a pair in words: how many groups have them.
  std::map<std::tuple<std::size_t, std::size_t, std::string>, std::size_t> shapes;
  std::size_t all = 0;
  for (const Group& group : pattern.groups(level)) {
    if (group.lowers.empty() || group.uppers.empty()) continue;
    const std::uint32_t cables = group.expected.front();
    ++shapes[{group.lowers.size(), group.uppers.size(),
              cables == 0              ? "unlike numbers of cables"
              : group.most_more() == 0 ? count_text(cables, "cable")
                                       : pair_text(group, 0) + " cables"}];
    ++all;
  }
  if (all == 0) return "";
  const auto most =
      std::max_element(shapes.begin(), shapes.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto& [lowers, uppers, cables] = most->first;
  const std::string below =
      level == 0 ? count_text(lowers, "host")
                 : count_text(lowers, "switch") + " of level " + std::to_string(level);
  return count_text(all, "group") +
         (most->second == all ? "" : ", " + std::to_string(most->second)) + " of " + below +
         " and " + std::to_string(uppers) + " of level " + std::to_string(level + 1) + ", " +
         cables + " a pair";
}

void append(std::vector<Finding>& findings, std::vector<Finding> more) {
  for (Finding& finding : more) findings.push_back(std::move(finding));
}

}  // namespace

CheckReport check_cabling(const FabricGraph& graph) {
  CheckReport report;
  const Pattern pattern(graph);
  report.is_tree = pattern.levels().is_tree();
  if (report.is_tree) {
    for (std::uint32_t level = 0; level < pattern.levels().top; ++level)
      report.pattern.push_back(describe_level(pattern, level));
    Deviations deviations = find_deviations(pattern);
    Explained explained;
    append(report.findings, explain_switches(pattern, deviations, explained));
    append(report.findings, explain_cables(pattern, deviations));
    std::vector<MissingCable> of_hosts = deviations.missing;
    std::erase_if(of_hosts, [&](const MissingCable& cable) {
      return graph.device(cable.lower).kind != DeviceKind::adapter;
    });
    append(report.findings, explain_hosts(pattern, of_hosts, explained));
    append(report.findings, explain_groups(pattern));
  }
  append(report.findings, find_slow_cables(pattern));
  const auto key = [](const Finding& finding) {
    const LinkEnd first = finding.ports.empty() ? LinkEnd{} : finding.ports.front();
    return std::tuple(finding.severity, finding.kind, first.device, first.port);
  };
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
  return report;
}

const char* severity_name(Severity severity) {
  constexpr std::array kNames = {"serious", "degraded", "odd"};
  return kNames[static_cast<std::size_t>(severity)];
}

const char* kind_name(FindingKind kind) {
  constexpr std::array kNames = {"crossed-cables", "moved-cable",    "wrong-level",
                                 "one-path",       "unlike-switch",  "missing-cable",
                                 "missing-switch", "slow-cable",     "slow-switch",
                                 "host-missing",   "host-misplaced", "extra-cable"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace holdfast::sim
