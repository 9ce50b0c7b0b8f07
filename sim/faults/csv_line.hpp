// One line of comma-separated values (RFC 4180 without line breaks inside fields).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {

// Splits `line` at its commas into `fields`. A field may stand in double quotes, in which a comma
// is text and two quotes are one. False if a quote is not closed or is followed by text.
[[nodiscard]] bool split_csv_line(std::string_view line, std::vector<std::string>& fields);

// `text` without blanks at either end.
std::string_view trimmed(std::string_view text);

}  // namespace holdfast::sim
