// Links, switches and adapters by the names that people use.
#include <string>

#include "sim/topology/part_names.hpp"
#include "sim/topology/topology.hpp"

namespace holdfast::sim {

namespace {

struct Named {
  std::string_view device;
  std::optional<std::uint32_t> port;
};

// "leaf-0[3]" is port 3 of leaf-0; what is no port is part of the name.
Named split_port(std::string_view text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos || !text.ends_with(']')) return {text, {}};
  const auto port = parse_decimal(text.substr(open + 1, text.size() - open - 2), 65'535);
  if (!port) return {text, {}};
  return {text.substr(0, open), static_cast<std::uint32_t>(*port)};
}

// The number behind "leaf-" and its like; kNone: another name.
std::uint32_t switch_of_tree(const Pgft& tree, const PgftWiring& wiring, std::string_view text) {
  for (std::uint32_t level = 1; level <= tree.levels(); ++level) {
    const std::string first = tree.switch_name(level, 0);
    const std::string_view prefix = std::string_view(first).substr(0, first.size() - 1);
    if (!text.starts_with(prefix)) continue;
    const auto index = parse_decimal(text.substr(prefix.size()), tree.nodes(level) - 1);
    if (index) return wiring.device_of(level, static_cast<std::uint32_t>(*index));
  }
  return kNone;
}

std::uint32_t device_of_graph(const FabricGraph& graph, std::string_view text) {
  for (std::uint32_t i = 0; i < graph.devices().size(); ++i) {
    if (graph.device(i).name == text && !text.empty()) return i;
  }
  const auto part = parse_part(text);
  return part ? graph.find_device(part->guid) : kNone;
}

}  // namespace

Status Topology::find_port(std::string_view text, LinkEnd& end) const {
  const Wiring& wiring = routing_->wiring();
  const auto [name, port] = split_port(text);
  NodeId host;
  end = {written_ ? device_of_graph(written_->graph, name)
                  : switch_of_tree(tree_, computed_->wiring(), name),
         port.value_or(0)};
  if (end.device == kNone && find_host(name, host).is_ok()) {
    end = wiring.endpoint(host);
    if (port) end.port = *port;
  }
  const std::string shown = "'" + excerpt(text) + "'";
  if (end.device == kNone) {
    return Status::error("no part of the fabric is called " + shown +
                         "; expected a host, a switch such as leaf-0, or a GUID, and [port] for "
                         "one of its links");
  }
  const std::uint32_t ports = wiring.ports(end.device);
  if (port && (*port == 0 || *port > ports)) {
    return Status::error(shown + ": that device has ports 1 to " + std::to_string(ports));
  }
  return Status::ok();
}

Status Topology::find_link(std::string_view text, LinkEnd& end) const {
  if (Status status = find_port(text, end); !status.is_ok()) return status;
  const std::string shown = "'" + excerpt(text) + "'";
  if (end.port == 0) {
    return Status::error(shown + " is a switch; expected one of its links, such as " +
                         std::string(text) + "[1]");
  }
  if (routing_->wiring().link_at(end) != kNone) return Status::ok();
  return Status::error(shown + " is a port without a cable");
}

Status Topology::find_device(std::string_view text, bool is_switch, std::uint32_t& device) const {
  LinkEnd end;
  if (Status status = find_port(text, end); !status.is_ok()) return status;
  device = end.device;
  if (routing_->wiring().is_switch(device) == is_switch) return Status::ok();
  return Status::error("'" + excerpt(text) + "' is " + (is_switch ? "no switch" : "a switch") +
                       "; expected " + (is_switch ? "a switch" : "a host or its adapter"));
}

}  // namespace holdfast::sim
