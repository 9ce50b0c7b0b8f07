// HBA, the reliable broadcast over hypercubes of Ramanathan and Shin (IEEE Trans. Computers 1988)
// as Bosilca et al. (SC 2016) lay it over a ring: with k = floor(log2 N), one cube of dimension k
// on the 2^k positions from the starter forwards, one on the 2^k from the starter backwards; one
// only when N = 2^k. In each cube, who hears the news for the first time there sends it along all k
// dimensions, so k-1 unknown dead in a cube cannot stop it. Known dead are skipped.
//
// The cubes hang on the starter, so a notice names it and its cube.
#pragma once

#include "stack/propagate/propagation.hpp"

namespace holdfast {

const Propagation& hba_propagation();

}  // namespace holdfast
