// BMG, the binomial graph of Angskun, Bosilca and Dongarra (ISPA 2007) with the offsets of Open
// MPI's reliable broadcast: from position p to p ± 2^i for all 2^i <= N/2. Where both signs meet,
// at the antipode of an even ring, one message is sent.
#pragma once

#include "stack/propagate/propagation.hpp"

namespace holdfast {

const Propagation& bmg_propagation();

}  // namespace holdfast
