// A fabric written out; see the header.
#include "sim/topology/fabric_graph.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/topology/part_names.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {

NodeId FabricGraph::add_host(std::string name) {
  hosts_.push_back(Host{std::move(name), {}});
  return NodeId{host_count() - 1};
}

std::uint32_t FabricGraph::add_device(Device device, std::uint32_t ports) {
  const auto index = static_cast<std::uint32_t>(devices_.size());
  device.ports.assign(ports + std::size_t{1}, Port{});
  if (device.kind == DeviceKind::adapter) {
    HOLDFAST_ASSERT(device.host.value < hosts_.size());
    hosts_[device.host.value].adapters.push_back(index);
  }
  const bool is_new = device_of_guid_.emplace(device.guid, index).second;
  HOLDFAST_ASSERT(is_new);
  devices_.push_back(std::move(device));
  return index;
}

void FabricGraph::set_port_guid(LinkEnd port, std::uint64_t guid) {
  devices_[port.device].ports[port.port].guid = guid;
  device_of_port_guid_.emplace(guid, port.device);
}

std::uint32_t FabricGraph::connect(LinkEnd a, LinkEnd b, const LinkSpec& spec) {
  HOLDFAST_ASSERT(a.device != b.device && spec.bits_per_second > 0 && spec.latency.ns >= 0);
  const auto index = static_cast<std::uint32_t>(links_.size());
  for (const LinkEnd& end : {a, b}) {
    Port& port = devices_[end.device].ports[end.port];
    HOLDFAST_ASSERT(end.port > 0 && port.link == kNone);
    port.link = index;
  }
  links_.push_back(Link{{a, b}, spec.bits_per_second, spec.latency, spec.lanes});
  return index;
}

std::uint32_t FabricGraph::count(DeviceKind kind) const {
  return static_cast<std::uint32_t>(std::count_if(
      devices_.begin(), devices_.end(), [kind](const Device& d) { return d.kind == kind; }));
}

std::uint32_t FabricGraph::endpoint_link(NodeId node) const {
  for (const std::uint32_t adapter : host(node).adapters) {
    for (const Port& port : devices_[adapter].ports) {
      if (port.link != kNone) return port.link;
    }
  }
  return kNone;
}

std::uint32_t FabricGraph::find_device(std::uint64_t guid) const {
  if (const auto found = device_of_guid_.find(guid); found != device_of_guid_.end()) {
    return found->second;
  }
  const auto found = device_of_port_guid_.find(guid);
  return found == device_of_port_guid_.end() ? kNone : found->second;
}

std::vector<std::uint32_t> FabricGraph::hosts_called(std::string_view text,
                                                     bool by_description) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const Host& host = hosts_[i];
    const bool called =
        std::any_of(host.adapters.begin(), host.adapters.end(), [&](std::uint32_t adapter) {
          const Device& device = devices_[adapter];
          return by_description ? device.description == text : device.name == text;
        });
    if (called || (!by_description && host.name == text)) found.push_back(i);
  }
  return found;
}

Status FabricGraph::find_host_by_guid(std::string_view text, NodeId& node, bool& matched) const {
  const auto part = parse_part(text);
  const std::uint32_t index = part ? find_device(part->guid) : kNone;
  matched = index != kNone;
  if (!matched) return Status::ok();
  const Device& device = devices_[index];
  if (device.kind != DeviceKind::adapter) {
    return Status::error("'" + std::string(text) + "' is a " +
                         (device.kind == DeviceKind::router ? "router" : "switch") +
                         ", but a host was expected");
  }
  if (part->port && *part->port >= device.ports.size()) {
    return Status::error("'" + std::string(text) + "': that adapter has ports 1 to " +
                         std::to_string(device.ports.size() - 1));
  }
  node = device.host;
  return Status::ok();
}

Status FabricGraph::find_host(std::string_view text, NodeId& node) const {
  if (text.empty()) return Status::error("a host's name is empty");
  std::vector<std::uint32_t> found = hosts_called(text, false);
  if (found.empty()) {
    if (const auto index = parse_decimal(text, host_count()); index && *index < host_count()) {
      node = NodeId{static_cast<std::uint32_t>(*index)};
      return Status::ok();
    }
    bool matched = false;
    const Status status = find_host_by_guid(text, node, matched);
    if (matched) return status;
    found = hosts_called(text, true);
  }
  if (found.size() == 1) {
    node = NodeId{found.front()};
    return Status::ok();
  }
  if (found.empty()) {
    return Status::error("no host is called '" + excerpt(text) + "': expected an index 0 to " +
                         std::to_string(std::int64_t{host_count()} - 1) +
                         ", the GUID of an adapter, or a name (`holdfast topology` lists them)");
  }
  std::string guids;
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(found.size(), kShown); ++i) {
    const Host& host = hosts_[found[i]];
    guids += (i == 0 ? "" : ", ") + guid_text(devices_[host.adapters.front()].guid);
  }
  if (found.size() > kShown) guids += ", ...";
  return Status::error("'" + excerpt(text) + "' is the name of " + std::to_string(found.size()) +
                       " hosts; say which by GUID: " + guids);
}

std::string FabricGraph::part_text(std::uint32_t index) const {
  const Device& device = devices_[index];
  if (!device.name.empty()) return device.name;
  const std::string guid = guid_text(device.guid);
  return device.description.empty() ? guid : "\"" + device.description + "\" " + guid;
}

std::string FabricGraph::part_text(LinkEnd port) const {
  return part_text(port.device) + "[" + std::to_string(port.port) + "]";
}

}  // namespace holdfast::sim
