// kill(2) of a negative number: the whole group.
#include "hw/inject/process_groups.hpp"

#include <signal.h>

#include "stack/base/assert.hpp"

namespace holdfast::hw {

void ProcessGroups::joined(std::uint32_t host, std::int32_t pid) {
  Group& group = groups_[host];
  if (group.members++ == 0) group.number = pid;
}

void ProcessGroups::reaped(std::uint32_t host) {
  Group& group = groups_[host];
  HOLDFAST_ASSERT(group.members > 0);
  if (--group.members == 0) group.number = 0;
}

bool ProcessGroups::signal(std::uint32_t host, int number) const {
  const Group& group = groups_[host];
  return group.members > 0 && ::kill(-group.number, number) == 0;
}

}  // namespace holdfast::hw
