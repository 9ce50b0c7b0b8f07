// Splits a line by a machine of three states: plain, quoted, after the closing quote.
#include "sim/faults/csv_line.hpp"

namespace holdfast::sim {

bool split_csv_line(std::string_view line, std::vector<std::string>& fields) {
  fields.assign(1, "");
  enum { plain, quoted, closed } state = plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (state == quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += '"';
        ++i;
      } else {
        state = closed;
      }
    } else if (c == ',') {
      fields.emplace_back();
      state = plain;
    } else if (c == '"' && state == plain && fields.back().empty()) {
      state = quoted;
    } else if (state == closed) {
      return false;
    } else {
      fields.back() += c;
    }
  }
  return state != quoted;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace holdfast::sim
