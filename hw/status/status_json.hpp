// What a process shows of itself as JSON, for `holdfast status` of the same build: the fields of
// ProcessStatus under their names, instants and spans in nanoseconds.
#pragma once

#include <string>
#include <string_view>

#include "hw/status/process_status.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

std::string status_json(const ProcessStatus& status);

// An error says what is missing or wrong; then `status` means nothing.
Status parse_status_json(std::string_view text, ProcessStatus& status);

}  // namespace holdfast::hw
