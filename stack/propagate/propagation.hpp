// Failure propagation: to whom a process passes on what it has just learned. A process that hears a
// piece of news for the first time sends it once to each of its targets; every later copy is
// dropped.
//
// A topology is a pure function of the ring; adding one is a file and a line in the registry.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "stack/view/ring.hpp"

namespace holdfast {

class Propagation {
 public:
  virtual ~Propagation() = default;
  // Appends the positions that the process at `from` sends to: live as far as it knows, each once,
  // never itself.
  virtual void targets(const Ring& ring, Position from, std::vector<Position>& to) const = 0;
};

struct PropagationEntry {
  std::string_view name;
  std::string_view idea;  // one line for people
  std::unique_ptr<Propagation> (*make)();
};

// Every propagation there is, by name.
std::span<const PropagationEntry> propagations();

// Null if there is none of that name.
std::unique_ptr<Propagation> make_propagation(std::string_view name);

}  // namespace holdfast
