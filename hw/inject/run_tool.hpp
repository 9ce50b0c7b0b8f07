// Runs one of the system's tools in a network namespace: what it is to do on its standard input.
#pragma once

#include <string>
#include <vector>

#include "stack/base/status.hpp"

namespace holdfast::hw {

// A tool, and the Debian package that has it.
struct Tool {
  const char* name;
  const char* package;
};

// Waits for its end. `name_space`: a descriptor of a network namespace. An error: it is not
// installed, the namespace cannot be entered, or what it said.
Status run_tool(const Tool& tool, const std::vector<std::string>& arguments, int name_space,
                const std::string& input);

}  // namespace holdfast::hw
