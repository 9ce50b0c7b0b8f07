// Who looks on while a simulation runs: told of the truth and of every belief, never asked. The
// judge of the experiments and the oracles of the swarm are witnesses.
#pragma once

#include <span>

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
  // `observer` changed what it believes.
  virtual void believed(Time at, ProcessId observer,
                        std::span<const Membership::Change> changes) = 0;
};

}  // namespace holdfast::sim
