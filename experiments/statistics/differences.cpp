// The paired method, and what both share; Mann and Whitney's are in independent.cpp.
#include "experiments/statistics/differences.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/statistics/median_interval.hpp"

namespace holdfast::statistics {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double low = values[(values.size() - 1) / 2];
  const double high = values[values.size() / 2];
  if (low == high) return low;
  if (std::isinf(low) && std::isinf(high)) return 0.0;  // half of them never, on either side
  return (low + high) / 2;
}

double minus(double b, double a) {
  return a == b ? 0.0 : b - a;
}

Difference paired_difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(minus(b[i], a[i]));
  std::sort(differences.begin(), differences.end());
  Difference result;
  result.estimate = median(differences);
  if (const std::size_t rank = rank_of_interval(differences.size()); rank > 0)
    result.interval = {differences[rank - 1], differences[differences.size() - rank]};
  // Pairs that do not differ have no say in the sign test.
  const auto below = static_cast<std::size_t>(
      std::count_if(differences.begin(), differences.end(), [](double d) { return d < 0.0; }));
  const auto above = static_cast<std::size_t>(
      std::count_if(differences.begin(), differences.end(), [](double d) { return d > 0.0; }));
  result.p = std::min(1.0, 2.0 * probability_at_most(below + above, std::min(below, above)));
  result.p_least = std::min(1.0, 2.0 * probability_at_most(differences.size(), 0));
  return result;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return p[x] < p[y]; });
  std::vector<double> corrected(p.size());
  double greatest = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double times = static_cast<double>(order.size() - i);
    greatest = std::max(greatest, std::min(1.0, times * p[order[i]]));
    corrected[order[i]] = greatest;
  }
  return corrected;
}

}  // namespace holdfast::statistics
