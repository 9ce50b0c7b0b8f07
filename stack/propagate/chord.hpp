// The chord-like propagation of Rosso and Francesquini (ERAD-SP 2021): from position p to p + 2^i
// for all 2^i < N, forwards only. Half the messages of BMG for about twice its rounds.
#pragma once

#include "stack/propagate/propagation.hpp"

namespace holdfast {

const Propagation& chord_propagation();

}  // namespace holdfast
