// One replicate of an experiment with real processes of this machine: the same faults, the same
// stack, the same judge; the truth is what the launcher did, the beliefs are the processes' logs.
//
// Times are those of the machine, so no two runs are alike: detection and propagation contain its
// scheduling. Frames of processes that were killed are not counted, since they died with the
// counts; state_hash is zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/runner/campaign.hpp"
#include "experiments/runner/inputs.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::runner {

struct LaunchSettings {
  std::string program;        // this program, which is started again as `program node`
  std::optional<JobKey> key;  // of the job; absent: one is drawn
  std::string recording;      // folder that was begun for this replicate; empty: none
};

// Why an error.
enum class LaunchFault : std::uint8_t {
  other,
  interrupted,  // by a signal
  unwritable,   // recordings or event logs, say to a full disk
};

// Compares what a replicate needs with the limits of this system, and raises those that may be, as
// hw/launch/job_limits.hpp has it.
Status make_room(const Experiment& experiment, const Inputs& inputs);

// The monitor is told when the job begins. Without an error `fault` means nothing.
Status launch_replicate(const Experiment& experiment, const Inputs& inputs, std::uint32_t replicate,
                        const LaunchSettings& settings, ReplicateMonitor& monitor, Outcome& outcome,
                        LaunchFault& fault);

}  // namespace holdfast::runner
