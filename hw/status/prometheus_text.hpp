// What a process shows of itself in the text format of Prometheus, version 0.0.4: for each metric a
// line # HELP, a line # TYPE, and its samples together.
//
// Every sample names the job and the process. The job's label is job_id, because `job` is what
// Prometheus itself calls a group of targets.
#pragma once

#include <string>
#include <string_view>

#include "hw/status/process_status.hpp"

namespace holdfast::hw {

inline constexpr std::string_view kPrometheusContentType =
    "text/plain; version=0.0.4; charset=utf-8";

std::string prometheus_text(const ProcessStatus& status);

// As it stands between the quotes of a label's value.
std::string escaped_label_value(std::string_view text);
// As it stands after the name of a metric in a # HELP line.
std::string escaped_help(std::string_view text);

}  // namespace holdfast::hw
