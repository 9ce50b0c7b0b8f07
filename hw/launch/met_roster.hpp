// Which processes that have met are one node: those of one machine, if all machines have equally
// many.
#pragma once

#include <cstdint>
#include <span>

#include "hw/launch/meeting.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::hw {

// `members` by rank, at least one. Where machines differ in how many they have, or ranks are spread
// in another way than by slot or by node, every process is a node of its own. `per_node` above 0:
// so many in order of rank, whatever machines there are; must divide their number.
RosterOptions roster_of(std::span<const JobMember> members, std::uint32_t per_node);

}  // namespace holdfast::hw
