// Cells to whole numbers, whole numbers to widths.
#include "experiments/runner/precision.hpp"

#include <algorithm>
#include <cstdio>

#include "experiments/runner/csv_row.hpp"
#include "experiments/runner/tables.hpp"
#include "experiments/statistics/median_interval.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::runner {
namespace {

__extension__ using Wide = __int128;  // holds the product of any two int64

// The digits of "12.345" as 12345. All cells of a column have as many decimals.
std::int64_t digits_of(const std::string& cell) {
  if (cell.empty()) return kNever;
  std::int64_t number = 0;
  for (const char c : cell)
    if (c != '.') number = 10 * number + (c - '0');
  return number;
}

struct Width {
  std::optional<double> share;
  bool enough = false;
};

Width width_of(std::vector<std::int64_t> values, std::uint32_t until_ppm) {
  const std::size_t rank = statistics::rank_of_interval(values.size());
  if (rank == 0) return {};
  std::sort(values.begin(), values.end());
  const std::int64_t low = values[rank - 1];
  const std::int64_t high = values[values.size() - rank];
  if (low == high) return {0.0, true};
  if (high == kNever) return {};
  const Wide twice_median = Wide{values[(values.size() - 1) / 2]} + values[values.size() / 2];
  const Wide twice_width = 2 * (Wide{high} - low);
  if (twice_median == 0) return {};
  return {static_cast<double>(twice_width) / static_cast<double>(twice_median),
          twice_width * 1'000'000 <= twice_median * until_ppm};
}

}  // namespace

Measured measure(const Campaign& campaign, Job job, const Outcome& outcome) {
  const std::vector<std::string> names = split_csv_row(results_header(campaign));
  const std::vector<std::string> cells = split_csv_row(results_row(campaign, job, outcome));
  Measured measured;
  for (const std::string& column : campaign.points[job.point].experiment.precision->columns) {
    const auto found = std::find(names.begin(), names.end(), column);
    HOLDFAST_ASSERT(found != names.end());  // the schema names columns that there are
    measured.push_back(digits_of(cells[static_cast<std::size_t>(found - names.begin())]));
  }
  return measured;
}

Narrowness narrowness(const std::vector<Measured>& replicates, const PrecisionConfig& precision) {
  Narrowness worst{0, 0.0, true};
  for (std::size_t column = 0; column < precision.columns.size(); ++column) {
    std::vector<std::int64_t> values;
    for (const Measured& measured : replicates) values.push_back(measured[column]);
    const Width width = width_of(std::move(values), precision.until_ppm);
    worst.enough = worst.enough && width.enough;
    const bool wider = worst.share && (!width.share || *width.share > *worst.share);
    if (!wider) continue;
    worst.column = column;
    worst.share = width.share;
  }
  return worst;
}

std::uint32_t expected_replicates(const Narrowness& now, std::uint32_t count, std::uint32_t most,
                                  const PrecisionConfig& precision) {
  if (now.enough) return count;
  if (!now.share) return most;
  const double ratio = *now.share / (precision.until_ppm / 1e6);
  const double expected = count * ratio * ratio;
  return expected >= most ? most : std::max(count, static_cast<std::uint32_t>(expected));
}

std::string narrowness_text(const Narrowness& now, const PrecisionConfig& precision) {
  char text[64];
  if (now.share) {
    std::snprintf(text, sizeof text, "%.2g %% (%.4g %% wanted)", *now.share * 100.0,
                  precision.until_ppm / 1e4);
  } else {
    std::snprintf(text, sizeof text, "not known (%.4g %% wanted)", precision.until_ppm / 1e4);
  }
  return text;
}

}  // namespace holdfast::runner
