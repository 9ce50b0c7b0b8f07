// What no schema can say: how the values of an experiment fit together.
#pragma once

#include "experiments/config/experiment.hpp"
#include "experiments/config/node.hpp"
#include "experiments/config/problem.hpp"

namespace holdfast::runner::config {

// Appends what does not fit. `document` is what `experiment` was made from; it has the places.
void check_experiment(const Experiment& experiment, const Node& document, Problems& problems);

}  // namespace holdfast::runner::config
