// Sorts problems as a person reads: the file from top to bottom, then the command line from left to
// right.
#include "experiments/config/problem.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace holdfast::runner::config {

namespace {

std::string place(const Origin& origin, const std::string& file,
                  const std::vector<Assignment>& overrides) {
  if (origin.override_index >= 0) {
    return overrides[static_cast<std::size_t>(origin.override_index)].typed;
  }
  if (origin.line == 0) return file;
  return file + ":" + std::to_string(origin.line) + ":" + std::to_string(origin.column);
}

std::string place(const Counterpart& other, const std::string& file,
                  const std::vector<Assignment>& overrides) {
  return place(other.origin, file, overrides) + ": " + other.pointer;
}

// A key or an override may hold line breaks or what a terminal would obey.
std::string printable(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code != 0x7f) {
      result += c;
    } else {
      result += "\\u00";
      result += digits[code >> 4];
      result += digits[code & 0xf];
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> render(Problems problems, const std::string& file,
                                const std::vector<Assignment>& overrides) {
  const auto key = [](const Problem& p) {
    return std::tuple(p.origin.override_index, p.origin.line, p.origin.column);
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
  std::vector<std::string> lines;
  for (const Problem& problem : problems) {
    std::string line = place(problem.origin, file, overrides) + ": ";
    if (!problem.pointer.empty()) line += problem.pointer + ": ";
    line += problem.message;
    if (problem.counterpart) line += "; see " + place(*problem.counterpart, file, overrides);
    line = printable(line);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  if (lines.size() > kProblemsShown) {
    const std::size_t more = lines.size() - kProblemsShown;
    lines.resize(kProblemsShown);
    lines.push_back(file + ": and " + std::to_string(more) + " more");
  }
  return lines;
}

}  // namespace holdfast::runner::config
