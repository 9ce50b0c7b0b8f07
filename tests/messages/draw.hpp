// The parts of drawing a scenario.
#pragma once

#include <cstdint>
#include <limits>

#include "tests/messages/scenario.hpp"
#include "tests/swarm/dice.hpp"

namespace holdfast::messages {

// Of all rails together.
struct Shape {
  std::uint32_t narrow = 0xffff'ffff;  // least and most payload of a fragment
  std::uint32_t wide = 0;
  std::int64_t slowest = std::numeric_limits<std::int64_t>::max();  // bits per second
  Duration latency;                                                 // greatest
  Duration jitter;                                                  // likewise

  // How long so many bytes take on the slowest.
  Duration takes(std::uint64_t bytes) const;
};
Shape shape_of(const Scenario& scenario);

// Sends, receives, contexts, and the time within which all of them are asked for: calm is its end.
void draw_messages(swarm::Dice& dice, const Shape& shape, Scenario& scenario);
// What befalls them meanwhile; calm comes after it.
void draw_faults(swarm::Dice& dice, Scenario& scenario);

}  // namespace holdfast::messages
