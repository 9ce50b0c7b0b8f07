// A row of bandwidth.csv: how fast one thing is with messages of one length.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "experiments/bench/alternation.hpp"

namespace holdfast::bench {

struct BandwidthRow {
  std::string measurement;  // which figure it belongs to: checksum, fused, model_jack …
  std::string contender;    // what is measured, or a limit: crc32c, memcpy …
  std::size_t message_bytes;
  std::size_t samples;  // 0: computed and not measured
  double median_bytes_per_second;
  std::optional<Interval> bytes_per_second;  // of the median
};

}  // namespace holdfast::bench
