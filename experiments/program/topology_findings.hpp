// The findings of a check of the cabling, for people and for programs.
#pragma once

#include <string>

#include "sim/topology/check/check.hpp"

namespace holdfast::program {

// What most of the fabric looks like, then the findings, then how many there are.
std::string findings_text(const sim::CheckReport& report);

// {"is_tree", "pattern": [text], "findings": [{"severity", "kind", "what", "expected", "remedy",
// "ports": [{"name", "description", "guid", "port"}]}]}; port null: not known which.
std::string findings_json(const sim::FabricGraph& graph, const sim::CheckReport& report);

}  // namespace holdfast::program
