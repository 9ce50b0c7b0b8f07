// What is promised of CRC-32C's speed, as ratios within one run: beside its own copy, beside memcpy
// and beside ISA-L.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/bench/checksum_figures.hpp"

namespace holdfast::bench {

struct ShowRow {
  std::string show;  // what is compared, for people
  std::size_t message_bytes;
  double ratio;                  // of speeds, the median of the rounds
  double least;                  // what is promised
  double bytes_per_second;       // of what is ours
  double peer_bytes_per_second;  // of what it is compared with
  // Its own limit in the same run: memory read, or memcpy where something is copied.
  std::string limit;
  double limit_bytes_per_second;
  bool kept() const { return ratio >= least; }
};

// Whether the longest message is too long for the caches.
bool reaches_memory(const BenchOptions& options);

// Without ISA-L its rows are left out, and what is promised of memory where none is reached.
std::vector<ShowRow> checksum_shows(const Buffers& buffers, const BenchOptions& options);

}  // namespace holdfast::bench
