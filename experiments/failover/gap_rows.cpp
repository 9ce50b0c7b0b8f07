// Promises: times at most, of 99 % of the faults; a share of bandwidth at least, of half of them.
#include "experiments/failover/gap_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stack/base/assert.hpp"

namespace holdfast::failover {
namespace {

constexpr double kRegainedShare = 0.95;
constexpr double kBackMax_s = 0.25;
constexpr double kNever = std::numeric_limits<double>::infinity();

std::string outcome_of(const TrialResult& result) {
  if (!result.failure.empty()) return result.failure;
  if (!result.resumed) return "hung";
  return result.is_back ? "recovered" : "rail_not_back";
}

}  // namespace

GapRow row_of(const TrialResult& result, const FaultKind& kind, double single_bytes_per_second) {
  GapRow row;
  row.fault = kind.name;
  row.lasted_s = in_s(result.mended - result.broken);
  row.outcome = outcome_of(result);
  row.noticed_by = name_of(result.noticed);
  if (result.health.noticed_after) row.noticed_s = in_s(*result.health.noticed_after);
  const Gap gap = longest_gap(result.trace, result.broken, result.ended);
  row.gap_s = in_s(gap.length);
  row.gap_at_s = in_s(gap.begin - result.broken);
  const Time first_ends = std::min(result.broken + kFirst, result.ended);
  row.first_gap_s = in_s(longest_gap(result.trace, result.broken, first_ends).length);
  const auto regained = regained_at(result.trace, result.broken, result.mended,
                                    kRegainedShare * single_bytes_per_second);
  if (regained) {
    row.regained_s = in_s(*regained - result.broken);
    row.share = bytes_between(result.trace, *regained, result.mended) /
                in_s(result.mended - *regained) / single_bytes_per_second;
  }
  if (result.health.back_after) row.back_s = in_s(*result.health.back_after);
  row.left_well = result.health.left_well;
  row.messages = result.trace.deliveries.size();
  return row;
}

double quantile(std::vector<double> values, double share) {
  HOLDFAST_ASSERT(!values.empty());
  std::sort(values.begin(), values.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()) - 1e-9));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

std::vector<bench::LimitShow> shows_of(const FaultKind& kind, const std::vector<GapRow>& rows) {
  if (rows.empty()) return {};
  std::vector<double> gaps, first_gaps, shares, backs;
  for (const GapRow& row : rows) {
    const bool went_on = row.outcome == "recovered" || row.outcome == "rail_not_back";
    gaps.push_back(went_on ? row.gap_s : kNever);
    first_gaps.push_back(went_on ? row.first_gap_s : kNever);
    shares.push_back(row.share.value_or(0));
    if (row.back_s) {
      backs.push_back(*row.back_s);
    } else if (row.outcome != "recovered") {
      backs.push_back(kNever);
    }
  }
  bench::LimitShow show;
  show.contender = rows[0].contender;
  show.fault = kind.name;
  show.samples = rows.size();
  std::vector<bench::LimitShow> shows;
  shows.push_back(show.at_most("gap, median, s", quantile(gaps, 0.5), in_s(kind.gap_max)));
  shows.push_back(show.at_most("gap, 99 %, s", quantile(gaps, 0.99), in_s(kind.gap_max)));
  shows.push_back(
      show.at_most("first gap, 99 %, s", quantile(first_gaps, 0.99), in_s(kind.gap_max)));
  shows.push_back(
      show.at_least("share of a single rail, median", quantile(shares, 0.5), kRegainedShare));
  if (backs.empty()) return shows;
  show.samples = backs.size();
  shows.push_back(show.at_most("rail back, median, s", quantile(backs, 0.5), kBackMax_s));
  shows.push_back(show.at_most("rail back, 99 %, s", quantile(backs, 0.99), kBackMax_s));
  return shows;
}

}  // namespace holdfast::failover
