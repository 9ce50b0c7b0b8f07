// What an operand of `holdfast compare` means: a results folder, or some of its sweep points.
//
//   results/a                        all points
//   results/a#detector.order=rank    those with this value; several of them with commas between
//   results/a#3                      the point of this number
#pragma once

#include <string>
#include <vector>

#include "experiments/compare/recorded_results.hpp"

namespace holdfast::compare {

struct Selection {
  RecordedResults results;
  std::vector<std::size_t> points;  // positions in results.points, at least one
  std::vector<std::string> chosen;  // the swept paths that the operand gives a value
};

Status select_points(const std::string& operand, Selection& selection);

// The points of two selections that belong together: those with equal values of all that is swept
// and not chosen; if either is a single point, these two. An error says why there are none.
struct Match {
  const RecordedPoint* a = nullptr;
  const RecordedPoint* b = nullptr;
  std::string label;  // the common values; empty of a single one
};
Status match_points(const Selection& a, const Selection& b, std::vector<Match>& matches);

}  // namespace holdfast::compare
