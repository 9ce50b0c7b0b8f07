// Imports the output of `ibnetdiscover`; see the header.
#include "sim/topology/ibnetdiscover.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/topology/host_grouping.hpp"
#include "sim/topology/ibnetdiscover_reader.hpp"
#include "sim/topology/link_rate.hpp"

namespace holdfast::sim {

namespace {

// How Mellanox's switches describe it.
constexpr std::string_view kAggregationNode = "Aggregation Node";

class Importer {
 public:
  Importer(const std::string& file_name, const NodeNames& names, Duration link_latency)
      : file_name_(file_name), names_(names), link_latency_(link_latency), errors_(file_name) {}

  Status import(std::string_view text, ImportedFabric& fabric) {
    sections_ = read_sections(text, errors_);
    if (sections_.empty()) return nothing_found();
    if (!errors_.empty()) return errors_.status();
    index_sections();
    check_links();
    if (!errors_.empty()) return errors_.status();
    leave_out_aggregation_nodes();
    sort_sections();
    add_hosts();
    add_others();
    connect();
    add_modules();
    warn_of_unknown_names();
    fabric.graph = std::move(graph_);
    fabric.modules = std::move(modules_);
    fabric.warnings = std::move(warnings_);
    return Status::ok();
  }

 private:
  // Another kind of file gets one error instead of one for each of its lines.
  Status nothing_found() const {
    std::string message =
        file_name_ + ": no device in it; expected what `ibnetdiscover` prints (without -p)";
    if (!errors_.empty()) {
      const std::string all = errors_.status().message();
      message += "\n" + all.substr(0, all.find('\n'));
    }
    return Status::error(message);
  }

  void index_sections() {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const DeviceSection& section = sections_[i];
      const auto [first, is_new] = section_of_guid_.emplace(section.guid, i);
      if (!is_new) {
        errors_.add(section.line, "a second section of " + guid_text(section.guid) +
                                      "; the first is on line " +
                                      std::to_string(sections_[first->second].line));
      }
      if (!section.kept) {
        warn(section.line,
             "a kind of section that is not known (expected Switch, Ca or Rt); the device "
             "and its links are left out");
      }
    }
  }

  // A switch chip shows the part of it that reduces on the way (SHARP) as an adapter of one port.
  // No process runs there, and no cable leads to it.
  void leave_out_aggregation_nodes() {
    std::size_t count = 0;
    for (DeviceSection& section : sections_) {
      if (section.kind != DeviceKind::adapter || !section.description.ends_with(kAggregationNode))
        continue;
      section.kept = false;
      ++count;
    }
    if (count == 0) return;
    warnings_.push_back(file_name_ + ": " + std::to_string(count) + " aggregation node" +
                        (count == 1 ? " is" : "s are") +
                        " left out: parts of switches (SHARP), no hosts");
  }

  void sort_sections() {
    std::sort(sections_.begin(), sections_.end(),
              [](const DeviceSection& a, const DeviceSection& b) { return a.guid < b.guid; });
    for (std::size_t i = 0; i < sections_.size(); ++i) section_of_guid_[sections_[i].guid] = i;
  }

  // The line of this port, or null.
  static const PortLine* find_port(const DeviceSection& section, std::uint32_t number) {
    for (const PortLine& port : section.ports) {
      if (port.port == number) return &port;
    }
    return nullptr;
  }

  void check_links() {
    for (const DeviceSection& section : sections_) {
      for (const PortLine& port : section.ports) check_link(section, port);
    }
    const auto has_ports = [](const DeviceSection& section) { return !section.ports.empty(); };
    if (std::none_of(sections_.begin(), sections_.end(), has_ports)) {
      errors_.add(sections_.back().line,
                  "no link in the file up to this, its last section; expected a line for each "
                  "cabled port: keep all that ibnetdiscover prints");
    }
    // One error, for they have one cause.
    if (dangling_links_ > 0) {
      errors_.add(
          first_dangling_->line,
          "the link leads to " + guid_text(first_dangling_->peer_guid) + ", which has no section" +
              (dangling_links_ == 1 ? std::string()
                                    : ", and so it is with " + std::to_string(dangling_links_ - 1) +
                                          " other links") +
              "; the file is not complete: keep all that ibnetdiscover prints");
    }
  }

  void check_link(const DeviceSection& section, const PortLine& port) {
    const auto found = section_of_guid_.find(port.peer_guid);
    if (found == section_of_guid_.end()) {
      if (dangling_links_++ == 0) first_dangling_ = &port;
      return;
    }
    const DeviceSection& peer = sections_[found->second];
    if (port.peer_port > peer.port_count) {
      return errors_.add(port.line, "the link leads to port " + std::to_string(port.peer_port) +
                                        " of a device with " + std::to_string(peer.port_count) +
                                        " ports (line " + std::to_string(peer.line) + ")");
    }
    const PortLine* back = find_port(peer, port.peer_port);
    if (back == nullptr) {
      // A third port may claim the same end; then there are two cables in one socket.
      const auto [claim, is_new] =
          claimed_.emplace(std::pair{port.peer_guid, port.peer_port}, port.line);
      if (!is_new) {
        return errors_.add(
            port.line, "the far port is named by line " + std::to_string(claim->second) + " too");
      }
      return warn(port.line, "the link is not listed from its other end; it is taken as it is");
    }
    if (back->peer_guid != section.guid || back->peer_port != port.port) {
      return errors_.add(port.line,
                         "the link's other end is on line " + std::to_string(back->line) +
                             ", which leads elsewhere; expected it to lead back to " +
                             guid_text(section.guid) + "[" + std::to_string(port.port) + "]");
    }
    if (back->bits_per_second != port.bits_per_second && back->line > port.line) {
      warn(port.line, "the link's other end (line " + std::to_string(back->line) +
                          ") has another rate; the slower is taken, " +
                          rate_text(std::min(port.bits_per_second, back->bits_per_second)));
    }
  }

