// What real and simulated runs of `holdfast bench netpipe` understand and print alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/bench/checksum_figures.hpp"
#include "experiments/netpipe/measurements.hpp"
#include "experiments/program/options.hpp"

namespace holdfast::program {

// --sizes, ascending; by default 1 byte to 4 MiB. Says what is wrong; empty: nothing.
std::string parse_sizes(const Arguments& arguments, std::vector<std::size_t>& sizes);

// Half a round trip of the shortest message.
void print_small(const std::string& target, const std::vector<bench::BandwidthRow>& rows);

// overhead.csv: what a checksum takes.
std::string overhead_csv(const std::vector<netpipe::OverheadRow>& rows);

// --target sim-...: computes instead of measuring.
int bench_netpipe_simulated(const Arguments& arguments, const std::vector<std::string>& targets);

}  // namespace holdfast::program
