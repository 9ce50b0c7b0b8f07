// The chord-like propagation of Rosso and Francesquini (ERAD-SP 2021): from position p to p + 2^i
// for all 2^i < N, forwards only. Half the messages of BMG for about twice its rounds.
#pragma once

#include <memory>

#include "stack/propagate/propagation.hpp"

namespace holdfast {

std::unique_ptr<Propagation> make_chord();

}  // namespace holdfast
