// A finished replicate as text: its outcome and what running it cost. It is what --resume reads, so
// the results of a resumed campaign are made from the same values as those of an undisturbed one.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/runner/outcome.hpp"
#include "stack/base/status.hpp"

namespace holdfast::runner {

struct FinishedReplicate {
  Outcome outcome;
  Duration wall;  // measured; for run.json only
};

std::string replicate_text(const FinishedReplicate& replicate);

// `path` is for the error.
Status parse_replicate(const std::string& path, const std::string& text,
                       FinishedReplicate& replicate);

}  // namespace holdfast::runner
