// The job's key as a person hands it to processes that do not have it from a launcher: 64
// hexadecimal digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stack/base/status.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::hw {

// Absent if it is none; blanks around it do not matter.
std::optional<JobKey> parse_job_key(std::string_view text);

// From the file, or if `file` is empty from the environment; absent if there is neither. A file
// that others may read is an error, as is what holds no key.
Status find_job_key(const std::string& file, std::optional<JobKey>& key);

}  // namespace holdfast::hw
