// Counting a fabric; see the header. Slow links are slow_links.cpp's.
#include "sim/topology/summary.hpp"

#include <algorithm>
#include <utility>

#include "sim/topology/link_rate.hpp"

namespace holdfast::sim {

namespace {

bool is_switch_link(const FabricGraph& graph, const Link& link) {
  return std::all_of(link.ends.begin(), link.ends.end(), [&](const LinkEnd& end) {
    return graph.device(end.device).kind == DeviceKind::switch_chip;
  });
}

void count_links(const FabricGraph& graph, Summary& summary) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> joined;
  for (const Link& link : graph.links()) {
    LinkCounts& of_rate = summary.links_of_rate[link.bits_per_second];
    if (is_switch_link(graph, link)) {
      ++summary.links.switch_links;
      ++of_rate.switch_links;
      ++joined[std::minmax(link.ends[0].device, link.ends[1].device)];
    } else {
      ++summary.links.host_links;
      ++of_rate.host_links;
    }
  }
  for (const auto& [switches, count] : joined) ++summary.parallel[count];
}

void count_levels(const Routes& routes, Summary& summary) {
  for (const std::uint32_t level : routes.levels()) {
    if (level == 0) continue;
    if (summary.switches_of_level.size() < level) summary.switches_of_level.resize(level, 0);
    ++summary.switches_of_level[level - 1];
  }
}

void count_pairs(const FabricGraph& graph, const Routes& routes, Summary& summary) {
  std::string example;
  for (std::uint32_t a = 0; a < graph.host_count(); ++a) {
    for (std::uint32_t b = 0; b < graph.host_count(); ++b) {
      if (a == b) continue;
      const std::uint32_t hops = routes.hops(NodeId{a}, NodeId{b});
      if (hops > 0) {
        ++summary.pairs_of_hops[hops];
      } else if (summary.unreachable_pairs++ == 0) {
        example = graph.host(NodeId{a}).name + " to " + graph.host(NodeId{b}).name;
      }
    }
  }
  if (summary.unreachable_pairs > 0) {
    summary.warnings.push_back("no route: " + std::to_string(summary.unreachable_pairs) +
                               " ordered pairs of hosts cannot reach each other, such as " +
                               example);
  }
}

void warn_of_slow_links(const FabricGraph& graph, Summary& summary) {
  for (const SlowLink& slow : find_slow_links(graph)) {
    const Link& link = graph.links()[slow.link];
    const char* kind = is_switch_link(graph, link) ? "switch" : "host";
    const std::string fastest = rate_text(slow.fastest);
    summary.warnings.push_back(
        "slow link: " + graph.part_text(link.ends[0]) + " to " + graph.part_text(link.ends[1]) +
        " runs at " + rate_text(link.bits_per_second) + "; " +
        (slow.parallel ? "a link parallel to it runs at " + fastest
                       : "another " + std::string(kind) + " link of " +
                             graph.part_text(slow.device) + " runs at " + fastest));
  }
  const std::int64_t usual = usual_host_rate(graph);
  for (const SlowSwitch& slow : find_slow_switches(graph)) {
    summary.warnings.push_back("slow hosts: the fastest of all " + std::to_string(slow.host_links) +
                               " host links of " + graph.part_text(slow.device) + " runs at " +
                               rate_text(slow.fastest) + "; usual in this fabric is " +
                               rate_text(usual));
  }
}

template <class Key, class Value, class Text>
std::string list(const std::map<Key, Value>& entries, Text text) {
  std::string line;
  for (const auto& [key, value] : entries) line += (line.empty() ? "" : ", ") + text(key, value);
  return line;
}

}  // namespace

Summary summarize(const FabricGraph& graph, const Routes& routes) {
  Summary summary;
  summary.hosts = graph.host_count();
  summary.adapters = graph.count(DeviceKind::adapter);
  summary.switches = graph.count(DeviceKind::switch_chip);
  summary.routers = graph.count(DeviceKind::router);
  count_links(graph, summary);
  count_levels(routes, summary);
  count_pairs(graph, routes, summary);
  warn_of_slow_links(graph, summary);
  return summary;
}

Summary summarize(const Pgft& tree, const LinkSpec& link) {
  Summary summary;
  summary.hosts = tree.host_count();
  summary.adapters = tree.host_count() * tree.up(1);
  summary.switches = tree.switch_count();
  for (std::uint32_t level = 1; level <= tree.levels(); ++level) {
    summary.switches_of_level.push_back(tree.nodes(level));
    if (level == 1) {
      summary.links.host_links = tree.links(level);
    } else {
      summary.links.switch_links += tree.links(level);
      summary.parallel[tree.parallel(level)] += tree.links(level) / tree.parallel(level);
    }
    if (tree.pairs(level) > 0) summary.pairs_of_hops[2 * level] = tree.pairs(level);
  }
  summary.links_of_rate[link.bits_per_second] = summary.links;
  return summary;
}

std::string describe(const Summary& summary) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  std::string text = "hosts       " + number(summary.hosts) + " with " + number(summary.adapters) +
                     " adapters\nswitches    " + number(summary.switches);
  for (std::size_t i = 0; i < summary.switches_of_level.size(); ++i) {
    text += (i == 0 ? " (level " : ", level ") + number(i + 1) + ": " +
            number(summary.switches_of_level[i]);
  }
  text += summary.switches_of_level.empty() ? "\n" : ")\n";
  if (summary.routers > 0) text += "routers     " + number(summary.routers) + "\n";
  text += "links       " + number(summary.links.host_links + summary.links.switch_links) + " (" +
          number(summary.links.host_links) + " to hosts, " + number(summary.links.switch_links) +
          " between switches)\n";
  text += "rates       " +
          list(summary.links_of_rate,
               [&](std::int64_t rate, const LinkCounts& counts) {
                 return rate_text(rate) + ": " + number(counts.host_links) + " to hosts, " +
                        number(counts.switch_links) + " between switches";
               }) +
          " (of data)\n";
  if (!summary.parallel.empty()) {
    text +=
        "parallel    " +
        list(summary.parallel,
             [&](std::uint32_t links, std::uint64_t pairs) {
               return number(links) + " between each of " + number(pairs) + " pairs of switches";
             }) +
        "\n";
  }
  if (!summary.pairs_of_hops.empty()) {
    text += "hops        " +
            list(summary.pairs_of_hops,
                 [&](std::uint32_t hops, std::uint64_t pairs) {
                   return number(hops) + " links: " + number(pairs) + " pairs";
                 }) +
            " (ordered pairs of hosts)\n";
  }
  if (!summary.loads.empty()) {
    text += "load        " + describe(summary.loads) + " (routes of all pairs on a link)\n";
  }
  for (const std::string& warning : summary.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace holdfast::sim
