// One swarm run: a job, its faults, and what became of it.
//
// A scenario has two phases. Until `calm` anything may break: safety must hold. From then on
// nothing breaks and nothing is lost: within the bound of the specification everybody must know the
// truth, and then nothing may change any more.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "sim/run/simulation.hpp"
#include "sim/topology/pgft.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::swarm {

struct Scenario {
  RosterOptions roster;
  // The fabric has this many leaves of equal size, and spines if there is more than one leaf. One
  // host more than nodes fits at least.
  std::uint32_t leaves = 1;
  std::uint32_t spines = 1;
  sim::SimulationOptions simulation;  // duration is set by play
  sim::FaultSchedule faults;
  Time calm;              // after it nothing breaks and nothing is lost
  bool accurate = false;  // the faults excuse no false verdict

  void add(Time at, sim::FaultAction action, sim::FaultTarget target, std::uint32_t index);
  sim::Pgft tree() const;
};

// The scenario that a seed stands for.
Scenario draw(std::uint64_t seed);

struct Outcome {
  std::string failure;   // the first thing that was wrong; empty if nothing was
  Duration convergence;  // from calm to the truth, if it was reached
  Duration bound;
  std::uint64_t false_verdicts = 0;
  std::uint64_t unreachable_verdicts = 0;
  std::uint64_t events = 0;
};

// Plays a scenario under all oracles; `log` is null or gets what happened line by line.
Outcome play(const Scenario& scenario, std::ostream* log);

// For people: the job on one line, then one line per fault.
void describe(const Scenario& scenario, std::ostream& out);

}  // namespace holdfast::swarm
