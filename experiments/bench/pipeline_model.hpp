// The models of checksummed messages over their length (stack/pipeline/cost_model.hpp), with the
// parameters of the paper's cluster and with those of a machine.
#pragma once

#include <string>
#include <vector>

#include "experiments/bench/bandwidth_row.hpp"
#include "stack/pipeline/cost_model.hpp"

namespace holdfast::bench {

// Bandwidths in bytes a second.
struct ModelParameters {
  NetworkCost network;
  double checksum;       // alone: naive
  double eager_checked;  // copy with checksum, of what fits the caches: eager
  double copy;           // of a long message: super-pipeline
  double checked;        // the same with its checksum
  double block_bytes;
};

// The cluster `jack` of Denis, Trahay and Ishikawa (EuroMPI 2012, sections 3 to 4.3). They do not
// say how fast their copy with checksum is from memory; `checked` is what their "one gap more for
// 1 MB" comes to.
ModelParameters jack();

// Bytes in a second over the length of the message, 1 KiB to 64 MiB: the wire alone ("network"),
// naive, eager, and super-pipeline with and without checksum.
std::vector<BandwidthRow> model_rows(const std::string& measurement,
                                     const ModelParameters& parameters);

// What the paper says of jack, and what the models do.
struct PublishedNumber {
  std::string what;
  std::string published;
  double computed;
  std::string unit;
};
std::vector<PublishedNumber> published_of_jack();

}  // namespace holdfast::bench
