// One swarm run: a job, its faults, and what became of it.
//
// A scenario has two phases. Until `calm` anything may break: safety must hold. From then on
// nothing breaks and nothing is lost: within the bound of the specification everybody must know the
// truth, and then nothing may change any more.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "sim/run/simulation.hpp"
#include "sim/topology/pgft.hpp"
#include "sim/topology/topology.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::swarm {

// How the fabric is given and routed: by D-Mod-K computed in the tree; written out, with balanced
// routes; or written out with forwarding tables, from elsewhere or those of OpenSM's updn.
enum class Routing : std::uint8_t { computed, balanced, tables, updn };

struct Scenario {
  RosterOptions roster;
  // The fabric has this many leaves of equal size, and spines if there is more than one leaf. A
  // leaf has its share of the nodes, rounded down, and `spare` hosts more; 0 only where nothing is
  // left.
  std::uint32_t leaves = 1;
  std::uint32_t spines = 1;
  std::uint32_t spare = 1;
  // Above 1: the leaves are in so many pods, each with `spines` of its own, and there are `tops`
  // above each of these. Divides the leaves, more than one in a pod.
  std::uint32_t pods = 1;
  std::uint32_t tops = 1;
  std::uint32_t parallel = 1;  // links between two switches
  sim::LinkSpec link{100'000'000'000, nanoseconds(150)};
  Routing routing = Routing::computed;
  std::uint32_t addresses = 1;  // of a host
  // At packet fidelity; absent: message.
  std::optional<sim::PacketCarrierOptions> packets;
  // More than a frame takes once the fabric is calm, with a nanosecond of rounding for each turn:
  // what the bound calls the message time.
  Duration message_time = microseconds(10);
  // Packets live so short, or queues hold so little, that the job's own frames may be lost in a
  // calm fabric; then the bound counts from the last one lost.
  bool discards = false;
  // Duration and what belongs to the fabric are set by play.
  sim::SimulationOptions simulation;
  sim::FaultSchedule faults;
  Time calm;              // after it nothing breaks and nothing is lost
  bool accurate = false;  // the faults excuse no false verdict

  void add(Time at, sim::FaultAction action, sim::FaultTarget target, std::uint32_t index);
  sim::Pgft tree() const;
  sim::Topology topology() const;
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
  // At packet fidelity: what became of frames and others' packets, by PacketFate, and how many of
  // them were one event.
  std::array<std::uint64_t, sim::kPacketFates> fates{};
  std::uint64_t collapsed = 0;
};

// Plays a scenario under all oracles; `log` is null or gets what happened line by line.
Outcome play(const Scenario& scenario, std::ostream* log);

// Such as "0.000200000 s ".
std::string seconds_text(Time time);

// For people: the job on one line, then one line per fault.
void describe(const Scenario& scenario, std::ostream& out);

}  // namespace holdfast::swarm
