// What the published code of Rosso and Francesquini (ERAD-SP 2021) calls HBA: the nearest
// neighbours each way, p ± 1 … max(1, k-1), with k = floor(log2 N). It is no hypercube: news creeps
// along the ring, so the rounds grow with N / log N. Known dead are skipped.
#pragma once

#include "stack/propagate/propagation.hpp"

namespace holdfast {

const Propagation& neighbours_propagation();

}  // namespace holdfast
