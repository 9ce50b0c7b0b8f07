// Rows are alike if contender and rails are; at the first of its like a summary is made.
#include "experiments/failover/steady_rows.hpp"

#include <algorithm>

#include "experiments/failover/gap_rows.hpp"

namespace holdfast::failover {

SteadyRow steady_row_of(const TrialResult& result) {
  const Time from = result.ended - kSteady;
  SteadyRow row;
  row.bytes_per_second = bytes_between(result.trace, from, result.ended) / in_s(kSteady);
  row.gap_s = in_s(longest_gap(result.trace, from, result.ended).length);
  return row;
}

std::vector<SteadySummary> summaries_of(const std::vector<SteadyRow>& rows) {
  std::vector<SteadySummary> summaries;
  for (const SteadyRow& first : rows) {
    const auto is_alike = [&](const auto& other) {
      return other.contender == first.contender && other.rails == first.rails;
    };
    if (std::any_of(summaries.begin(), summaries.end(), is_alike)) continue;
    std::vector<double> rates, gaps;
    for (const SteadyRow& row : rows) {
      if (!is_alike(row)) continue;
      rates.push_back(row.bytes_per_second);
      gaps.push_back(row.gap_s);
    }
    summaries.push_back({first.contender, first.rails, quantile(rates, 0.5), quantile(gaps, 0.5),
                         quantile(gaps, 0.99), first.wire_bytes_per_second});
  }
  return summaries;
}

}  // namespace holdfast::failover
