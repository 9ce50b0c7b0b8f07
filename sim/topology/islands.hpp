// Which nodes a damaged fabric still joins: two are on one island if living devices and links lead
// from one to the other, whatever the tables in force make of it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology/dead_parts.hpp"
#include "sim/topology/wiring.hpp"

namespace holdfast::sim {

// By node, of the first `nodes` hosts: its island. 0 is the one with the most of them, of equal
// ones that with the lowest node; the others count on in the order of their lowest nodes. A node
// without a living link is an island by itself. O(devices + links).
std::vector<std::uint32_t> islands_of(const Wiring& wiring, const DeadParts& dead,
                                      std::uint32_t nodes);

}  // namespace holdfast::sim
