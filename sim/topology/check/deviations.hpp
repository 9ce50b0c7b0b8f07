// Cables that the pattern expects and that are not there, and cables that are there and not
// expected. Private to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology/check/pattern.hpp"

namespace holdfast::sim {

// One cable. A port is the one where the like of a node have this cable (most lower nodes of the
// group to that upper node, or most upper ones to that lower node); if they do not agree, the only
// port that is usual on this level and free or wrongly used. Port 0: not known.
struct MissingCable {
  std::uint32_t lower = 0;  // nodes
  std::uint32_t upper = 0;
  LinkEnd lower_port;
  LinkEnd upper_port;
};

struct Deviations {
  std::vector<MissingCable> missing;  // by group, lower and upper node
  std::vector<std::uint32_t> extra;   // links, ascending
};

// More cables of a host than it needs are no deviation; they count only where it lacks others.
// Hosts without any cable to level 1 are not here.
Deviations find_deviations(const Pattern& pattern);

}  // namespace holdfast::sim
