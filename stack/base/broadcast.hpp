// The name of one spread of one piece of news, for topologies that are laid out around the one who
// began it: every notice of it carries the name, and who hears a second copy knows it by that
// (specification, clauses 2.7 and 5.5).
#pragma once

#include <cstdint>

#include "stack/base/ids.hpp"

namespace holdfast {

struct Broadcast {
  ProcessId starter = kNoProcess;  // none: the notice belongs to no named broadcast
  Incarnation incarnation;         // the starter's, when it began
  std::uint32_t number = 0;        // counts the broadcasts of that boot of the starter, from 1
  std::uint8_t cube = 0;           // 0: forwards along the ring from the starter; 1: backwards

  bool named() const { return starter != kNoProcess; }

  friend bool operator==(const Broadcast&, const Broadcast&) = default;
};

constexpr std::uint8_t kCubesMax = 2;

}  // namespace holdfast
