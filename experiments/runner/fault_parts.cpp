// Parts by their names and numbers; see the header.
#include "experiments/runner/fault_parts.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "experiments/config/nearest.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::runner {

namespace {

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

}  // namespace

const char* word_of(FaultTarget what) {
  switch (what) {
    case FaultTarget::process:
      return "process";
    case FaultTarget::node:
      return "node";
    case FaultTarget::adapter:
      return "adapter";
    case FaultTarget::link:
      return "link";
    case FaultTarget::switch_chip:
      return "switch";
    case FaultTarget::leaf:
      return "leaf";
    case FaultTarget::spine:
      return "spine";
    case FaultTarget::board:
      return "board";
    case FaultTarget::chassis:
      break;
  }
  return "chassis";
}

FaultParts::FaultParts(const sim::Topology& topology, std::uint32_t nodes, std::uint32_t per_node)
    : topology_(topology),
      nodes_(nodes),
      processes_(nodes * per_node),
      modules_(topology.modules()) {
  for (std::uint32_t host = 0; host < topology.host_count(); ++host) {
    const sim::LinkEnd port = wiring().endpoint({host});
    if (port.device != sim::kNone) hosts_of_[wiring().far_end(port).device].push_back(host);
  }
}

bool FaultParts::is_of_kind(FaultTarget what, std::uint32_t device) const {
  if (wiring().is_switch(device) != (what != FaultTarget::adapter)) return false;
  if (what == FaultTarget::leaf) return hosts_of_.contains(device);
  return what != FaultTarget::spine || !hosts_of_.contains(device);
}

// What could have been meant: a name among those of the kind, of links one of their devices.
Status FaultParts::with_nearest(const Status& status, FaultTarget what, std::string_view which,
                                std::vector<std::string> names) const {
  const bool device = what == FaultTarget::link;
  const std::string_view asked = device ? which.substr(0, which.rfind('[')) : which;
  for (const FaultTarget kind : {what, FaultTarget::switch_chip, FaultTarget::node}) {
    if (kind != what && !device) continue;
    if (kind == FaultTarget::link) continue;
    for (const std::uint32_t part : all(kind)) names.push_back(name(kind, part));
  }
  return Status::error(status.message() + config::did_you_mean(asked, names));
}

Status FaultParts::find_process(std::string_view which, std::uint32_t& part) const {
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), part);
  if (error == std::errc() && end == which.data() + which.size() && part < processes_)
    return Status::ok();
  return Status::error(quoted(which) + " is no process; expected a rank 0 … " +
                       std::to_string(processes_ - 1));
}

Status FaultParts::find_host(std::string_view which, NodeId& host) const {
  const Status status = topology_.find_host(which, host);
  return status.is_ok() ? status : with_nearest(status, FaultTarget::node, which);
}

Status FaultParts::find_node(std::string_view which, std::uint32_t& part) const {
  NodeId node;
  if (Status status = topology_.find_host(which, node); !status.is_ok())
    return with_nearest(status, FaultTarget::node, which, {kDrawnParts});
  part = node.value;
  if (part < nodes_) return Status::ok();
  return Status::error(quoted(which) + " carries no process; only the first " +
                       std::to_string(nodes_) + " hosts do (processes.nodes)");
}

Status FaultParts::find_module(FaultTarget what, std::string_view which,
                               std::uint32_t& part) const {
  if (Status status = check_any(what); !status.is_ok()) return status;
  const std::vector<sim::Module>& all = modules(what);
  for (part = 0; part < all.size(); ++part)
    if (all[part].name == which) return Status::ok();
  const char* kind = what == FaultTarget::board ? "board" : "chassis";
  return with_nearest(Status::error("no " + std::string(kind) + " is called " + quoted(which) +
                                    "; expected " + all.front().name + " … " + all.back().name),
                      what, which);
}

Status FaultParts::find(FaultTarget what, std::string_view which, std::uint32_t& part) const {
  switch (what) {
    case FaultTarget::process:
      return find_process(which, part);
    case FaultTarget::node:
      return find_node(which, part);
    case FaultTarget::board:
    case FaultTarget::chassis:
      return find_module(what, which, part);
    case FaultTarget::link: {
      sim::LinkEnd end;
      Status status = topology_.find_link(which, end);
      if (!status.is_ok()) return with_nearest(status, what, which);
      part = wiring().link_at(end);
      return Status::ok();
    }
    case FaultTarget::adapter:
    case FaultTarget::switch_chip:
    case FaultTarget::leaf:
    case FaultTarget::spine:
      break;
  }
  Status status = topology_.find_device(which, what != FaultTarget::adapter, part);
  if (!status.is_ok()) return with_nearest(status, what, which);
  if (is_of_kind(what, part)) return status;
  return Status::error(quoted(which) + (what == FaultTarget::leaf
                                            ? " is a switch that no host hangs on; expected a leaf"
                                            : " is a switch that hosts hang on; expected another"));
}

