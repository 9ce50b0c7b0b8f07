// How well the medians of a sweep point are known, and whether that is well enough
// (`replicates.until`).
//
// A sample is one replicate's cell of a column of results.csv; replicates are independent, what
// happens within one is not. The interval is that of order statistics
// (statistics/median_interval.hpp). All is done in whole numbers, the digits of the cells.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiments/runner/campaign.hpp"

namespace holdfast::runner {

// One cell of each column of a precision, in units of its last digit; kNever: it is empty.
using Measured = std::vector<std::int64_t>;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// The cells of a replicate in the columns of its point's precision, which must have one.
Measured measure(const Campaign& campaign, Job job, const Outcome& outcome);

// The interval of the column whose interval is widest, of those that are measured.
struct Narrowness {
  std::size_t column = 0;       // in PrecisionConfig::columns
  std::optional<double> share;  // its width as a share of the median; absent: there is no interval
                                // yet, or it has no end
  bool enough = false;          // of all columns
};

// What `replicates` say. A median that is surely "never" is known well enough.
Narrowness narrowness(const std::vector<Measured>& replicates, const PrecisionConfig& precision);

// How many replicates it will take, by what is known after `count`: widths fall with the root of
// the number. At least `count`, at most `most`; for people only.
std::uint32_t expected_replicates(const Narrowness& now, std::uint32_t count, std::uint32_t most,
                                  const PrecisionConfig& precision);

// "4.1 % (2 % wanted)".
std::string narrowness_text(const Narrowness& now, const PrecisionConfig& precision);

}  // namespace holdfast::runner
