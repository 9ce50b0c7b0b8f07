// Parts by name; see the header.
#include "sim/topology/part_search.hpp"

#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

namespace {

// "leaf-3" and 19 of "leaf-3[19]"; no port where there is none, nothing where it is wrong.
struct Place {
  std::string_view device;
  std::optional<std::uint32_t> port;
};
std::optional<Place> split_port(std::string_view text) {
  if (!text.ends_with(']')) return Place{text, {}};
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos) return std::nullopt;
  const auto port = parse_decimal(text.substr(open + 1, text.size() - open - 2), 65'535);
  if (!port || *port == 0) return std::nullopt;
  return Place{text.substr(0, open), static_cast<std::uint32_t>(*port)};
}

// The switch of this name or GUID in a tree that is not written out; kNone: there is none.
std::uint32_t switch_of_tree(const Pgft& tree, const PgftWiring& wiring, std::string_view text) {
  if (const auto part = parse_part(text); part && !part->port) {
    const auto level = static_cast<std::uint32_t>(part->guid >> 40 & 0xff);
    const auto index = static_cast<std::uint32_t>(part->guid & 0xffff'ffff);
    const bool exists = level >= 1 && level <= tree.levels() && index < tree.nodes(level);
    if (exists && part->guid == Pgft::switch_guid(level, index)) {
      return wiring.device_of(level, index);
    }
  }
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos) return kNone;
  const auto index = parse_decimal(text.substr(dash + 1), Pgft::kHostsMax);
  for (std::uint32_t level = 1; index && level <= tree.levels(); ++level) {
    const auto number = static_cast<std::uint32_t>(*index);
    if (number < tree.nodes(level) && tree.switch_name(level, number) == text) {
      return wiring.device_of(level, number);
    }
  }
  return kNone;
}

std::uint32_t switch_of_graph(const FabricGraph& graph, std::string_view text) {
  std::uint32_t described = kNone;
  bool unique = true;
  for (std::uint32_t d = 0; d < graph.devices().size(); ++d) {
    const Device& device = graph.device(d);
    if (device.kind != DeviceKind::switch_chip) continue;
    if (device.name == text) return d;
    if (device.description != text) continue;
    unique = described == kNone;
    described = d;
  }
  if (described != kNone && unique) return described;
  const auto part = parse_part(text);
  if (!part || part->port) return kNone;
  const std::uint32_t found = graph.find_device(part->guid);
  const bool is_switch = found != kNone && graph.device(found).kind == DeviceKind::switch_chip;
  return is_switch ? found : kNone;
}

class Search {
 public:
  explicit Search(const Topology& topology)
      : topology_(topology), wiring_(topology.routing().wiring()) {}

  Status find(PartKind kind, std::string_view text, FabricPart& part) const {
    if (kind == PartKind::link) return find_link(text, part);
    const std::uint32_t device = kind == PartKind::adapter ? adapter(text) : switch_chip(text);
    if (device != kNone) {
      part = {FabricPart::Kind::device, device};
      return Status::ok();
    }
    return Status::error("'" + excerpt(text) + "' is no " +
                         (kind == PartKind::adapter
                              ? "host's adapter; expected a host's name, index or GUID"
                              : "switch; expected a name such as " + example() + ", or a GUID"));
  }

 private:
  std::uint32_t switch_chip(std::string_view text) const {
    return topology_.graph() != nullptr
               ? switch_of_graph(*topology_.graph(), text)
               : switch_of_tree(topology_.tree(), static_cast<const PgftWiring&>(wiring_), text);
  }

  // The adapter that carries a host's traffic; kNone if there is no such host, or it has none.
  std::uint32_t adapter(std::string_view text) const {
    NodeId node;
    return topology_.find_host(text, node).is_ok() ? wiring_.endpoint(node).device : kNone;
  }

  Status find_link(std::string_view text, FabricPart& part) const {
    const auto place = split_port(text);
    std::uint32_t link = kNone;
    if (place && place->port) {
      std::uint32_t device = switch_chip(place->device);
      if (device == kNone) device = adapter(place->device);
      if (device != kNone && *place->port <= wiring_.ports(device)) {
        link = wiring_.link_at({device, *place->port});
      }
    } else if (place) {
      NodeId node;
      if (topology_.find_host(place->device, node).is_ok()) {
        const LinkEnd endpoint = wiring_.endpoint(node);
        if (endpoint.device != kNone) link = wiring_.link_at(endpoint);
      }
    }
    if (link == kNone) {
      return Status::error("'" + excerpt(text) +
                           "' is no link; expected a port that has a cable, " + "such as " +
                           example() + "[1], or a host, for the link that it uses");
    }
    part = {FabricPart::Kind::link, link};
    return Status::ok();
  }

  std::string example() const {
    for (std::uint32_t d = 0; d < wiring_.devices(); ++d) {
      if (wiring_.is_switch(d)) return part_name(topology_, {FabricPart::Kind::device, d});
    }
    return "leaf-0";
  }

  const Topology& topology_;
  const Wiring& wiring_;
};

std::string device_name(const Topology& topology, std::uint32_t device) {
  if (topology.graph() != nullptr) return topology.graph()->part_text(device);
  const auto& wiring = static_cast<const PgftWiring&>(topology.routing().wiring());
  const Pgft& tree = topology.tree();
  const std::uint32_t level = wiring.level_of(device);
  if (level > 0) return tree.switch_name(level, device - wiring.device_of(level, 0));
  const std::string host = tree.host_name({device / tree.up(1)});
  return tree.up(1) == 1 ? host : host + "/" + std::to_string(device % tree.up(1));
}

}  // namespace

Status find_part(const Topology& topology, PartKind kind, std::string_view text, FabricPart& part) {
  return Search(topology).find(kind, text, part);
}

std::vector<FabricPart> parts_of(const Topology& topology, PartKind kind) {
  const Wiring& wiring = topology.routing().wiring();
  std::vector<FabricPart> parts;
  if (kind == PartKind::link) {
    for (std::uint32_t i = 0; i < wiring.links(); ++i) {
      parts.push_back({FabricPart::Kind::link, i});
    }
    return parts;
  }
  const FabricGraph* graph = topology.graph();
  for (std::uint32_t d = 0; d < wiring.devices(); ++d) {
    const bool router = graph != nullptr && graph->device(d).kind == DeviceKind::router;
    if (router || wiring.is_switch(d) != (kind == PartKind::switch_chip)) continue;
    parts.push_back({FabricPart::Kind::device, d});
  }
  return parts;
}

std::string part_name(const Topology& topology, FabricPart part) {
  if (part.kind == FabricPart::Kind::device) return device_name(topology, part.index);
  std::string text;
  for (const LinkEnd& end : topology.routing().wiring().ends(part.index)) {
    text += (text.empty() ? "" : " to ") + device_name(topology, end.device) + "[" +
            std::to_string(end.port) + "]";
  }
  return text;
}

}  // namespace holdfast::sim
