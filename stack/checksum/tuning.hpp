// Auto-tuning (Denis, Trahay and Ishikawa, section 3): which checksum, which way to compute it and
// which way to copy are the fastest differs between processors, and is best found out by trying.
//
// The stack has no clock, so whoever tunes brings one, and keeps what comes out (hw/tune).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "stack/checksum/checksum.hpp"

namespace holdfast {

struct ChecksumTuning {
  std::string crc32c_kernel;         // the fastest that runs here
  std::uint64_t streaming_from = 0;  // bytes; copies of at least that many bypass the caches
  // The checksum that is fastest while it is copied, of those that are good for detecting errors:
  // sums and parities alone are not.
  std::string fastest;

  ChecksumPlan plan() const;
  friend bool operator==(const ChecksumTuning&, const ChecksumTuning&) = default;
};

// How many times as fast the first work is as the second, as typical for this machine; called some
// twenty times.
using CompareSpeed =
    std::function<double(const std::function<void()>& one, const std::function<void()>& other)>;

// Takes memory of three times the last-level cache, at most 256 MiB, and a second or so.
ChecksumTuning tune_checksums(const CompareSpeed& compare);

// As text of a few lines; nothing if the text is not whole, names something that is not there or
// does not run here.
std::string to_text(const ChecksumTuning& tuning);
std::optional<ChecksumTuning> parse_checksum_tuning(std::string_view text);

}  // namespace holdfast
