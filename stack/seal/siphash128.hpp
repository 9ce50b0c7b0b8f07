// SipHash-2-4 with 128 bits over everything before the seal.
#pragma once

#include "stack/seal/seal.hpp"

namespace holdfast {

const Seal& siphash128();

}  // namespace holdfast
