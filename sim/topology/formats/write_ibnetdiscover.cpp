// A fabric as ibnetdiscover prints it; the reader is ibnetdiscover_reader.cpp.
#include <algorithm>
#include <utility>
#include <vector>

#include "sim/topology/formats/form_text.hpp"
#include "sim/topology/formats/formats.hpp"
#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

namespace {

// The highest address of one port; those above are of groups (InfiniBand Architecture volume 1,
// 4.1.3).
constexpr std::uint32_t kLidMax = 0xbfff;

// Adapters that share this are one host for the reader, unless they are more than it believes.
constexpr std::size_t kAdaptersOfBoardMax = 8;

std::string hex(std::uint64_t guid) {
  const std::string text = guid_text(guid).substr(2);
  const std::size_t first = text.find_first_not_of('0');
  return first == std::string::npos ? "0" : text.substr(first);
}

class Writer {
 public:
  explicit Writer(const FabricGraph& graph) : graph_(graph) {
    for (std::uint32_t d = 0; d < graph.devices().size(); ++d) order_.push_back(d);
    // Switches first, as they are discovered; the same fabric gives the same text.
    std::sort(order_.begin(), order_.end(), [&graph](std::uint32_t a, std::uint32_t b) {
      const auto key = [&graph](std::uint32_t d) {
        const Device& device = graph.device(d);
        const int kind = device.kind == DeviceKind::switch_chip ? 0
                         : device.kind == DeviceKind::adapter   ? 1
                                                                : 2;
        return std::pair(kind, device.guid);
      };
      return key(a) < key(b);
    });
  }

  Status write(std::string& text) {
    if (Status ports = check_port_counts(graph_); !ports.is_ok()) return ports;
    if (Status lids = give_lids(); !lids.is_ok()) return lids;
    if (Status rates = name_rates(); !rates.is_ok()) return rates;
    text_ = "#\n# Topology file: written by holdfast\n#\n";
    for (const std::uint32_t device : order_) add_section(device);
    text = std::move(text_);
    return Status::ok();
  }

 private:
  // A switch has one, other devices one for each port.
  Status give_lids() {
    std::uint32_t next = 1;
    first_lid_.resize(order_.size());
    for (const std::uint32_t index : order_) {
      const Device& device = graph_.device(index);
      first_lid_[index] = next;
      next += device.kind == DeviceKind::switch_chip
                  ? 1
                  : static_cast<std::uint32_t>(device.ports.size() - 1);
      if (next <= kLidMax + 1) continue;
      return Status::error("the fabric has more than " + std::to_string(kLidMax) +
                           " switches and ports of adapters, which is what a subnet of InfiniBand "
                           "has addresses for");
    }
    return Status::ok();
  }

  Status name_rates() {
    for (const Link& link : graph_.links()) {
      rates_.emplace_back();
      if (Status rate = rate_name(graph_, link, rates_.back()); !rate.is_ok()) return rate;
    }
    return Status::ok();
  }

  std::string lid(LinkEnd port) const {
    const bool is_switch = graph_.device(port.device).kind == DeviceKind::switch_chip;
    return std::to_string(first_lid_[port.device] + (is_switch ? 0 : port.port - 1));
  }

  std::uint64_t system_guid(const Device& device) const {
    if (device.kind != DeviceKind::adapter) return device.guid;
    const std::vector<std::uint32_t>& adapters = graph_.host(device.host).adapters;
    return adapters.size() > kAdaptersOfBoardMax ? device.guid
                                                 : graph_.device(adapters.front()).guid;
  }

  void add_section(std::uint32_t index) {
    const Device& device = graph_.device(index);
    const bool is_switch = device.kind == DeviceKind::switch_chip;
    const bool is_adapter = device.kind == DeviceKind::adapter;
    const std::string guid = hex(device.guid);
    text_ += "\nvendid=0x0\ndevid=0x0\nsysimgguid=0x" + hex(system_guid(device)) + "\n";
    text_ += is_switch ? "switchguid=0x" + guid + "(" + guid + ")\n"
                       : (is_adapter ? "caguid=0x" : "rtguid=0x") + guid + "\n";
    text_ += is_switch ? "Switch" : is_adapter ? "Ca" : "Rt";
    text_ += "\t" + std::to_string(device.ports.size() - 1) + " \"" + node_id(device) +
             "\"\t\t# \"" + node_description(graph_, index) + "\"";
    if (is_switch) text_ += " base port 0 lid " + lid({index, 0}) + " lmc 0";
    text_ += "\n";
    for (std::uint32_t p = 1; p < device.ports.size(); ++p) {
      if (device.ports[p].link != kNone) add_port({index, p}, is_switch);
    }
  }

  void add_port(LinkEnd here, bool is_switch) {
    const Port& port = graph_.device(here.device).ports[here.port];
    const LinkEnd& far = graph_.links()[port.link].end_away_from(here.device);
    const Device& peer = graph_.device(far.device);
    const std::uint64_t peer_guid = peer.ports[far.port].guid;
    text_ += "[" + std::to_string(here.port) + "]";
    text_ += port.guid == 0 ? "\t" : "(" + hex(port.guid) + ") \t";
    text_ += "\"" + node_id(peer) + "\"[" + std::to_string(far.port) + "]";
    text_ += peer_guid == 0 ? "\t\t# " : "(" + hex(peer_guid) + ") \t\t# ";
    if (!is_switch) text_ += "lid " + lid(here) + " lmc 0 ";
    text_ += "\"" + node_description(graph_, far.device) + "\" lid " + lid(far) + " " +
             rates_[port.link] + "\n";
  }

  const FabricGraph& graph_;
  std::vector<std::uint32_t> order_;      // of the sections
  std::vector<std::uint32_t> first_lid_;  // by device
  std::vector<std::string> rates_;        // by link
  std::string text_;
};

}  // namespace

Status write_ibnetdiscover(const FabricGraph& graph, std::string& text) {
  return Writer(graph).write(text);
}

}  // namespace holdfast::sim
