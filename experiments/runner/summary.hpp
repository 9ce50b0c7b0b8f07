// The table that ends a run: one line per sweep point, all replicates together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/runner/campaign.hpp"

namespace holdfast::runner {

class Summary {
 public:
  explicit Summary(const Campaign& campaign)
      : campaign_(campaign), points_(campaign.points.size()) {}

  void add(Job job, const Outcome& outcome);

  // Columns are aligned; ends with a line break.
  std::string text() const;

 private:
  struct Point {
    std::uint64_t replicates = 0;
    std::uint64_t failures = 0;  // that ended a live process
    std::vector<Duration> detections;
    std::vector<Duration> propagations;
    std::uint64_t news = 0;  // notices, local notices and repeats
    std::uint64_t failures_times_processes = 0;
    std::uint64_t missed = 0;
    std::uint64_t false_verdicts = 0;
  };

  // They differ between points only with a precision.
  bool counts_replicates() const {
    return campaign_.points.front().experiment.precision.has_value();
  }
  std::vector<std::string> row(std::size_t point) const;

  const Campaign& campaign_;
  std::vector<Point> points_;
};

}  // namespace holdfast::runner
