// How findings name parts and count.
#include "sim/topology/check/words.hpp"

#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

std::string finding_part(const FabricGraph& graph, LinkEnd port) {
  const Device& device = graph.device(port.device);
  std::string text = device.name;
  if (text.empty() && !device.description.empty()) text = "\"" + device.description + "\"";
  text += (text.empty() ? "" : " ") + guid_text(device.guid);
  return port.port == 0 ? text : text + "[" + std::to_string(port.port) + "]";
}

std::string node_text(const Pattern& pattern, std::uint32_t node) {
  return finding_part(pattern.graph(), {node, 0});
}

std::string count_text(std::size_t count, const std::string& noun) {
  const bool es = noun.ends_with("ch");
  return std::to_string(count) + " " + noun + (count == 1 ? "" : es ? "es" : "s");
}

std::string pair_text(const Group& group, std::size_t u) {
  const std::uint32_t least = group.expected[u];
  return std::to_string(least) +
         (group.most_more() == 0 ? "" : " or " + std::to_string(least + group.most_more()));
}

std::string list_text(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < kShown; ++i)
    text += (i == 0 ? "" : ", ") + items[i];
  if (items.size() > kShown) text += " and " + std::to_string(items.size() - kShown) + " more";
  return text;
}

std::string role_text(const Pattern& pattern, std::uint32_t node) {
  if (pattern.graph().device(node).kind == DeviceKind::adapter) return "host";
  return "switch of level " + std::to_string(pattern.level_of(node));
}

std::string cable_text(const FabricGraph& graph, std::uint32_t link) {
  const Link& cable = graph.links()[link];
  return finding_part(graph, cable.ends[0]) + " to " + finding_part(graph, cable.ends[1]);
}

}  // namespace holdfast::sim
