// One child process: in a process group, dead with its parent, with descriptors handed down.
#pragma once

#include <string>
#include <vector>

#include "stack/base/status.hpp"

namespace holdfast::hw {

struct Executable {
  std::string path;
  std::vector<std::string> arguments;
  std::vector<std::string> environment = {};  // NAME=value, beside what the parent has
  bool reads_nothing = false;                 // its standard input is empty
  int group = 0;                              // of processes, which it joins; 0: it founds one
};

// Descriptors of the parent. The first three become kControlDescriptor, kLogDescriptor and
// kTableDescriptor; -1: closed.
struct HandedDown {
  int control = -1;
  int log = -1;
  int table = -1;
  int name_space = -1;  // of the network, which it enters instead; -1: the parent's
};

// Starts it. It inherits standard streams and what is handed down, and the default treatment of
// every signal. If it cannot be executed, the child says so and exits with 127.
Status spawn(const Executable& executable, const HandedDown& descriptors, int& pid);

}  // namespace holdfast::hw