std::string FaultParts::name(FaultTarget what, std::uint32_t part) const {
  switch (what) {
    case FaultTarget::process:
      return std::to_string(part);
    case FaultTarget::node:
      return topology_.host_name({part});
    case FaultTarget::board:
    case FaultTarget::chassis:
      return modules(what)[part].name;
    case FaultTarget::link:
      return topology_.part_text(wiring().ends(part)[0]);
    case FaultTarget::adapter:
    case FaultTarget::switch_chip:
    case FaultTarget::leaf:
    case FaultTarget::spine:
      break;
  }
  return topology_.part_text({part, 0});
}

std::vector<std::uint32_t> FaultParts::all(FaultTarget what) const {
  std::vector<std::uint32_t> parts;
  const auto count_to = [&parts](std::size_t end) {
    for (std::uint32_t part = 0; part < end; ++part) parts.push_back(part);
  };
  switch (what) {
    case FaultTarget::process:
      count_to(processes_);
      return parts;
    case FaultTarget::node:
      count_to(nodes_);
      return parts;
    case FaultTarget::board:
    case FaultTarget::chassis:
      count_to(modules(what).size());
      return parts;
    case FaultTarget::link:
      count_to(wiring().links());
      return parts;
    case FaultTarget::adapter:
    case FaultTarget::switch_chip:
    case FaultTarget::leaf:
    case FaultTarget::spine:
      break;
  }
  for (std::uint32_t device = 0; device < wiring().devices(); ++device)
    if (is_of_kind(what, device)) parts.push_back(device);
  return parts;
}

Status FaultParts::check_any(FaultTarget what) const {
  const bool module = what == FaultTarget::board || what == FaultTarget::chassis;
  if (module && modules(what).empty()) {
    return Status::error(
        "this topology has no chassis or boards; a generated tree has them from two levels on, an "
        "imported fabric if `ibnetdiscover -g` says which chip is on which");
  }
  if (what == FaultTarget::spine && all(what).empty())
    return Status::error("this topology has no switch without hosts; expected another part");
  return Status::ok();
}

std::vector<sim::FaultPart> FaultParts::pieces(FaultTarget what, std::uint32_t part) const {
  std::vector<sim::FaultPart> pieces;
  switch (what) {
    case FaultTarget::process:
      return {{sim::FaultTarget::process, part}};
    case FaultTarget::node:
      return {{sim::FaultTarget::node, part}};
    case FaultTarget::link:
      return {{sim::FaultTarget::link, part}};
    case FaultTarget::adapter:
    case FaultTarget::switch_chip:
    case FaultTarget::spine:
      return {{sim::FaultTarget::device, part}};
    case FaultTarget::board:
    case FaultTarget::chassis:
      for (const std::uint32_t chip : modules(what)[part].chips)
        pieces.push_back({sim::FaultTarget::device, chip});
      return pieces;
    case FaultTarget::leaf:
      break;
  }
  pieces.push_back({sim::FaultTarget::device, part});
  for (const std::uint32_t host : hosts_of_.at(part))
    if (host < nodes_) pieces.push_back({sim::FaultTarget::node, host});
  return pieces;
}

std::vector<sim::Impairment> FaultParts::links_of(FaultTarget what, std::uint32_t part,
                                                  bool away) const {
  std::vector<sim::Impairment> links;
  if (what == FaultTarget::link) {
    links.push_back({part, {}, 0.0, 0.0});
    if (away) links.back().direction = 0;
    return links;
  }
  std::set<std::uint32_t> inside;
  for (const sim::FaultPart& piece : pieces(what, part))
    if (piece.target == sim::FaultTarget::device) inside.insert(piece.index);
  for (const std::uint32_t device : inside) {
    for (std::uint32_t port = 1; port <= wiring().ports(device); ++port) {
      const std::uint32_t link = wiring().link_at({device, port});
      if (link == sim::kNone) continue;
      const auto ends = wiring().ends(link);
      const std::uint32_t own = ends[0].device == device ? 0 : 1;
      // A link within a board or chassis is met from both its ends: both directions lead away.
      if (away) links.push_back({link, own, 0.0, 0.0});
      if (!away && (own == 0 || !inside.contains(ends[0].device)))
        links.push_back({link, {}, 0.0, 0.0});
    }
  }
  return links;
}
}  // namespace holdfast::runner
