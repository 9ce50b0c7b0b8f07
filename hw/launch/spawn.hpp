// One child process: its own process group, dead with its parent, with three descriptors handed
// down.
#pragma once

#include <string>
#include <vector>

#include "stack/base/status.hpp"

namespace holdfast::hw {

// Descriptors of the parent that become kControlDescriptor, kLogDescriptor and kTableDescriptor.
struct HandedDown {
  int control = -1;
  int log = -1;
  int table = -1;
};

// Starts `program`. It inherits standard streams and nothing else, and the default treatment of
// every signal. If it cannot be executed, the child says so and exits with 127.
Status spawn(const std::string& program, const std::vector<std::string>& arguments,
             const HandedDown& descriptors, int& pid);

}  // namespace holdfast::hw
