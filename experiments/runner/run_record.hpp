// run.json: how a campaign was run and what it took. All that is measured is here and nothing of it
// in the tables, so that those are the same wherever and however often they are made.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/runner/campaign.hpp"
#include "experiments/runner/replicate_file.hpp"

namespace holdfast::runner {

// Added up over the replicates, those of earlier runs of the same folder included.
struct RunTotals {
  std::size_t replicates = 0;
  std::size_t replicates_before = 0;  // of them: finished by earlier runs
  std::uint64_t events = 0;
  std::uint64_t heartbeats = 0;
  std::uint64_t heartbeats_skipped = 0;
  Duration replicate_wall;  // wall time of the replicates, added up

  void add(const FinishedReplicate& replicate);
};

struct RunRecord {
  RunTotals totals;
  std::vector<RunTotals> by_point;  // one for each sweep point; replicates_before is not kept
  std::chrono::system_clock::time_point began;
  std::chrono::duration<double> wall{};  // of this run
  std::size_t peak_memory_bytes = 0;
};

std::string run_json(const Campaign& campaign, const CampaignOptions& options,
                     const RunRecord& record);

}  // namespace holdfast::runner
