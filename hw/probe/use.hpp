// What Holdfast does with the machine, and why not with the rest: drawn from the facts.
#pragma once

#include <string>
#include <vector>

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

struct Use {
  std::string what;
  bool used = false;
  std::string why;
};

// `machine` has the groups of probe_machine as parts.
std::vector<Use> uses_of(const FactGroup& machine);

}  // namespace holdfast::hw
