// What `holdfast bench netpipe --target sim-...` computes: ping-pongs and streams over the networks
// of two papers, in simulated time. Ours, with CRC-32C and without a checksum, and beside it
// messages that nothing protects, which adapters move by themselves (sim/jobs/raw_end.hpp): that is
// the limit. Results are a function of the arguments alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/bench/checksum_figures.hpp"
#include "experiments/bench/checksum_shows.hpp"
#include "experiments/bench/clusters.hpp"
#include "experiments/netpipe/measurements.hpp"
#include "stack/base/status.hpp"

namespace holdfast::netpipe {

struct SimulatedNetwork {
  std::string_view target;
  std::string_view idea;  // one line for people
  bench::Cluster cluster;
};

const std::vector<SimulatedNetwork>& simulated_networks();
// Null: there is none of that name.
const SimulatedNetwork* find_simulated_network(std::string_view target);

struct SimulatedPlan {
  const SimulatedNetwork* network = nullptr;
  std::vector<std::uint32_t> fragment_bytes;            // of payload; empty: the cluster's
  std::vector<std::size_t> sizes;                       // of messages, up to 64 MiB, ascending
  std::function<void(const std::string&)> before_each;  // told what is simulated next
};

struct SimulatedFindings {
  std::vector<bench::BandwidthRow> rows;  // of one sample each
  std::vector<OverheadRow> overheads;
  std::vector<bench::ShowRow> shows;
};

// An error if the simulation comes to no end.
Status measure_simulated(const SimulatedPlan& plan, SimulatedFindings& findings);

}  // namespace holdfast::netpipe
