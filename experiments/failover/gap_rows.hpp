// What trials come to: a row for each, and of all trials of a kind what is promised of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/bench/limit_show.hpp"
#include "experiments/failover/trial.hpp"

namespace holdfast::failover {

// In which a fault is noticed. Later gaps have other causes, which a second without a fault has,
// too.
inline constexpr Duration kFirst = milliseconds(100);

// One fault. Times in seconds.
struct GapRow {
  std::string contender;  // "holdfast", "paper timers", "ob1 tcp"
  std::string fault;      // the kind's name
  std::uint32_t rail = 0;
  std::uint32_t repetition = 0;
  double lasted_s = 0;     // the fault
  std::string outcome;     // recovered, rail_not_back, hung, or what the stream said
  std::string noticed_by;  // netlink, errno, silence, nobody
  std::optional<double> noticed_s;
  double gap_s = 0;                  // without a delivery; if it hung, until it was given up
  double gap_at_s = 0;               // when that began, after the fault; before it: negative
  double first_gap_s = 0;            // the longest that was in the first kFirst after the fault
  std::optional<double> regained_s;  // from the fault to 95 % of a single rail's bandwidth
  std::optional<double> share;       // of a single rail's, from then on until it was mended
  std::optional<double> back_s;      // from mending until the rail carries again
  std::uint32_t left_well = 0;       // times that an end left a rail that was well
  std::uint64_t messages = 0;        // compared with their generators
};

// `single_bytes_per_second`: of the rail that is left, alone.
GapRow row_of(const TrialResult& result, const FaultKind& kind, double single_bytes_per_second);

// Of values in any order; the share of them that is no greater, by nearest rank. Of one at least.
double quantile(std::vector<double> values, double share);

// Of one contender and kind of fault: the longest gap, 95 % of a single rail's bandwidth, and the
// time until the rail is back, as medians and 99 %. What never came counts as later than all.
std::vector<bench::LimitShow> shows_of(const FaultKind& kind, const std::vector<GapRow>& rows);

}  // namespace holdfast::failover
