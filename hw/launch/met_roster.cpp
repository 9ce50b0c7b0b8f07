// Tries the two placements that a roster knows.
#include "hw/launch/met_roster.hpp"

#include <algorithm>
#include <vector>

namespace holdfast::hw {

namespace {

std::uint32_t machines_of(std::span<const JobMember> members) {
  std::vector<HostIdentity> machines;
  for (const JobMember& member : members) machines.push_back(member.host);
  std::sort(machines.begin(), machines.end());
  const auto last = std::unique(machines.begin(), machines.end());
  return static_cast<std::uint32_t>(last - machines.begin());
}

// Whether each node that the options make is one machine.
bool fits(const RosterOptions& options, std::span<const JobMember> members) {
  const Roster roster(options);
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const ProcessId first = roster.process_on(roster.node_of({i}), 0);
    if (members[i].host != members[first.value].host) return false;
  }
  return true;
}

}  // namespace

RosterOptions roster_of(std::span<const JobMember> members, std::uint32_t per_node) {
  const auto processes = static_cast<std::uint32_t>(members.size());
  if (per_node > 0) return {.nodes = processes / per_node, .per_node = per_node};
  const std::uint32_t machines = machines_of(members);
  for (const auto placement : {ProcessPlacement::by_slot, ProcessPlacement::by_node}) {
    const RosterOptions options{
        .nodes = machines, .per_node = processes / machines, .placement = placement};
    if (processes % machines == 0 && fits(options, members)) return options;
  }
  return {.nodes = processes, .per_node = 1};
}

}  // namespace holdfast::hw
