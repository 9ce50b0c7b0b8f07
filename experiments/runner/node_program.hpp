// What a real process of an experiment runs: how the launcher tells it, and how it builds its
// engine from that.
#pragma once

#include <string>

#include "experiments/config/experiment.hpp"
#include "experiments/runner/inputs.hpp"
#include "experiments/runner/outcome.hpp"
#include "hw/launch/node.hpp"

namespace holdfast::runner {

// The part of an experiment that every process must know, as text; for hw::LaunchPlan.
std::string node_configuration(const Experiment& experiment, const Inputs& inputs,
                               std::uint32_t replicate);

// Builds the engine that node_configuration describes.
Status make_node_program(const hw::NodeStart& start, std::unique_ptr<hw::NodeProgram>& program);

// Adds what a process wrote about its frames at its end; nothing after kill -9.
void add_counts(const std::string& notes, Outcome& outcome);

}  // namespace holdfast::runner
