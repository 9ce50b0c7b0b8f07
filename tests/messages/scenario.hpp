// One run of the swarm of messages: processes and rails, what they want to send and receive, what
// befalls them, and what became of it.
//
// A scenario has two phases. Until `calm` anything may happen to rails, frames and processes: what
// completes must be right. From then on nothing happens: within `bound` everything must complete
// that has been accepted.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/messages/world.hpp"
#include "stack/reliable/matching.hpp"

namespace holdfast::messages {

// Message n of a scenario is its n-th planned send; those of one sender are in the order of their
// times.
struct PlannedSend {
  Time at;
  ProcessId from;
  ProcessId to;
  std::uint32_t context = 0;
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;
};

struct PlannedReceive {
  Time at;
  ProcessId process;
  reliable::Pattern pattern;
  std::uint64_t memory = 0;           // bytes
  Time cancelled_at = Time::never();  // if it still waits then
};

struct Scenario {
  sim::WorldOptions world;
  std::vector<PlannedSend> sends;
  std::vector<PlannedReceive> receives;  // those of one process in the order of their times
  std::uint32_t contexts = 1;            // 0 … contexts - 1 are used
  std::uint32_t requests_max = 4096;     // of each kind that a process has outstanding
  // Of so many messages to send the memory of one is not in one piece, and so it is of receives; 0:
  // none is.
  std::uint64_t one_scattered_of = 0;
  unsigned placing_rails = 0;  // bit r: rail r asks where its frames go (placing_fabric.hpp)
  Time calm;
  Duration bound;
  double fragments_per_message = 0.0;  // of the largest fragments that any rail carries
};

// The scenario that a seed stands for.
Scenario draw(std::uint64_t seed);

struct Played {
  std::string failure;  // the first thing that was wrong; empty if nothing was
  Duration completion;  // from calm until everything had completed
  std::uint64_t frames = 0;
  std::uint64_t messages = 0;   // received
  std::uint64_t scattered = 0;  // of these, into memory that is not in one piece
  std::uint64_t resent = 0;
  std::uint64_t placed = 0;  // frames, see PlacingCounts
  std::uint64_t displaced = 0;
  std::uint64_t faults_in_recovery = 0;
  std::uint64_t truncated = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t peer_failed = 0;
  std::uint64_t digest = 0;
};

// Plays a scenario under all oracles; `trace` is null or gets what happened line by line, each
// frame included.
Played play(const Scenario& scenario, std::ostream* trace);

// Such as "0.000200000 s ".
std::string seconds_text(Time time);

// For people: the rails, then a line for each fault.
void describe(const Scenario& scenario, std::ostream& out);

}  // namespace holdfast::messages
