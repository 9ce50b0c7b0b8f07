// Run times of NAS Parallel Benchmarks over simulated networks, by their communication skeletons
// (sim/workload, sim/jobs): figure 6 of Shipman, Graham and Bosilca (2007) and table 1 of Denis,
// Trahay and Ishikawa (2012).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/pipe/processor.hpp"
#include "sim/workload/job.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"

namespace holdfast::bench {

// A cluster as the simulation needs it. What of it is published and what is assumed stands with
// the clusters in the .cpp file and in the READMEs of the experiments.
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

enum class NasContender : std::uint8_t {
  unprotected,         // adapters write where they are told
  unprotected_summed,  // the same, and each message is summed up before and after
  reliable_untimed,    // stack/reliable, and a frame takes nothing of a processor
  reliable_uncopied,   // likewise, but for the same time whatever its length
  reliable,            // likewise, and is copied; without checksums of payloads
  reliable_checked,    // with CRC-32C
};
std::string_view name_of(NasContender contender);

// A column of the paper.
struct PublishedTime {
  NasContender contender;
  double seconds;
};

struct NasJob {
  sim::Job job;
  std::vector<PublishedTime> published;
};

struct NasFigure {
  std::string_view name;
  Cluster cluster;
  bool takes_apart = false;  // what of reliable messages costs how much; on up to 64 processes
  std::vector<NasJob> jobs;
};

std::vector<std::string_view> nas_figures();
NasFigure nas_figure(std::string_view name);  // one of these

struct NasRow {
  sim::Job job;
  NasContender contender = NasContender::unprotected;
  std::uint32_t iterations = 0;  // of the whole run
  double seconds = 0;            // of all of them
  double compute_seconds = 0;    // of these, what each process computes
  double over_unprotected = 0;   // seconds over those of the unprotected transport
  double over_unsummed = 0;      // over the same transport without checksums; 0: it is that one
  std::uint64_t messages = 0;    // of the iterations that were played
  std::uint64_t bytes = 0;
  std::uint64_t resent = 0;      // fragments
  double published_seconds = 0;  // 0: nothing is published
  double published_over_unsummed = 0;
};

// Plays a few iterations of each job after the one that nobody times, and takes them for all.
// Where the paper has the time of the unprotected run, the processes compute what is left of it
// beside the messages; else as much as sim/workload assumes. An error says what stood still.
Status nas_runtimes(const NasFigure& figure,
                    const std::function<void(const std::string&)>& progress,
                    std::vector<NasRow>& rows);

}  // namespace holdfast::bench
