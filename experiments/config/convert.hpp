// From a valid document to the typed Experiment, and the defaults that depend on other keys.
#pragma once

#include <functional>
#include <string>

#include "experiments/config/experiment.hpp"
#include "experiments/config/node.hpp"

namespace holdfast::runner::config {

// Fills in every default of the schema, then those that follow from another key: the seal from the
// kind of fabric, the retransmission timeout from the detector's period. The latter stay out where
// that other key is swept, because then they differ from point to point.
void complete(Node& document);

// `document` must be valid, complete, and have no sweep.
Experiment to_experiment(const Node& document);

// Calls `change` with each file name of the document, those of the sweep included.
void for_each_path(Node& document,
                   const std::function<void(Node& path, const std::string& pointer)>& change);

}  // namespace holdfast::runner::config
