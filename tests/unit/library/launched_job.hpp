// Jobs of this test program's own roles (member_program.hpp), run to their ends.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/launch/programs.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

ProgramPlan plan_of(const char* role, std::uint32_t processes, std::uint32_t per_node);

struct Done {
  Status status = Status::ok();
  ProgramsResult result;
  std::vector<int> exit_statuses;  // by process
};

Done run(const ProgramPlan& plan);

}  // namespace holdfast::hw
