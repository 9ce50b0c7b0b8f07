// Whether two sets of samples differ, by how much, and how sure that is. No distribution is
// assumed and nothing is drawn at random. A sample may be infinite: it never happened, and is above
// all others; two that never happened do not differ.
//
// Paired samples (the same random numbers on both sides): the median of the differences with its
// exact interval (median_interval.hpp), and the sign test. Independent samples: the median of all
// differences between one of either side (Hodges and Lehmann, 1963) with the interval and the test
// of Mann and Whitney (1947), exact up to 40 samples a side, by the normal approximation beyond.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace holdfast::statistics {

struct Difference {
  double estimate = 0.0;                              // b less a; may be infinite
  std::optional<std::pair<double, double>> interval;  // of 95 %; absent: too few samples
  double p = 1.0;        // two-sided: the probability of no less a difference if there is none
  double p_least = 1.0;  // the least that so many samples can give
};

// The median; the mean of the middle two of an even number. Of at least one value.
double median(std::vector<double> values);

// b less a; nothing if both never happened.
double minus(double b, double a);

// a[i] and b[i] belong together; at least one pair.
Difference paired_difference(const std::vector<double>& a, const std::vector<double>& b);

// At least one sample on either side.
Difference independent_difference(std::vector<double> a, std::vector<double> b);

// p-values corrected for looking at all of them at once (Holm, 1979): if what is below 0.05 then is
// called a difference, the probability of calling any wrongly is at most 0.05, however they hang
// together.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace holdfast::statistics
