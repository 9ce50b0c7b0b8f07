// The program that the tests of the launcher start as the processes of a job: themselves.
#pragma once

#include <memory>
#include <string>

#include "hw/launch/launcher.hpp"
#include "hw/launch/node.hpp"

namespace holdfast::hw {

// A node factory; the configuration is the number of processes of a node.
Status make_program(const NodeStart& start, std::unique_ptr<NodeProgram>& program);

LaunchPlan plan_of(std::uint32_t processes, const std::string& per_node, Duration duration);

// Whether an error says what this machine lacks; every other one is ours.
bool not_possible_here(const Status& status);

// Whether this life came to believe that life of `process` failed, or alive.
bool believed(const ProcessLife& life, std::uint32_t process, std::uint32_t boot,
              MemberState state);

}  // namespace holdfast::hw
