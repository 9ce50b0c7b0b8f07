// Two selections compared: what was set differently, and for each measure (a column of results.csv)
// the medians over the replicates, their difference, and whether it is more than chance.
//
// Replicate r of both sides had the same random numbers if both had the same seed; then they are
// compared pair by pair, else as independent samples (statistics/differences.hpp). A measure that
// is the same in every pair is equal, and no question for a test. All others of all points are
// corrected for together, after Holm: a difference is real if its corrected p is below 0.05.
#pragma once

#include <string>
#include <vector>

#include "experiments/compare/selection.hpp"
#include "experiments/statistics/differences.hpp"

namespace holdfast::compare {

struct Measure {
  std::string name;
  double a = 0.0;  // medians; infinite: never
  double b = 0.0;
  std::size_t a_count = 0;  // samples; the same number if paired
  std::size_t b_count = 0;
  statistics::Difference difference;
  double p_corrected = 1.0;
  bool real = false;
};

// One setting on either side; empty: it is not there.
struct Setting {
  std::string path;
  std::string a;
  std::string b;
};

struct PointComparison {
  std::string label;
  bool paired = false;
  std::string seed_a;
  std::string seed_b;
  std::size_t a_replicates = 0;
  std::size_t b_replicates = 0;
  std::size_t a_samples = 0;  // of these, those that are compared: all, or those of a pair
  std::size_t b_samples = 0;
  std::vector<Setting> settings;   // that differ
  std::vector<Measure> measures;   // that differ in any replicate
  std::vector<std::string> equal;  // names of the others that have a value
};

struct Comparison {
  std::string a;  // the operands
  std::string b;
  std::vector<std::string> notes;  // other programs, other files, columns of one side only
  std::vector<PointComparison> points;
  std::size_t tests = 0;     // corrected for
  bool can_be_real = false;  // so many replicates can show a difference at all
};

constexpr double kRealBelow = 0.05;

// The error is for the user: why these cannot be compared.
Status compare(const std::string& a, const std::string& b, Comparison& comparison);

}  // namespace holdfast::compare
