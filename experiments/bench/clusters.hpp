// Clusters of the papers as simulations need them. What of each is published, and what is assumed,
// stands with it in the .cpp file and in the READMEs of the experiments.
#pragma once

#include <cstdint>

#include "sim/pipe/processor.hpp"
#include "stack/base/time.hpp"

namespace holdfast::bench {

struct Cluster {
  std::int64_t bits_per_second;
  Duration latency;
  std::uint32_t fragment_bytes;
  // Of the reliable transport's processor: a frame copied, and copied with its checksum.
  sim::FrameWork copied;
  sim::FrameWork checked;
  // Of an unprotected transport that sums up each message, whole, at either end; 0: not played.
  std::int64_t sum_bytes_per_second;
};

// Shipman, Graham and Bosilca (2007): InfiniBand SDR of figure 6, and DDR of figure 4.
Cluster dr_sdr();
Cluster dr_ddr();
// Denis, Trahay and Ishikawa (2012): the clusters of section 5 and of sections 3 to 4.3.
Cluster graphene();
Cluster jack_cluster();

}  // namespace holdfast::bench
