// Failure propagation: to whom a process passes on what it has just learned. A process that hears a
// piece of news for the first time sends it once to each of its targets; every later copy is
// dropped.
//
// A topology is a pure function of the ring and, for some, of where in it the news began; those lay
// one or two cubes around the starter, and news travels through each cube by itself, so that first
// and later are told apart for each cube. Adding a topology is a file and a line in the registry.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stack/view/ring.hpp"

namespace holdfast {

// Where a piece of news comes from, for the topologies that ask.
struct Course {
  Position starter;
  std::uint8_t cube = 0;  // below cubes()
};

// A position to send to, and who speaks there.
struct Target {
  Position position;
  ProcessId speaker;
};

// Has no state, so every process may use the same one.
class Propagation {
 public:
  virtual ~Propagation() = default;
  // How many cubes there are around a starter in a ring of this size, at most kCubesMax; 0 where
  // the targets do not depend on the starter: then the course is not looked at.
  virtual std::uint32_t cubes(std::uint32_t positions) const;
  // At most this many targets on one course: sizes what may wait to be acknowledged.
  virtual std::uint32_t targets_max(std::uint32_t positions) const;
  // Appends whom the process at `from` sends to: live as far as it knows, each once, never itself.
  virtual void targets(const Ring& ring, Position from, const Course& course,
                       std::vector<Target>& to) const = 0;
};

// For topologies that leave out whom they know to be dead.
inline void add_if_live(const Ring& ring, Position position, std::vector<Target>& to) {
  if (const ProcessId speaker = ring.speaker_at(position); speaker != kNoProcess) {
    to.push_back({position, speaker});
  }
}

struct PropagationEntry {
  std::string_view name;
  std::string_view idea;  // one line for people
  const Propagation& (*get)();
};

// Every propagation there is, by name.
std::span<const PropagationEntry> propagations();

// Null if there is none of that name. Lives as long as the program.
const Propagation* find_propagation(std::string_view name);

}  // namespace holdfast
