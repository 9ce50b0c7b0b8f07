// Bandwidth by medians of ratios within a round; what is sent again by sums over all rounds, as a
// round may lose nothing.
#include "experiments/goodput/goodput_rows.hpp"

#include "stack/base/assert.hpp"

namespace holdfast::goodput {
namespace {

constexpr double kResentMost = 1.2;   // for each that is lost
constexpr double kInVainMost = 1e-3;  // of all fragments, where some are late and none is lost
constexpr double kLate = 0.05;
// Without a fault fates are drawn as well, as what drawing takes is no cost of a loss. Of so small
// a share one frame in 2^53 is lost: none, while we measure.
constexpr double kHardlyEver = 0x1p-53;

double ratio(std::uint64_t count, std::uint64_t of) {
  return static_cast<double>(count) / static_cast<double>(of);
}

}  // namespace

const std::vector<Fault>& losses() {
  static const std::vector<Fault> all = {{"none", {.loss = kHardlyEver}, 0},
                                         {"1 of 10000 lost", {.loss = 1e-4}, 0.98},
                                         {"1 of 1000 lost", {.loss = 1e-3}, 0.95},
                                         {"1 of 100 lost", {.loss = 1e-2}, 0.80}};
  return all;
}

Fault lateness(Duration round_trip) {
  return {"5 of 100 late", {.reorder = 1 - kLate, .jitter = round_trip / 2}, 0};
}

GoodputRow row_of(const std::string& contender, const std::string& fault,
                  const std::vector<Step>& steps, const std::vector<Step>& without) {
  HOLDFAST_ASSERT(without.empty() || without.size() == steps.size());
  GoodputRow row;
  row.contender = contender;
  row.fault = fault;
  row.samples = steps.size();
  std::vector<double> rates, shares;
  for (std::size_t round = 0; round < steps.size(); ++round) {
    const Step& step = steps[round];
    rates.push_back(step.bytes_per_second);
    if (!without.empty()) shares.push_back(step.bytes_per_second / without[round].bytes_per_second);
    row.fragments += step.fragments;
    row.resent += step.resent;
    row.lost += step.lost;
    row.late += step.late;
  }
  row.median_bytes_per_second = bench::median(rates);
  row.bytes_per_second = bench::median_interval(std::move(rates));
  if (shares.empty()) return row;
  row.share = bench::median(shares);
  row.share_interval = bench::median_interval(std::move(shares));
  return row;
}

std::vector<bench::LimitShow> shows_of(const Fault& fault, const GoodputRow& row) {
  bench::LimitShow show;
  show.contender = row.contender;
  show.fault = fault.name;
  show.samples = row.samples;
  std::vector<bench::LimitShow> shows;
  if (fault.share_least > 0 && row.share)
    shows.push_back(show.at_least("share of undisturbed, median", *row.share, fault.share_least));
  if (fault.faults.loss > 0) {
    if (row.lost > 0)
      shows.push_back(show.at_most("sent again / lost", ratio(row.resent, row.lost), kResentMost));
  } else if (fault.faults.delays()) {
    shows.push_back(
        show.at_most("sent again / all", ratio(row.resent, row.fragments), kInVainMost));
  }
  return shows;
}

}  // namespace holdfast::goodput
