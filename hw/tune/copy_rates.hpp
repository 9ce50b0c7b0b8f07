// How fast this machine copies long messages into buffers that an adapter may use, with and without
// a checksum, and computes the checksum alone: what the super-pipeline's chunks are planned from
// (stack/pipeline). Measured once and kept, as the checksums' tuning is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::hw {

// Bytes in a second of one core, > 0. The message comes from memory, as it is longer than the
// caches; the buffers are few and used again and again, so they stay in them.
struct CopyRates {
  double copy_bytes_per_s = 0;      // memcpy
  double checked_bytes_per_s = 0;   // with CRC-32C, fused, fragment by fragment
  double checksum_bytes_per_s = 0;  // CRC-32C alone

  friend bool operator==(const CopyRates&, const CopyRates&) = default;
};

struct MeasuredCopies {
  CopyRates rates;
  bool measured = false;  // now; otherwise an earlier run did
  std::string file;       // where they are kept; empty: nowhere
};

// `build` and `folder` as for tuned_checksums, which is asked for the way to compute the checksum.
// Takes memory of twice the last-level cache, at most 128 MiB, and less than a second.
MeasuredCopies measured_copies(const std::string& build, const std::string& folder);

// As text of three lines, in whole bytes a second; nothing if the text is not that.
std::string to_text(const CopyRates& rates);
std::optional<CopyRates> parse_copy_rates(std::string_view text);

}  // namespace holdfast::hw
