// Which parts are dead; see the header.
#include "sim/topology/dead_parts.hpp"

#include "stack/base/assert.hpp"

namespace holdfast::sim {

bool DeadParts::remove(FabricPart part) {
  Counts& of_kind = counts(part);
  const auto found = of_kind.find(part.index);
  HOLDFAST_ASSERT(found != of_kind.end());
  if (--found->second > 0) return false;
  of_kind.erase(found);
  return true;
}

}  // namespace holdfast::sim
