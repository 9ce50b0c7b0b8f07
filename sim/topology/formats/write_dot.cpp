// A fabric for graphviz: `dot` puts each level in a row, hosts at the bottom; titles hold what
// there is no room for.
#include <map>

#include "sim/topology/formats/formats.hpp"
#include "sim/topology/link_rate.hpp"
#include "sim/topology/part_names.hpp"
#include "sim/topology/tree_levels.hpp"

namespace holdfast::sim {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

// Hosts are "h" and their number, other devices "d" and theirs.
std::string id_of(const FabricGraph& graph, std::uint32_t device) {
  const Device& it = graph.device(device);
  return it.kind == DeviceKind::adapter ? "h" + std::to_string(it.host.value)
                                        : "d" + std::to_string(device);
}

void add_hosts(const FabricGraph& graph, std::string& text) {
  text += "  { rank=same; node [shape=ellipse];\n";
  for (std::uint32_t h = 0; h < graph.host_count(); ++h) {
    std::string guids;
    for (const std::uint32_t adapter : graph.hosts()[h].adapters)
      guids += (guids.empty() ? "" : " ") + guid_text(graph.device(adapter).guid);
    text += "    h" + std::to_string(h) + " [label=" + quoted(graph.hosts()[h].name) +
            ", tooltip=" + quoted(guids) + "];\n";
  }
  text += "  }\n";
}

void add_row(const FabricGraph& graph, const std::vector<std::uint32_t>& row, const char* shape,
             std::string& text) {
  text += std::string("  { rank=same; node [shape=") + shape + "];\n";
  for (const std::uint32_t d : row) {
    const Device& device = graph.device(d);
    const std::string guid = guid_text(device.guid);
    text += "    " + id_of(graph, d) +
            " [label=" + quoted(device.name.empty() ? guid : device.name) +
            ", tooltip=" + quoted(guid + " " + device.description) + "];\n";
  }
  text += "  }\n";
}

}  // namespace

Status write_dot(const FabricGraph& graph, std::string& text) {
  const TreeLevels levels = tree_levels(graph);
  std::map<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> switches;  // by level
  std::vector<std::uint32_t> routers;
  for (std::uint32_t d = 0; d < graph.devices().size(); ++d) {
    if (graph.device(d).kind == DeviceKind::switch_chip) switches[levels.of_device[d]].push_back(d);
    if (graph.device(d).kind == DeviceKind::router) routers.push_back(d);
  }
  std::string dot =
      "// Written by holdfast; dot -Tsvg draws it.\ngraph fabric {\n  graph [ranksep=2, "
      "newrank=true];\n";
  for (const auto& [level, row] : switches) add_row(graph, row, "box", dot);
  if (!routers.empty()) add_row(graph, routers, "diamond", dot);
  add_hosts(graph, dot);
  for (const Link& link : graph.links()) {
    // The upper end first, so that it is drawn above.
    const std::uint32_t a = link.ends[0].device;
    const std::uint32_t b = link.ends[1].device;
    const std::size_t upper = levels.of_device[a] >= levels.of_device[b] ? 0 : 1;
    const LinkEnd& top = link.ends[upper];
    const LinkEnd& bottom = link.ends[1 - upper];
    dot += "  " + id_of(graph, top.device) + " -- " + id_of(graph, bottom.device) + " [tooltip=" +
           quoted(graph.part_text(top) + " to " + graph.part_text(bottom) + ", " +
                  rate_text(link.bits_per_second)) +
           "];\n";
  }
  text = dot + "}\n";
  return Status::ok();
}

}  // namespace holdfast::sim
