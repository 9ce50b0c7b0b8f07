// One replicate of an experiment in the simulator.
#pragma once

#include <functional>

#include "experiments/runner/campaign.hpp"
#include "experiments/runner/inputs.hpp"
#include "sim/run/simulation.hpp"

namespace holdfast::runner {

// A function of its first three arguments, whatever runs beside it. The only error is that
// monitor.stop was set. `at_end`, if given, is shown the simulation when it is over.
Status simulate(const Experiment& experiment, const Inputs& inputs, std::uint32_t replicate,
                ReplicateMonitor& monitor, Outcome& outcome,
                const std::function<void(const sim::Simulation&)>& at_end = {});

}  // namespace holdfast::runner
