// Which links and switches are slower than they should be; the rules are in summary.hpp.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "sim/topology/summary.hpp"

namespace holdfast::sim {

namespace {

bool is_switch(const FabricGraph& graph, std::uint32_t device) {
  return graph.device(device).kind == DeviceKind::switch_chip;
}

// What is at the other end decides with which links of a switch a link is compared.
DeviceKind kind_beyond(const FabricGraph& graph, const Link& link, std::uint32_t device) {
  return graph.device(link.end_away_from(device).device).kind;
}

// Host links of each switch, and the fastest of them.
std::map<std::uint32_t, SlowSwitch> host_links_of_switches(const FabricGraph& graph) {
  std::map<std::uint32_t, SlowSwitch> found;
  for (const Link& link : graph.links()) {
    for (const LinkEnd& end : link.ends) {
      if (!is_switch(graph, end.device)) continue;
      if (kind_beyond(graph, link, end.device) != DeviceKind::adapter) continue;
      SlowSwitch& entry = found[end.device];
      entry.device = end.device;
      ++entry.host_links;
      entry.fastest = std::max(entry.fastest, link.bits_per_second);
    }
  }
  return found;
}

}  // namespace

std::vector<SlowLink> find_slow_links(const FabricGraph& graph) {
  const auto rates_differ = [](const Link& a, const Link& b) {
    return a.bits_per_second != b.bits_per_second;
  };
  // Of a generated fabric, whose links are alike: none, and nothing need be looked up.
  if (std::ranges::adjacent_find(graph.links(), rates_differ) == graph.links().end()) return {};
  std::map<std::pair<std::uint32_t, DeviceKind>, std::int64_t> fastest_of_switch;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> fastest_parallel;
  for (const Link& link : graph.links()) {
    const std::uint32_t a = link.ends[0].device;
    const std::uint32_t b = link.ends[1].device;
    std::int64_t& parallel = fastest_parallel[std::minmax(a, b)];
    parallel = std::max(parallel, link.bits_per_second);
    for (const std::uint32_t d : {a, b}) {
      std::int64_t& fastest = fastest_of_switch[{d, kind_beyond(graph, link, d)}];
      fastest = std::max(fastest, link.bits_per_second);
    }
  }
  std::vector<SlowLink> slow;
  for (std::uint32_t i = 0; i < graph.links().size(); ++i) {
    const Link& link = graph.links()[i];
    const std::uint32_t a = link.ends[0].device;
    const std::uint32_t b = link.ends[1].device;
    const std::int64_t parallel = fastest_parallel[std::minmax(a, b)];
    if (link.bits_per_second < parallel) {
      slow.push_back({i, parallel, true, is_switch(graph, a) ? a : b});
      continue;
    }
    for (const std::uint32_t d : {a, b}) {
      const std::int64_t fastest = fastest_of_switch[{d, kind_beyond(graph, link, d)}];
      if (!is_switch(graph, d) || link.bits_per_second >= fastest) continue;
      slow.push_back({i, fastest, false, d});
      break;
    }
  }
  return slow;
}

std::int64_t usual_host_rate(const FabricGraph& graph) {
  std::map<std::int64_t, std::uint64_t> links_of_rate;
  for (const Link& link : graph.links()) {
    const bool to_host = std::any_of(link.ends.begin(), link.ends.end(), [&](const LinkEnd& end) {
      return graph.device(end.device).kind == DeviceKind::adapter;
    });
    if (to_host) ++links_of_rate[link.bits_per_second];
  }
  std::int64_t usual = 0;
  std::uint64_t most = 0;
  for (const auto& [rate, links] : links_of_rate) {
    if (links < most) continue;
    most = links;  // of equally common rates the later, faster one
    usual = rate;
  }
  return usual;
}

std::vector<SlowSwitch> find_slow_switches(const FabricGraph& graph) {
  const std::int64_t usual = usual_host_rate(graph);
  std::vector<SlowSwitch> slow;
  for (const auto& [device, entry] : host_links_of_switches(graph)) {
    if (entry.fastest < usual) slow.push_back(entry);
  }
  return slow;
}

}  // namespace holdfast::sim
