// The clock is the thread's processor time, which stands still while another program has the core;
// without, a contender whose slice ends when the scheduler's does would always lose. For the same
// reason each round begins with another contender.
#include "experiments/bench/alternation.hpp"

#include <algorithm>

#include "experiments/statistics/median_interval.hpp"
#include "hw/tune/repeated_work.hpp"

namespace holdfast::bench {
Alternation::Alternation(const std::vector<Contender>& contenders, std::size_t rounds,
                         double slice_seconds)
    : seconds_(contenders.size()) {
  std::vector<std::size_t> calls;
  for (const Contender& contender : contenders)
    calls.push_back(hw::calls_that_take(contender.work, slice_seconds));
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t i = (round + turn) % contenders.size();
      seconds_[i].push_back(hw::seconds_of(contenders[i].work, calls[i]) /
                            static_cast<double>(calls[i]));
    }
  }
}

double Alternation::speed_ratio(std::size_t one, std::size_t other) const {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < seconds_[one].size(); ++round)
    ratios.push_back(seconds_[other][round] / seconds_[one][round]);
  return median(std::move(ratios));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<Interval> median_interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t rank = statistics::rank_of_interval(values.size());
  if (rank == 0) return std::nullopt;
  return Interval{values[rank - 1], values[values.size() - rank]};
}

}  // namespace holdfast::bench
