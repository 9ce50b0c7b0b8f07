// Reading linear forwarding tables; see the header. First all lines are read as (switch, LID, port)
// and the LIDs of port GUIDs, then the hosts' LIDs become paths.
#include "sim/topology/linear_tables.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

namespace {

constexpr std::uint32_t kNoWay = 255;

// The hexadecimal number after the first `key` of the line.
std::optional<std::uint64_t> hex_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + key.size());
  return parse_hex(rest.substr(0, rest.find_first_not_of("0123456789abcdefABCDEF")));
}

class TableReader {
 public:
  TableReader(const std::string& file_name, const FabricGraph& graph)
      : graph_(graph), errors_(file_name), file_name_(file_name) {}

  Status read(std::string_view text, std::optional<ForwardingTables>& tables,
              std::vector<std::string>& warnings) {
    for (std::size_t line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end), line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (errors_.empty() && sections_.empty()) {
      errors_.add(1, "no table found; expected sections that begin with 'Unicast lids'");
    }
    if (!errors_.empty()) return errors_.status();
    std::uint32_t paths = 0;
    if (Status status = count_paths(paths); !status.is_ok()) return status;
    ForwardingTables made(graph_, paths);
    fill(made);
    if (Status status = check_circles(made); !status.is_ok()) return status;
    tables = std::move(made);
    warn(warnings);
    return Status::ok();
  }

 private:
  void read_line(std::string_view line, std::size_t number) {
    if (line.starts_with("Unicast lids")) {
      begin_section(line, number);
    } else if (line.starts_with("0x")) {
      read_entry(line, number);
    }
  }

  void begin_section(std::string_view line, std::size_t number) {
    device_ = kNone;
    const auto guid = hex_after(line, " guid 0x");
    if (!guid) return errors_.add(number, "expected 'guid 0x...' of the switch in this line");
    const std::uint32_t device = graph_.find_device(*guid);
    if (device == kNone || graph_.device(device).kind != DeviceKind::switch_chip) {
      return errors_.add(number, "no switch of the fabric has the GUID " + guid_text(*guid) +
                                     "; the tables must be of the fabric that is given");
    }
    if (!sections_.insert(device).second) {
      return errors_.add(number, "a second table of " + graph_.part_text(device));
    }
    device_ = device;
  }

