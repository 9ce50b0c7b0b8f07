// Where the recordings of a campaign lie: DIR/POINT-REPLICATE/process-R.boot-B.recording, each with
// the event log of that life beside it (.csv). Like results, recordings are never overwritten.
//
// Whose they are: a run draws a name and keeps it beside its results and, when it begins to record,
// beside its recordings. Only where the two are equal does it take anything away.
#pragma once

#include <string>
#include <vector>

#include "experiments/runner/campaign.hpp"
#include "stack/base/status.hpp"

namespace holdfast::runner {

// The file that has the name, in DIR and in the results folder.
inline constexpr const char* kRunFile = "recordings.id";
// What it says in a folder; empty: there is none.
std::string run_of(const std::string& folder);

// The folder of one replicate.
std::string recordings_of(const std::string& folder, Job job);

// The folder of a replicate of any campaign, in `folder`, that is not empty; empty: there is none.
std::string found_recordings(const std::string& folder);

// Whether all recordings in `folder`, if there are any, are of that run.
bool are_of(const std::string& folder, const std::string& run);

// Makes the folder of a replicate in `folder`, says there whose it is, and takes out of it what an
// attempt of the same run that did not come to its end has left there: logs and recordings, and
// nothing else. Where recordings are of somebody else it is an error, and nothing is changed.
Status begin_recordings(const std::string& folder, const std::string& run, Job job);

// The recordings in a folder and the folders in it, as paths below it, in the order of points,
// replicates, processes and boots. An error: it cannot be read, or there is none.
Status find_recordings(const std::string& folder, std::vector<std::string>& found);

}  // namespace holdfast::runner
