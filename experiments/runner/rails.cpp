// Hosts are looked for one by one: there are few, since each is a network namespace.
#include "experiments/runner/rails.hpp"

#include "sim/topology/fabric_graph.hpp"

namespace holdfast::runner {

std::uint32_t Rails::host_of_device(std::uint32_t device) const {
  for (std::uint32_t host = 0; host < wiring_.hosts(); ++host) {
    if (wiring_.endpoint({host}).device == device) return host;
  }
  return sim::kNone;
}

std::uint32_t Rails::host_of_link(std::uint32_t link) const {
  for (const sim::LinkEnd& end : wiring_.ends(link)) {
    if (!wiring_.is_switch(end.device)) return host_of_device(end.device);
  }
  return sim::kNone;
}

std::uint32_t Rails::host_of(const sim::FaultPart& part) const {
  return part.target == sim::FaultTarget::link ? host_of_link(part.index)
                                               : host_of_device(part.index);
}

Status Rails::check(FaultTarget what, std::uint32_t part) const {
  const bool is_link = what == FaultTarget::link;
  const std::uint32_t host = is_link ? host_of_link(part) : host_of_device(part);
  if (host == sim::kNone) {
    return Status::error(
        std::string(is_link ? "found a link between switches"
                            : "found an adapter beside the first one of its host") +
        "; expected one of a host, as real hosts have one rail each, to a common switch, or "
        "\"kind\": \"native\" in \"fabric\"");
  }
  const std::uint32_t device = wiring_.endpoint({host}).device;
  std::uint32_t cables = 0;
  for (std::uint32_t port = 1; port <= wiring_.ports(device); ++port)
    cables += wiring_.link_at({device, port}) != sim::kNone;
  if (cables == 1) return Status::ok();
  return Status::error("found a host with " + std::to_string(cables) +
                       " links; expected one of a host with one, as real hosts have one rail "
                       "each, or \"kind\": \"native\" in \"fabric\"");
}

std::vector<hw::LaunchTarget> Rails::of(const sim::FaultEvent& event,
                                        const sim::FaultSchedule& faults) const {
  const auto targets = [this](std::uint32_t host, std::optional<std::uint8_t> rail,
                              std::initializer_list<hw::RailFault> what) {
    std::vector<hw::LaunchTarget> found;
    if (host >= nodes_) return found;
    for (const hw::RailFault fault : what)
      found.push_back(
          {host, hw::LaunchTarget::Kind::rail, fault, rail ? *rail : hw::LaunchTarget::kAllRails});
    return found;
  };
  switch (event.target) {
    case sim::FaultTarget::process:
    case sim::FaultTarget::node:
    case sim::FaultTarget::frames:
      return {};
    case sim::FaultTarget::device:
    case sim::FaultTarget::link:
      return targets(host_of({event.target, event.index}), {}, {hw::RailFault::cut});
    case sim::FaultTarget::rail: {
      const sim::FaultedRail& one = faults.rails[event.index];
      return targets(host_of(one.of), one.rail, {hw::RailFault::cut});
    }
    case sim::FaultTarget::impairment:
      break;
  }
  const sim::Impairment& impairment = faults.impairments[event.index];
  const std::uint32_t host = host_of_link(impairment.link);
  if (!impairment.direction)
    return targets(host, impairment.rail, {hw::RailFault::silent_from, hw::RailFault::silent_to});
  const std::uint32_t from = wiring_.ends(impairment.link)[*impairment.direction].device;
  return targets(host, impairment.rail,
                 {wiring_.is_switch(from) ? hw::RailFault::silent_to : hw::RailFault::silent_from});
}

}  // namespace holdfast::runner
