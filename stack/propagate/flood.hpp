// Everyone tells everyone: one round, N-1 messages a process. What the others are measured against;
// the number of messages grows with the square of the ring.
#pragma once

#include "stack/propagate/propagation.hpp"

namespace holdfast {

const Propagation& flood_propagation();

}  // namespace holdfast
