// No seal: for simulation and trusted shared memory. The field is there and zero.
#pragma once

#include "stack/seal/seal.hpp"

namespace holdfast {

const Seal& no_seal();

}  // namespace holdfast
