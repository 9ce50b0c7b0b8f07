// Run times of NAS Parallel Benchmarks over simulated networks, by their communication skeletons
// (sim/workload, sim/jobs): figure 6 of Shipman, Graham and Bosilca (2007) and table 1 of Denis,
// Trahay and Ishikawa (2012).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/bench/clusters.hpp"
#include "sim/workload/job.hpp"
#include "stack/base/status.hpp"

namespace holdfast::bench {

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
