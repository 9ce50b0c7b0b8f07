// One replicate of an experiment in the simulator.
#pragma once

#include "experiments/runner/campaign.hpp"
#include "experiments/runner/inputs.hpp"

namespace holdfast::runner {

// A function of its first three arguments, whatever runs beside it. The only error is that
// monitor.stop was set.
Status simulate(const Experiment& experiment, const Inputs& inputs, std::uint32_t replicate,
                ReplicateMonitor& monitor, Outcome& outcome);

}  // namespace holdfast::runner
