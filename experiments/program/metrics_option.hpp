// The option --metrics of all commands that start or join jobs. The processes find it in their
// environment, so that it reaches those of other programs, too.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/program/options.hpp"

namespace holdfast::program {

inline constexpr Option kMetricsOption{
    "--metrics", "ADDRESS:PORT",
    "each process serves its counters to Prometheus on a loopback\n"
    "address: process 0 at this port, process R at PORT+R; without it\n"
    "only at its unix socket (docs/watching.md)"};

// Puts it into the environment, for a job of so many processes. A sentence about what is wrong;
// empty: nothing.
std::string take_metrics_option(const Arguments& arguments, std::uint32_t processes);

}  // namespace holdfast::program
