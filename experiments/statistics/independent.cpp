// Mann and Whitney: U counts the pairs, one of either side, in which b is above a; equal ones count
// half. If both sides have one distribution, each choice of which samples are b's is as likely.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "experiments/statistics/differences.hpp"

namespace holdfast::statistics {
namespace {

constexpr std::size_t kExactMax = 40;                  // samples a side
constexpr double kNormalQuantile = 1.959963984540054;  // of 97.5 %

// In how many of the choices U is 0, 1, … m n, if no two samples are equal: the coefficients of
// Gauss's binomial. Small ones are exact, and those are the ones that matter.
std::vector<double> ways_of_u(std::size_t m, std::size_t n) {
  std::vector<double> ways(m * n + 1);
  ways[0] = 1.0;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t u = m * n; u >= n + i && u > 0; --u) ways[u] -= ways[u - n - i];
    for (std::size_t u = i; u <= m * n; ++u) ways[u] += ways[u - i];
  }
  return ways;
}

double number_of_choices(std::size_t m, std::size_t n) {
  double choices = 1.0;
  for (std::size_t i = 1; i <= m; ++i)
    choices *= static_cast<double>(n + i) / static_cast<double>(i);
  return choices;
}

// The rank k of the interval among the m n differences: from the k-th smallest to the k-th
// largest. 0: none suffices.
std::size_t rank_of_differences(std::size_t m, std::size_t n) {
  const double pairs = static_cast<double>(m) * static_cast<double>(n);
  if (std::max(m, n) > kExactMax) {
    const double spread = std::sqrt(pairs * static_cast<double>(m + n + 1) / 12);
    const double rank = std::floor(pairs / 2 - kNormalQuantile * spread);
    return rank > 0 ? static_cast<std::size_t>(rank) : 0;
  }
  const std::vector<double> ways = ways_of_u(m, n);
  const double budget = 0.025 * number_of_choices(m, n);
  std::size_t rank = 0;
  for (double at_most = ways[0]; at_most <= budget; at_most += ways[++rank]) {
  }
  return rank;
}

// Doubles in their order as whole numbers in theirs, and back.
std::int64_t ordered(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

double from_ordered(std::int64_t number) {
  return std::bit_cast<double>(number < 0 ? std::numeric_limits<std::int64_t>::min() - number
                                          : number);
}

// The k-th smallest, from 1, of all b[j] - a[i]; both sorted. By halving what it can be, so that a
// million replicates need no list of all pairs.
double kth_difference(const std::vector<double>& a, const std::vector<double>& b, std::uint64_t k) {
  const auto at_most = [&](double limit) {
    std::uint64_t count = 0;
    std::size_t first = 0;  // of the a for which the difference is within the limit
    for (const double value : b) {
      while (first < a.size() && minus(value, a[first]) > limit) ++first;
      count += a.size() - first;
    }
    return count;
  };
  std::int64_t low = ordered(minus(b.front(), a.back()));
  std::int64_t high = ordered(minus(b.back(), a.front()));
  while (low < high) {
    const std::int64_t middle = std::midpoint(low, high);  // towards low
    if (at_most(from_ordered(middle)) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return from_ordered(low);
}

// Twice the rank of each sample among all, the mean rank where some are equal: whole numbers.
struct Ranks {
  std::vector<std::uint64_t> twice;  // in order of the samples, a's and b's together
  std::uint64_t of_b = 0;            // their sum over b's
  double ties = 0.0;                 // sum of t^3 - t over sets of t equal ones
};

Ranks ranks_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : a) all.emplace_back(value, false);
  for (const double value : b) all.emplace_back(value, true);
  std::sort(all.begin(), all.end());
  Ranks ranks;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    const auto equal = static_cast<double>(end - begin);
    ranks.ties += equal * equal * equal - equal;
    for (; begin < end; ++begin) {
      // Its equals have the ranks end - equal + 1 … end.
      ranks.twice.push_back(2 * end + 1 - static_cast<std::uint64_t>(equal));
      if (all[begin].second) ranks.of_b += ranks.twice.back();
    }
  }
  return ranks;
}

// The share of all choices of n samples whose ranks lie as far from the middle as b's, or further.
double exact_p(const Ranks& ranks, std::size_t n) {
  std::uint64_t total = 0;
  for (const std::uint64_t rank : ranks.twice) total += rank;
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(total + 1));
  ways[0][0] = 1.0;
  std::uint64_t reached = 0;
  for (const std::uint64_t rank : ranks.twice) {
    for (std::size_t chosen = n; chosen > 0; --chosen)
      for (std::uint64_t sum = 0; sum <= reached; ++sum)
        ways[chosen][sum + rank] += ways[chosen - 1][sum];
    reached += rank;
  }
  // The mean of the sum, times the number of samples: whole numbers again.
  const std::uint64_t mean = total * n;
  const auto distance = [&](std::uint64_t sum) {
    const std::uint64_t scaled = sum * ranks.twice.size();
    return scaled > mean ? scaled - mean : mean - scaled;
  };
  double all = 0.0;
  double as_far = 0.0;
  for (std::uint64_t sum = 0; sum <= total; ++sum) {
    all += ways[n][sum];
    if (distance(sum) >= distance(ranks.of_b)) as_far += ways[n][sum];
  }
  return as_far / all;
}

double normal_p(const Ranks& ranks, std::size_t m, std::size_t n) {
  const auto a = static_cast<double>(m), b = static_cast<double>(n), all = a + b;
  const double variance = a * b / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
  if (variance <= 0.0) return 1.0;  // all are equal
  const double distance = std::abs(static_cast<double>(ranks.of_b) / 2 - b * (all + 1) / 2);
  return std::erfc(std::max(0.0, distance - 0.5) / std::sqrt(2 * variance));
}

}  // namespace

Difference independent_difference(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const std::uint64_t pairs = std::uint64_t{a.size()} * b.size();
  Difference result;
  result.estimate =
      median({kth_difference(a, b, (pairs + 1) / 2), kth_difference(a, b, pairs / 2 + 1)});
  if (const std::size_t rank = rank_of_differences(a.size(), b.size()); rank > 0)
    result.interval = {kth_difference(a, b, rank), kth_difference(a, b, pairs + 1 - rank)};
  const Ranks ranks = ranks_of(a, b);
  const bool exact = std::max(a.size(), b.size()) <= kExactMax;
  result.p = exact ? exact_p(ranks, b.size()) : normal_p(ranks, a.size(), b.size());
  result.p_least = exact ? std::min(1.0, 2.0 / number_of_choices(a.size(), b.size())) : 0.0;
  return result;
}

}  // namespace holdfast::statistics
