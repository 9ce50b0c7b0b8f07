// Adds up replicates by sweep point, and aligns the columns.
#include "experiments/runner/summary.hpp"

#include <algorithm>
#include <cstdio>

#include "experiments/runner/tables.hpp"

namespace holdfast::runner {
namespace {

// Three digits are enough for people; results.csv has all.
std::string shown(std::optional<Duration> duration, double unit_ns) {
  if (!duration) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(duration->ns) / unit_ns);
  return text;
}

std::size_t width_of(const std::string& text) {
  // Bytes that continue a character of UTF-8 take no place.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

void Summary::add(Job job, const Outcome& outcome) {
  Point& point = points_[job.point];
  ++point.replicates;
  std::uint64_t failures = 0;
  for (const FailureOutcome& failure : outcome.failures) {
    if (failure.processes > 0) ++failures;
    if (failure.detection) point.detections.push_back(*failure.detection);
    if (failure.propagation) point.propagations.push_back(*failure.propagation);
  }
  point.failures += failures;
  point.failures_times_processes += failures * outcome.processes;
  point.news +=
      outcome.messages.notices + outcome.messages.local_notices + outcome.messages.repeats;
  point.missed += outcome.missed;
  point.false_verdicts += outcome.false_verdicts;
}

std::vector<std::string> Summary::row(std::size_t index) const {
  const Point& point = points_[index];
  std::vector<std::string> cells = campaign_.points[index].swept;
  if (counts_replicates()) cells.push_back(std::to_string(point.replicates));
  cells.push_back(std::to_string(point.failures));
  cells.push_back(std::to_string(point.detections.size()));
  cells.push_back(shown(median(point.detections), 1e9));
  cells.push_back(shown(median(point.propagations), 1e6));
  char messages[32] = "-";
  if (point.failures_times_processes > 0)
    std::snprintf(
        messages, sizeof messages, "%.3f",
        static_cast<double>(point.news) / static_cast<double>(point.failures_times_processes));
  cells.emplace_back(messages);
  cells.push_back(std::to_string(point.missed));
  cells.push_back(std::to_string(point.false_verdicts));
  return cells;
}

std::string Summary::text() const {
  std::vector<std::vector<std::string>> rows(1, campaign_.swept_paths);
  if (counts_replicates()) rows[0].emplace_back("replicates");
  for (const char* title : {"failures", "detected", "detection s", "propagation ms",
                            "notices/failure/process", "missed", "false"})
    rows[0].emplace_back(title);
  for (std::size_t i = 0; i < points_.size(); ++i) rows.push_back(row(i));
  std::vector<std::size_t> widths(rows[0].size());
  for (const std::vector<std::string>& cells : rows)
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], width_of(cells[i]));
  std::string text;
  for (const std::vector<std::string>& cells : rows) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string blanks(widths[i] - width_of(cells[i]), ' ');
      const bool is_word = i < campaign_.swept_paths.size();
      line += (i == 0 ? "" : "  ") + (is_word ? cells[i] + blanks : blanks + cells[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + "(detection and propagation: medians over all failures)\n";
}

}  // namespace holdfast::runner
