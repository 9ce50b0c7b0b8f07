// Who looks on while a simulation runs: told of the truth and of every belief, never asked. The
// judge of the experiments and the oracles of the swarm are witnesses.
#pragma once

#include <span>

#include "sim/faults/schedule.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/engine.hpp"

namespace holdfast::sim {

class Witness {
 public:
  virtual ~Witness() = default;

  // Processes end, all at once; `record` says which entry of the fault schedule it was.
  virtual void crashed(Time at, std::size_t record, std::span<const ProcessId> processes) = 0;
  // Processes start again with this incarnation.
  virtual void repaired(Time at, std::size_t record, std::span<const ProcessId> processes,
                        Incarnation boot) = 0;
  // An event of the schedule has been played, whatever it was about. What it ended or began at once
  // has been told before.
  virtual void played(Time, const FaultEvent&) {}
  // `observer` changed what it believes.
  virtual void believed(Time at, ProcessId observer,
                        std::span<const Membership::Change> changes) = 0;
};

}  // namespace holdfast::sim
