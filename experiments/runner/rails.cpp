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

Status Rails::check(FaultTarget what, std::uint32_t part) const {
  const bool is_link = what == FaultTarget::link;
  const std::uint32_t host = is_link ? host_of_link(part) : host_of_device(part);
  if (host == sim::kNone) {
    return Status::error(
        std::string(is_link ? "found a link between switches"
                            : "found an adapter beside the first one of its host") +
        "; expected one of a host: real hosts have one rail each, to a common switch");
  }
  const std::uint32_t device = wiring_.endpoint({host}).device;
  std::uint32_t cables = 0;
  for (std::uint32_t port = 1; port <= wiring_.ports(device); ++port)
    cables += wiring_.link_at({device, port}) != sim::kNone;
  if (cables == 1) return Status::ok();
  return Status::error("found a host with " + std::to_string(cables) +
                       " links; expected one of a host with one: real hosts have one rail each");
}

std::vector<hw::LaunchTarget> Rails::of(const sim::FaultEvent& event,
                                        const sim::FaultSchedule& faults) const {
  const auto rail = [this](std::uint32_t host, std::initializer_list<hw::RailFault> what) {
    std::vector<hw::LaunchTarget> targets;
    if (host >= nodes_) return targets;
    for (const hw::RailFault fault : what)
      targets.push_back({host, hw::LaunchTarget::Kind::rail, fault});
    return targets;
  };
  switch (event.target) {
    case sim::FaultTarget::process:
    case sim::FaultTarget::node:
      return {};
    case sim::FaultTarget::device:
      return rail(host_of_device(event.index), {hw::RailFault::cut});
    case sim::FaultTarget::link:
      return rail(host_of_link(event.index), {hw::RailFault::cut});
    case sim::FaultTarget::impairment:
      break;
  }
  const sim::Impairment& impairment = faults.impairments[event.index];
  const std::uint32_t host = host_of_link(impairment.link);
  if (!impairment.direction)
    return rail(host, {hw::RailFault::silent_from, hw::RailFault::silent_to});
  const std::uint32_t from = wiring_.ends(impairment.link)[*impairment.direction].device;
  return rail(host,
              {wiring_.is_switch(from) ? hw::RailFault::silent_to : hw::RailFault::silent_from});
}

}  // namespace holdfast::runner
