// The exact interval of a median, and the coin behind it.
//
// Of n independent samples in order, the median of their distribution lies between the k-th
// smallest and the k-th largest with probability at least 1 - 2 P(B <= k - 1), B binomial(n, 1/2),
// whatever the distribution. k is the largest for which that is at least 95 %. Under six samples
// there is none. analysis/ has the same interval (holdfast_analysis/intervals.py).
#pragma once

#include <cstddef>

namespace holdfast::statistics {

// Under so many samples no interval of a median reaches 95 %.
constexpr std::size_t kSamplesMin = 6;

// The k above, counted from 1; 0 under kSamplesMin. Beyond 10,000 samples k comes from the normal
// approximation of the binomial, rounded down: towards the wider interval.
std::size_t rank_of_interval(std::size_t count);

// The probability that of `count` fair coins at most `heads` show heads. No library function is
// involved whose last bit depends on the machine.
double probability_at_most(std::size_t count, std::size_t heads);

}  // namespace holdfast::statistics
