// Something wrong with an experiment file: where, and in words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/assignment.hpp"
#include "experiments/config/node.hpp"

namespace holdfast::runner::config {

// Another value that does not go together with the one that is to be mended.
struct Counterpart {
  Origin origin;
  std::string pointer;
};

struct Problem {
  Origin origin;
  std::string pointer;  // JSON pointer of the value, in the file's terms
  std::string message;  // "found ...; expected ...", and how to mend it
  std::optional<Counterpart> counterpart = std::nullopt;
};

using Problems = std::vector<Problem>;

constexpr std::size_t kProblemsShown = 20;

// One line each, those of the file first and in its order, then those of the command line; no line
// twice, at most kProblemsShown and the number of the others. `file` is the name written in front.
std::vector<std::string> render(Problems problems, const std::string& file,
                                const std::vector<Assignment>& overrides);

}  // namespace holdfast::runner::config