  void read_entry(std::string_view line, std::size_t number) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const auto lid = parse_hex(line.substr(2, blank - 2));
    std::string_view rest = line.substr(std::min(blank + 1, line.size()));
    const auto port = parse_decimal(rest.substr(0, rest.find(' ')), kNoWay);
    if (lid && *lid <= 0xffff && rest.starts_with("UNREACHABLE")) return;
    if (!lid || *lid > 0xffff || !port) {
      return errors_.add(number, "found '" + excerpt(line) +
                                     "'; expected a LID up to 0xffff and an output port up to 255, "
                                     "as in 0x0004 005");
    }
    if (sections_.empty()) return errors_.add(number, "an entry before the first section");
    if (device_ == kNone) return;  // its section is wrong, and said to be
    if (const auto guid = hex_after(line, "portguid 0x")) {
      lids_of_guid_[*guid].insert(static_cast<std::uint32_t>(*lid));
    }
    if (*port == 0 || *port == kNoWay) return;
    const Device& device = graph_.device(device_);
    if (*port >= device.ports.size() || device.ports[*port].link == kNone) {
      return errors_.add(number, "port " + std::to_string(*port) + " of " +
                                     graph_.part_text(device_) + " has no cable");
    }
    const auto [entry, is_new] = ports_.emplace(
        std::pair{device_, static_cast<std::uint32_t>(*lid)}, static_cast<std::uint16_t>(*port));
    if (!is_new && entry->second != *port) {
      errors_.add(number, "a second output port for LID " + std::string(line.substr(0, blank)));
    }
  }

  // The LIDs of a host, ascending; empty if the file does not name it.
  std::vector<std::uint32_t> lids_of(NodeId host) const {
    const std::uint32_t link = graph_.endpoint_link(host);
    if (link == kNone) return {};
    for (const LinkEnd& end : graph_.links()[link].ends) {
      const Device& device = graph_.device(end.device);
      if (device.kind != DeviceKind::adapter || device.host != host) continue;
      const auto found = lids_of_guid_.find(device.ports[end.port].guid);
      if (found != lids_of_guid_.end()) return {found->second.begin(), found->second.end()};
    }
    return {};
  }

  Status count_paths(std::uint32_t& paths) const {
    NodeId first;
    for (std::uint32_t h = 0; h < graph_.host_count(); ++h) {
      const auto lids = static_cast<std::uint32_t>(lids_of(NodeId{h}).size());
      if (lids == 0) continue;
      if (paths == 0) first = NodeId{h};
      if (paths == 0) paths = lids;
      if (lids == paths) continue;
      return Status::error(file_name_ + ": " + graph_.host(first).name + " has " +
                           std::to_string(paths) + " LIDs and " + graph_.host(NodeId{h}).name +
                           " has " + std::to_string(lids) +
                           "; expected as many for each host (one LMC)");
    }
    if (paths > 0) return Status::ok();
    return Status::error(file_name_ +
                         ": no LID of a host of the fabric; expected lines with 'portguid 0x...' "
                         "of its adapters");
  }

  void fill(ForwardingTables& tables) const {
    for (std::uint32_t h = 0; h < graph_.host_count(); ++h) {
      std::uint32_t path = 0;
      for (const std::uint32_t lid : lids_of(NodeId{h})) {
        for (const std::uint32_t device : sections_) {
          const auto found = ports_.find({device, lid});
          if (found != ports_.end()) tables.set_port(device, NodeId{h}, path, found->second);
        }
        ++path;
      }
    }
  }

  // Follows the table from each switch until it ends or meets a way that was followed before.
  Status check_circles(const ForwardingTables& tables) const {
    std::vector<std::uint32_t> walk_of(graph_.devices().size(), 0);
    std::uint32_t walks = 0;
    for (std::uint32_t h = 0; h < graph_.host_count(); ++h) {
      for (std::uint32_t path = 0; path < tables.paths(); ++path) {
        const std::uint32_t before = walks;
        for (const std::uint32_t start : sections_) {
          ++walks;
          std::uint32_t at = start;
          while (graph_.device(at).kind == DeviceKind::switch_chip && walk_of[at] <= before) {
            const std::uint16_t port = tables.port(at, NodeId{h}, path);
            if (port == 0) break;
            walk_of[at] = walks;
            at = graph_.links()[graph_.device(at).ports[port].link].end_away_from(at).device;
          }
          if (walk_of[at] != walks) continue;
          return Status::error(file_name_ + ": packets to " + graph_.host(NodeId{h}).name +
                               " go in a circle through " + graph_.part_text(at));
        }
      }
    }
    return Status::ok();
  }

  void warn(std::vector<std::string>& warnings) const {
    for (std::uint32_t d = 0; d < graph_.devices().size(); ++d) {
      if (graph_.device(d).kind != DeviceKind::switch_chip || sections_.contains(d)) continue;
      warnings.push_back(file_name_ + ": no table of " + graph_.part_text(d));
    }
    for (std::uint32_t h = 0; h < graph_.host_count(); ++h) {
      if (!lids_of(NodeId{h}).empty()) continue;
      warnings.push_back(file_name_ + ": no LID of " + graph_.host(NodeId{h}).name);
    }
  }

  const FabricGraph& graph_;
  ErrorList errors_;
  const std::string& file_name_;
  std::uint32_t device_ = kNone;  // whose section this is
  std::set<std::uint32_t> sections_;
  std::map<std::uint64_t, std::set<std::uint32_t>> lids_of_guid_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint16_t> ports_;  // by (device, LID)
};

}  // namespace

Status parse_linear_tables(std::string_view text, const std::string& file_name,
                           const FabricGraph& graph, std::optional<ForwardingTables>& tables,
                           std::vector<std::string>& warnings) {
  return TableReader(file_name, graph).read(text, tables, warnings);
}

}  // namespace holdfast::sim
