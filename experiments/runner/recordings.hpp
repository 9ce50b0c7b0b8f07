// Where the recordings of a campaign lie: DIR/POINT-REPLICATE/process-R.boot-B.recording, each with
// the event log of that life beside it (.csv). Like results, recordings are never overwritten.
#pragma once

#include <string>
#include <vector>

#include "experiments/runner/campaign.hpp"
#include "stack/base/status.hpp"

namespace holdfast::runner {

// The folder of one replicate.
std::string recordings_of(const std::string& folder, Job job);

// The folder of a replicate of any campaign, in `folder`, that is not empty; empty: there is none.
std::string found_recordings(const std::string& folder);

// Makes the folder of a replicate and takes out of it what an attempt that did not come to its end
// has left there: logs and recordings, and nothing else. Only what found_recordings did not find,
// or a replicate that is resumed, may be begun.
Status begin_recordings(const std::string& folder);

// The recordings in a folder and the folders in it, as paths below it, in the order of points,
// replicates, processes and boots. An error: it cannot be read, or there is none.
Status find_recordings(const std::string& folder, std::vector<std::string>& found);

}  // namespace holdfast::runner
