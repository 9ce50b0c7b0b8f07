// Looking facts up by name; see the header.
#include "hw/probe/fact.hpp"

#include <algorithm>

namespace holdfast::hw {

const Fact* FactGroup::find(const std::string& fact) const {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const Fact& one) { return one.name == fact; });
  return found == facts.end() ? nullptr : &*found;
}

const FactGroup* FactGroup::part(const std::string& name_of_part) const {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const FactGroup& one) { return one.name == name_of_part; });
  return found == parts.end() ? nullptr : &*found;
}

bool FactGroup::is_true(const std::string& fact) const {
  const Fact* found = find(fact);
  return found != nullptr && found->value == FactValue(true);
}

}  // namespace holdfast::hw
