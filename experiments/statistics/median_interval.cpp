// The probabilities of numbers of heads, each relative to that of the likeliest number: so none
// that counts leaves a double's range, and adding and dividing is all there is to do.
#include "experiments/statistics/median_interval.hpp"

#include <cmath>
#include <vector>

namespace holdfast::statistics {
namespace {

constexpr std::size_t kExactMax = 10'000;
constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5 %

struct Coins {
  std::vector<double> lower;  // of 0 … count / 2 heads, relative to the last of these
  double total = 0.0;         // of all numbers of heads, on the same scale
};

Coins coins(std::size_t count) {
  const std::size_t middle = count / 2;
  Coins result;
  result.lower.resize(middle + 1);
  result.lower[middle] = 1.0;
  for (std::size_t heads = middle; heads > 0; --heads)
    result.lower[heads - 1] =
        result.lower[heads] * static_cast<double>(heads) / static_cast<double>(count - heads + 1);
  for (const double weight : result.lower) result.total += 2.0 * weight;
  if (count % 2 == 0) result.total -= 1.0;  // the middle one is in both halves
  return result;
}

}  // namespace

std::size_t rank_of_interval(std::size_t count) {
  if (count > kExactMax) {
    const auto n = static_cast<double>(count);
    return static_cast<std::size_t>(std::floor(n / 2 - kNormalQuantile * std::sqrt(n) / 2));
  }
  const Coins all = coins(count);
  double at_most = 0.0;
  std::size_t rank = 0;
  while (rank < count / 2) {
    at_most += all.lower[rank];
    if (at_most > 0.025 * all.total) break;
    ++rank;
  }
  return rank;
}

double probability_at_most(std::size_t count, std::size_t heads) {
  if (heads >= count) return 1.0;
  const Coins all = coins(count);
  const bool upper = heads > count / 2;
  const std::size_t last = upper ? count - heads - 1 : heads;
  double sum = 0.0;
  for (std::size_t i = 0; i <= last; ++i) sum += all.lower[i];
  return upper ? 1.0 - sum / all.total : sum / all.total;
}

}  // namespace holdfast::statistics
