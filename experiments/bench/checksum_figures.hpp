// The measurements behind figures 1, 2a and 2b of Denis, Trahay and Ishikawa (EuroMPI 2012): the
// bandwidth of each checksum alone, before a copy and within it, beside what memory allows.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiments/bench/bandwidth_row.hpp"
#include "experiments/bench/buffers.hpp"
#include "stack/checksum/checksum.hpp"

namespace holdfast::bench {

struct BenchOptions {
  ChecksumPlan plan;
  std::size_t rounds;                                   // >= 1
  std::size_t largest_bytes;                            // of a message; a power of two
  std::function<void(const std::string&)> before_each;  // told what is measured next
};

// Figure 1: every checksum on 32 KiB, which fit the innermost cache of the paper's machine.
std::vector<BandwidthRow> checksums_alone(const Buffers& buffers, const BenchOptions& options);
// Figure 2a: a copy, then the checksum of it, over the length of the message.
std::vector<BandwidthRow> copy_then_checksum(const Buffers& buffers, const BenchOptions& options);
// Figure 2b: both in one pass.
std::vector<BandwidthRow> fused_copies(const Buffers& buffers, const BenchOptions& options);

// A place where values end up, so that computing them is not left out.
void keep(std::uint64_t value);

}  // namespace holdfast::bench