  std::string name_of(std::uint64_t guid) const {
    const auto found = names_.find(guid);
    return found == names_.end() ? std::string{} : found->second;
  }

  void add_hosts() {
    std::vector<AdapterEvidence> evidence;
    std::vector<const DeviceSection*> adapters;
    for (const DeviceSection& section : sections_) {
      if (!section.kept || section.kind != DeviceKind::adapter) continue;
      adapters.push_back(&section);
      evidence.push_back(
          {section.guid, section.system_guid, name_of(section.guid), section.description});
    }
    for (const HostGroup& group : group_hosts(evidence, warnings_)) {
      const NodeId node = graph_.add_host(group.name);
      for (const std::size_t i : group.adapters) add_device(*adapters[i], node);
    }
  }

  void add_others() {
    for (const DeviceSection& section : sections_) {
      if (section.kept && section.kind != DeviceKind::adapter) add_device(section, {});
    }
  }

  void add_device(const DeviceSection& section, NodeId host) {
    const std::uint32_t device = graph_.add_device(
        Device{section.kind, section.guid, name_of(section.guid), section.description, host, {}},
        section.port_count);
    device_of_guid_[section.guid] = device;
    for (const PortLine& port : section.ports) {
      if (port.port_guid != 0) graph_.set_port_guid({device, port.port}, port.port_guid);
    }
  }

  void connect() {
    for (const DeviceSection& section : sections_) {
      for (const PortLine& port : section.ports) connect_port(section, port);
    }
  }

  void connect_port(const DeviceSection& section, const PortLine& port) {
    const DeviceSection& peer = sections_[section_of_guid_.at(port.peer_guid)];
    if (!section.kept || !peer.kept) return;
    const PortLine* back = find_port(peer, port.peer_port);
    if (&section == &peer) {
      if (port.port <= port.peer_port) warn(port.line, "a loop-back plug or cable; it is left out");
      return;
    }
    const LinkEnd here{device_of_guid_[section.guid], port.port};
    if (graph_.device(here.device).ports[here.port].link != kNone) return;  // from its other end
    const bool back_is_slower = back != nullptr && back->bits_per_second < port.bits_per_second;
    const PortLine& slower = back_is_slower ? *back : port;
    graph_.connect(here, {device_of_guid_[peer.guid], port.peer_port},
                   {slower.bits_per_second, link_latency_, slower.lanes});
  }

  // In order of their numbers.
  void add_modules() {
    using Chips = std::vector<std::uint32_t>;
    std::map<std::uint32_t, Chips> chassis;
    std::map<std::pair<std::uint32_t, std::string>, Chips> boards;
    for (const DeviceSection& section : sections_) {
      if (!section.kept || section.kind != DeviceKind::switch_chip || section.chassis == 0)
        continue;
      const std::uint32_t chip = device_of_guid_.at(section.guid);
      chassis[section.chassis].push_back(chip);
      if (!section.board.empty()) boards[{section.chassis, section.board}].push_back(chip);
    }
    const auto name = [](std::uint32_t number) { return "chassis-" + std::to_string(number); };
    for (auto& [number, chips] : chassis)
      modules_.chassis.push_back({name(number), std::move(chips)});
    for (auto& [place, chips] : boards)
      modules_.boards.push_back({name(place.first) + "/" + place.second, std::move(chips)});
  }

  void warn_of_unknown_names() {
    for (const auto& [guid, name] : names_) {
      if (section_of_guid_.count(guid) > 0) continue;
      warnings_.push_back("the node-name map names " + guid_text(guid) + " '" + excerpt(name) +
                          "', which is not in " + file_name_);
    }
  }

  void warn(std::size_t line, const std::string& message) {
    warnings_.push_back(file_name_ + ":" + std::to_string(line) + ": " + message);
  }

  const std::string& file_name_;
  const NodeNames& names_;
  const Duration link_latency_;
  ErrorList errors_;
  std::vector<std::string> warnings_;
  std::vector<DeviceSection> sections_;  // by GUID once checked
  std::map<std::uint64_t, std::size_t> section_of_guid_;
  std::map<std::uint64_t, std::uint32_t> device_of_guid_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> claimed_;
  std::size_t dangling_links_ = 0;  // to devices without a section
  const PortLine* first_dangling_ = nullptr;
  FabricGraph graph_;
  Modules modules_;
};

}  // namespace

Status parse_ibnetdiscover(std::string_view text, const std::string& file_name,
                           const NodeNames& names, Duration link_latency, ImportedFabric& fabric) {
  return Importer(file_name, names, link_latency).import(text, fabric);
}

}  // namespace holdfast::sim
