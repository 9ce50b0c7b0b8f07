// Everyone tells everyone: one round, N-1 messages a process. What the others are measured against;
// the number of messages grows with the square of the ring.
#pragma once

#include <memory>

#include "stack/propagate/propagation.hpp"

namespace holdfast {

std::unique_ptr<Propagation> make_flood();

}  // namespace holdfast
