// Names, rates and limits as InfiniBand's tools have them.
#include "sim/topology/formats/form_text.hpp"

#include <algorithm>

#include "sim/topology/ibnetdiscover_reader.hpp"
#include "sim/topology/link_rate.hpp"
#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

std::string node_id(const Device& device) {
  const char* kind = device.kind == DeviceKind::switch_chip ? "S-"
                     : device.kind == DeviceKind::adapter   ? "H-"
                                                            : "R-";
  return kind + guid_text(device.guid).substr(2);
}

std::string node_description(const FabricGraph& graph, std::uint32_t index) {
  const Device& device = graph.device(index);
  if (!device.description.empty() || device.kind != DeviceKind::adapter)
    return device.description.empty() ? device.name : device.description;
  const Host& host = graph.host(device.host);
  const auto at = std::find(host.adapters.begin(), host.adapters.end(), index);
  return host.name + " HCA-" + std::to_string(at - host.adapters.begin() + 1);
}

Status rate_name(const FabricGraph& graph, const Link& link, std::string& name) {
  name = link_rate_name(link.bits_per_second, link.lanes);
  if (!name.empty()) return Status::ok();
  const std::string next = next_link_rate_name(link.bits_per_second);
  return Status::error("the link from " + graph.part_text(link.ends[0]) + " to " +
                       graph.part_text(link.ends[1]) + " has " + rate_text(link.bits_per_second) +
                       ", which no InfiniBand link has, so this form has no name for it; the next "
                       "that has one is " +
                       next + ", " + rate_text(*parse_link_rate(next)) + " (fabric.link.rate)");
}

Status check_port_counts(const FabricGraph& graph) {
  for (std::uint32_t d = 0; d < graph.devices().size(); ++d) {
    const std::size_t ports = graph.device(d).ports.size() - 1;
    if (ports <= kIbPortsMax) continue;
    return Status::error(graph.part_text(d) + " has " + std::to_string(ports) +
                         " ports; InfiniBand numbers at most " + std::to_string(kIbPortsMax));
  }
  return Status::ok();
}

}  // namespace holdfast::sim
