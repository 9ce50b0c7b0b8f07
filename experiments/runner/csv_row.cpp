// One pass, with one bit of state: within quotes or not.
#include "experiments/runner/csv_row.hpp"

namespace holdfast::runner {

std::vector<std::string> split_csv_row(std::string_view row) {
  if (row.ends_with('\n')) row.remove_suffix(1);
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char c = row[i];
    if (quoted && c == '"' && i + 1 < row.size() && row[i + 1] == '"') {
      cells.back() += row[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace holdfast::runner
