// What the files that an experiment names hold. resolved.json says only how they are called; a run
// that is continued with other contents would mix two experiments in one table.
#pragma once

#include <span>
#include <string>

#include "experiments/runner/campaign.hpp"
#include "stack/base/status.hpp"

namespace holdfast::runner {

// A line for each file of topologies, names, forwarding tables and traces, in the order of the
// points and each once: 16 hexadecimal digits that follow from its bytes, and the name. Differs if
// a byte does, but for one chance in 2^64; no protection against malice. An error if a file cannot
// be read.
Status digest_inputs(std::span<const CampaignPoint> points, std::string& lines);

}  // namespace holdfast::runner
