// A job as holdfast status shows it: lines for a terminal, or one JSON object for scripts.
#pragma once

#include <string>
#include <vector>

#include "hw/status/job_status.hpp"

namespace holdfast::program {

// The picture's lines. `before`: an earlier look, for rates between the two; null: rates are those
// since each process started. `rows_max`: of the table of processes, of which those that are well
// give way first.
std::vector<std::string> status_lines(const hw::JobStatus& job, const hw::JobStatus* before,
                                      std::size_t rows_max);

// docs/watching.md has the schema.
std::string status_document(const hw::JobStatus& job);

}  // namespace holdfast::program
