// A comparison in words, and as JSON for scripts.
#pragma once

#include <string>

#include "experiments/compare/comparison.hpp"

namespace holdfast::compare {

// Tables for people; times in the unit that fits them.
std::string describe(const Comparison& comparison);

// The same, and every number with all its digits: times in seconds, null where something never
// happened. Ends with a line break.
std::string to_json(const Comparison& comparison);

}  // namespace holdfast::compare
