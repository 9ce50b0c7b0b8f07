// Measuring several things so that they can be compared on a machine that others use as well: in
// rounds, each of them once a round, one after the other. What disturbs a round disturbs all that
// is in it, so ratios are taken round by round, and of these the median.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::bench {

struct Contender {
  std::string name;
  std::function<void()> work;
};

// The seconds of processor time of one call of each contender in each round.
class Alternation {
 public:
  // Runs `rounds` >= 1 rounds. In each, a contender's work is called as often as takes about
  // `slice_seconds`, at least once.
  Alternation(const std::vector<Contender>& contenders, std::size_t rounds, double slice_seconds);

  // In the order of the rounds.
  const std::vector<double>& seconds(std::size_t contender) const { return seconds_[contender]; }
  // How many times as fast `one` is as `other`: the median over the rounds.
  double speed_ratio(std::size_t one, std::size_t other) const;

 private:
  std::vector<std::vector<double>> seconds_;
};

// Of at least one value.
double median(std::vector<double> values);

// The 95 % interval of the median (experiments/statistics); none under six values.
struct Interval {
  double low, high;
};
std::optional<Interval> median_interval(std::vector<double> values);

}  // namespace holdfast::bench
