// A results folder as it can be compared: the configuration of each sweep point, and the cells of
// its replicates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stack/base/status.hpp"

namespace holdfast::compare {

// What was set, by dotted path: "detector.order" -> "rank". Lists and texts as JSON has them, texts
// without quotes.
using Settings = std::map<std::string, std::string>;

struct RecordedPoint {
  std::uint32_t index = 0;
  std::vector<std::pair<std::string, std::string>> swept;  // path and value, in the table's order
  Settings settings;  // all of them, what is swept in its place; without name, replicates, sweep
  std::map<std::uint32_t, std::vector<std::string>> rows;  // by replicate, beside columns
};

struct RecordedResults {
  std::string folder;
  std::string program;  // the version that ran it, from run.json; empty while unfinished
  std::string inputs;   // of inputs.txt: digests of the files that the configuration names
  std::vector<std::string> columns;   // of results.csv
  std::size_t first_measure = 0;      // the columns from here on were found, not set
  std::vector<RecordedPoint> points;  // by index
};

// Reads a folder that `holdfast run` has written, finished or not. The error names the file, the
// line, what was expected and the remedy.
Status read_results(const std::string& folder, RecordedResults& results);

// The cell of a measure as a number; infinite: a time of something that never happened; nothing:
// there was nothing to measure, such as the duration of mistakes where there were none.
std::optional<double> measured(const RecordedResults& results, const std::vector<std::string>& row,
                               std::size_t column);

}  // namespace holdfast::compare
