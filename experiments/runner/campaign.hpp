// A campaign: every replicate of every sweep point of one experiment file, run and written down.
//
// Replicate r of every point draws from the same random streams, those of (seed, r): points differ
// by what is swept and by nothing else (common random numbers). A replicate is a function of its
// experiment and its number, so the results do not depend on how many run at a time, or on how
// often the campaign was killed and resumed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/runner/outcome.hpp"
#include "stack/base/status.hpp"

namespace holdfast::runner {

struct CampaignPoint {
  Experiment experiment;
  std::vector<std::string> swept;  // the values of this point, beside Campaign::swept_paths
};

// A file for people and reports that goes into the results folder as it is.
struct Attachment {
  std::string name;
  std::string content;
};

struct Campaign {
  std::string name;
  std::string resolved;  // the text of resolved.json: the same text means the same results
  std::vector<std::string> swept_paths;
  std::vector<CampaignPoint> points;  // at least one
  std::vector<Attachment> attachments;
  std::string inputs;  // the text of inputs.txt, see digest_inputs; empty: no file is named
};

// One replicate of one point.
struct Job {
  std::uint32_t point = 0;
  std::uint32_t replicate = 0;
  friend bool operator==(const Job&, const Job&) = default;
};

// Replicates of all points; where a point has a precision, its most.
std::size_t most_replicates(const Campaign& campaign);

// How a running replicate speaks with the one who waits for it.
struct ReplicateMonitor {
  explicit ReplicateMonitor(const std::atomic<bool>& stop_requested) : stop(stop_requested) {}
  const std::atomic<bool>& stop;  // true: give up soon, with any error
  // How much of the experiment's duration is done, in a simulation. The time of real processes goes
  // by itself; of them it is when their job began, which is zero before.
  std::atomic<std::int64_t> reached_ns{0};
  std::atomic<std::chrono::steady_clock::time_point> began{};
  std::atomic<std::uint64_t> events{0};  // so far
  // Said beside an error: what the replicate has to keep cannot be written, say to a full disk.
  bool unwritable = false;
};

// Runs one replicate; may be called from several threads at once. An error ends the campaign.
using RunReplicate = std::function<Status(Job, ReplicateMonitor&, Outcome&)>;

struct CampaignOptions {
  std::string
      output;  // the results folder; empty: results/NAME, or the first free NAME-2, NAME-3, …
  bool resume = false;     // continue in the folder (without output: in the last such)
  std::uint32_t jobs = 1;  // replicates at a time
  bool quiet = false;      // no progress and no summary
  std::string command_line;
};

enum class CampaignEnd : std::uint8_t {
  complete,
  interrupted,  // stop was set; --resume continues
  refused,      // the user has to mend or decide something first; nothing was changed
  unwritable,   // results or recordings cannot be written, say to a full disk; what is finished
                // is kept
  failed,       // a replicate failed; what is finished is kept
};

struct CampaignResult {
  CampaignEnd end = CampaignEnd::complete;
  std::string folder;
  std::string message;  // of refused, unwritable and failed
};

// Runs what is not finished yet and writes the results folder (see results_folder.hpp). Progress
// goes to stderr, the summary to stdout. Setting `stop`, from a signal handler if need be,
// interrupts.
CampaignResult run_campaign(const Campaign& campaign, const RunReplicate& run,
                            const CampaignOptions& options, const std::atomic<bool>& stop);

}  // namespace holdfast::runner
