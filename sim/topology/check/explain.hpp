// From deviations to findings: which of them are one mistake. Private to this folder.
//
// First come switches that lack at least half of their cables on one side, and at least two (one is
// enough on level 1 without hosts), or all: a finding each, and whatever else deviates at their
// ports goes with it. Of what is left, a missing cable and an extra one belong together if the
// extra one sits in the port where the missing one should be (or where ports follow no rule, on the
// same switch); whatever hangs together so is one finding.
#pragma once

#include <set>
#include <vector>

#include "sim/topology/check/check.hpp"
#include "sim/topology/check/deviations.hpp"

namespace holdfast::sim {

// Switches that have a finding of their own; what deviates at them needs no further one.
using Explained = std::set<std::uint32_t>;

// Removes from `deviations` what it has explained.
std::vector<Finding> explain_switches(const Pattern& pattern, Deviations& deviations,
                                      Explained& explained);

std::vector<Finding> explain_cables(const Pattern& pattern, const Deviations& deviations);

// Switches of level 1 with fewer hosts than most have, hosts that hang elsewhere or nowhere.
// `missing`: cables of hosts that have a finding already.
std::vector<Finding> explain_hosts(const Pattern& pattern, const std::vector<MissingCable>& missing,
                                   const Explained& explained);

// Groups with fewer switches than most have.
std::vector<Finding> explain_groups(const Pattern& pattern);

}  // namespace holdfast::sim
