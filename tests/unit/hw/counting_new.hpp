// Counts allocations of the program that links counting_new.cpp.
#pragma once

#include <cstddef>

namespace holdfast {

std::size_t allocations();

}  // namespace holdfast
