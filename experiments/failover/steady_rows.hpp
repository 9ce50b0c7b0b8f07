// What a stream does while no rail fails, which a fault's bandwidth and gap are held against: in
// the longest time without a delivery are a message's own time and what contender and machine add.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/failover/trial.hpp"

namespace holdfast::failover {

// One stream, over the last second of it.
struct SteadyRow {
  std::string contender;
  std::string rails;  // "0", "1", "0 and 1"
  std::uint32_t repetition = 0;
  double bytes_per_second = 0;
  double gap_s = 0;
  double wire_bytes_per_second = 0;  // what these rails carry, headers included
};
inline constexpr Duration kSteady = seconds(1);

// `result` of a trial without a fault that was at least kSteady long.
SteadyRow steady_row_of(const TrialResult& result);

// Of all repetitions.
struct SteadySummary {
  std::string contender;
  std::string rails;
  double bytes_per_second;  // median
  double gap_median_s, gap_99_s;
  double wire_bytes_per_second;
};
// In the order in which contenders and rails come first.
std::vector<SteadySummary> summaries_of(const std::vector<SteadyRow>& rows);

}  // namespace holdfast::failover
