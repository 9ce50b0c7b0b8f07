// The fabric that an experiment names, made or read, with its routing.
#pragma once

#include <optional>

#include "experiments/config/experiment.hpp"
#include "sim/topology/topology.hpp"
#include "stack/base/status.hpp"

namespace holdfast::runner {

// An error is for the user to mend; it names the file or the key. `topology` is set on success.
Status load_topology(const Experiment& experiment, std::optional<sim::Topology>& topology);

}  // namespace holdfast::runner
