// Cables slower than most between the same levels. Private to this folder.
//
// find_slow_links (summary.hpp) compares the cables of one switch with the fastest of them, which
// is right for a line each; here one faster cable must not make all others look slow, so the most
// common rate counts; of equally common ones the faster. Where all cables of a switch to one level
// are slow alike, the switch is meant; and all such switches are one finding, because a generation
// of adapters is one fact.
#pragma once

#include <vector>

#include "sim/topology/check/check.hpp"
#include "sim/topology/check/pattern.hpp"

namespace holdfast::sim {

std::vector<Finding> find_slow_cables(const Pattern& pattern);

}  // namespace holdfast::sim
