// Inputs that are nearly right: the k-th one of a target is the same on every machine and in every
// run, so a number names it.
#pragma once

#include <cstdint>

#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

constexpr std::size_t kInputBytesMax = 64 * 1024;

// Input 0 is empty, then come the seeds as they are, then seeds that were changed in one to eight
// places. `seeds` must not be empty.
Bytes nth_input(const std::vector<Bytes>& seeds, std::uint64_t number);

}  // namespace holdfast::fuzz
