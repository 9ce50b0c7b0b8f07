// The rows of results.csv and failures.csv: what an outcome is as text. All numbers come from
// integers, so a row is the same on every machine. Times are seconds with nine decimals; a cell is
// empty where the thing did not happen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/runner/campaign.hpp"
#include "experiments/runner/outcome.hpp"

namespace holdfast::runner {

// Seconds with nine decimals: "-0.000000001".
std::string seconds_text(Duration duration);

// A CSV cell: quoted where it has to be.
std::string csv_cell(std::string_view text);

// The middle value; the mean of the two middle ones, rounded down, of an even number. Nothing of
// none.
std::optional<Duration> median(std::vector<Duration> values);

// results.csv: one row per sweep point and replicate. Each ends with a line break. `known` is the
// time from a crash until every live process knows. The smallest, median and largest of detection,
// propagation and known are those of all failures that ended a process: one that never was is above
// all others, and its cell empty. Only crashes count whose part was up. What became of packets
// stands behind control_ (frames of the job between nodes), traffic_ and victim_ (of incasts), in
// empty cells at message fidelity; latency is from the send to the last bit.
std::string results_header(const Campaign& campaign);
std::string results_row(const Campaign& campaign, Job job, const Outcome& outcome);

// failures.csv: one row per failure of each replicate.
std::string failures_header();
std::string failures_rows(Job job, const Outcome& outcome);

}  // namespace holdfast::runner
