// A line of a CSV file as its cells: the way back from csv_cell (tables.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner {

// The cells of one row. A quoted cell may hold commas, doubled quotes and line breaks; a line break
// at the end of the row does not count.
std::vector<std::string> split_csv_row(std::string_view row);

}  // namespace holdfast::runner
