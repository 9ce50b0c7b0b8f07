// Runs one of the system's tools in a network namespace: what it is to do on its standard input.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "hw/descriptor.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

// A tool, and the Debian package that has it.
struct Tool {
  const char* name;
  const char* package;
};

// One that has been started and waits for its input: what it does then takes no time for its start.
// No process may be forked meanwhile that goes on without exec: it would keep the input open.
class StartedTool {
 public:
  StartedTool() = default;
  StartedTool(StartedTool&& other) noexcept { *this = std::move(other); }
  StartedTool& operator=(StartedTool&& other) noexcept;
  ~StartedTool() { kill(); }

  // `name_space`: a descriptor of a network namespace. An error says what this machine refuses.
  static Status start(const Tool& tool, const std::vector<std::string>& arguments, int name_space,
                      StartedTool& started);
  // Gives it all of its input and waits for its end; once. An error: it is not installed, the
  // namespace could not be entered, or what it said.
  Status finish(const std::string& input);

 private:
  void kill();

  Tool tool_{};
  Descriptor input_, said_;
  pid_t process_ = -1;  // -1: none
};

// Starts it, and waits for its end.
Status run_tool(const Tool& tool, const std::vector<std::string>& arguments, int name_space,
                const std::string& input);

}  // namespace holdfast::hw
