// Collects the samples of each measure, has them compared, corrects for their number.
#include "experiments/compare/comparison.hpp"

#include <algorithm>

namespace holdfast::compare {
namespace {

struct Samples {
  std::vector<double> a;
  std::vector<double> b;
};

bool is_measure(const std::string& column) {
  return column != "processes" && column != "nodes" && column != "state_hash";
}

// The samples of one measure; of pairs, those in which both sides have a value.
Samples samples_of(const Selection& a, const Selection& b, const Match& match, std::size_t column,
                   std::size_t column_of_b, bool paired) {
  Samples samples;
  if (!paired) {
    for (const auto& [replicate, row] : match.a->rows)
      if (const auto value = measured(a.results, row, column)) samples.a.push_back(*value);
    for (const auto& [replicate, row] : match.b->rows)
      if (const auto value = measured(b.results, row, column_of_b)) samples.b.push_back(*value);
    return samples;
  }
  for (const auto& [replicate, row] : match.a->rows) {
    const auto other = match.b->rows.find(replicate);
    if (other == match.b->rows.end()) continue;
    const auto mine = measured(a.results, row, column);
    const auto theirs = measured(b.results, other->second, column_of_b);
    if (!mine || !theirs) continue;
    samples.a.push_back(*mine);
    samples.b.push_back(*theirs);
  }
  return samples;
}

bool all_equal(const Samples& samples, bool paired) {
  if (paired) return samples.a == samples.b;
  const auto same = [&](double value) { return value == samples.a.front(); };
  return std::all_of(samples.a.begin(), samples.a.end(), same) &&
         std::all_of(samples.b.begin(), samples.b.end(), same);
}

Measure measure_of(const std::string& name, const Samples& samples, bool paired) {
  Measure measure;
  measure.name = name;
  measure.a = statistics::median(samples.a);
  measure.b = statistics::median(samples.b);
  measure.a_count = samples.a.size();
  measure.b_count = samples.b.size();
  measure.difference = paired ? statistics::paired_difference(samples.a, samples.b)
                              : statistics::independent_difference(samples.a, samples.b);
  return measure;
}

std::vector<Setting> differing(const Settings& a, const Settings& b) {
  std::vector<Setting> found;
  for (const auto& [path, value] : a) {
    const auto other = b.find(path);
    if (other == b.end()) {
      found.push_back({path, value, ""});
    } else if (other->second != value) {
      found.push_back({path, value, other->second});
    }
  }
  for (const auto& [path, value] : b)
    if (a.find(path) == a.end()) found.push_back({path, "", value});
  return found;
}

std::string seed_of(const RecordedPoint& point) {
  const auto seed = point.settings.find("seed");
  return seed == point.settings.end() ? "" : seed->second;
}

PointComparison compare_point(const Selection& a, const Selection& b, const Match& match) {
  PointComparison point;
  point.label = match.label;
  point.seed_a = seed_of(*match.a);
  point.seed_b = seed_of(*match.b);
  point.a_replicates = match.a->rows.size();
  point.b_replicates = match.b->rows.size();
  point.paired = point.seed_a == point.seed_b;
  point.a_samples = point.a_replicates;
  point.b_samples = point.b_replicates;
  if (point.paired) {
    point.a_samples = point.b_samples = static_cast<std::size_t>(
        std::count_if(match.a->rows.begin(), match.a->rows.end(),
                      [&](const auto& row) { return match.b->rows.contains(row.first); }));
  }
  point.settings = differing(match.a->settings, match.b->settings);
  for (std::size_t i = a.results.first_measure; i < a.results.columns.size(); ++i) {
    const std::string& name = a.results.columns[i];
    const auto& others = b.results.columns;
    const auto other = std::find(others.begin(), others.end(), name);
    if (!is_measure(name) || other == others.end()) continue;
    const auto column = static_cast<std::size_t>(other - others.begin());
    const Samples samples = samples_of(a, b, match, i, column, point.paired);
    if (samples.a.empty() || samples.b.empty()) continue;
    if (all_equal(samples, point.paired)) {
      point.equal.push_back(name);
    } else {
      point.measures.push_back(measure_of(name, samples, point.paired));
    }
  }
  return point;
}

// Columns that only the first has.
std::string missing_columns(const RecordedResults& from, const RecordedResults& in) {
  std::string names;
  for (std::size_t i = from.first_measure; i < from.columns.size(); ++i) {
    const std::string& name = from.columns[i];
    if (std::find(in.columns.begin(), in.columns.end(), name) != in.columns.end()) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

void add_notes(const RecordedResults& a, const RecordedResults& b, Comparison& comparison) {
  for (const RecordedResults* results : {&a, &b}) {
    if (results->program.empty())
      comparison.notes.push_back(results->folder +
                                 " is not finished: the replicates that are done");
    if (a.folder == b.folder) return;
  }
  if (!a.program.empty() && !b.program.empty() && a.program != b.program)
    comparison.notes.push_back("run by unlike programs: " + a.program + " and " + b.program);
  if (a.inputs != b.inputs)
    comparison.notes.push_back(
        "the files that the configurations name have unlike contents "
        "(inputs.txt)");
  for (const auto& [from, in] : {std::pair{&a, &b}, std::pair{&b, &a}})
    if (const std::string names = missing_columns(*from, *in); !names.empty())
      comparison.notes.push_back("only " + from->folder + " has " + names);
}

void correct(Comparison& comparison) {
  std::vector<double> p;
  double least = 1.0;
  for (const PointComparison& point : comparison.points)
    for (const Measure& measure : point.measures) {
      p.push_back(measure.difference.p);
      least = std::min(least, measure.difference.p_least);
    }
  comparison.tests = p.size();
  comparison.can_be_real = least * static_cast<double>(p.size()) < kRealBelow;
  const std::vector<double> corrected = statistics::holm(p);
  std::size_t next = 0;
  for (PointComparison& point : comparison.points)
    for (Measure& measure : point.measures) {
      measure.p_corrected = corrected[next++];
      measure.real = measure.p_corrected < kRealBelow;
    }
}

}  // namespace

Status compare(const std::string& a, const std::string& b, Comparison& comparison) {
  comparison.a = a;
  comparison.b = b;
  Selection first, second;
  Status status = select_points(a, first);
  if (status.is_ok()) status = select_points(b, second);
  std::vector<Match> matches;
  if (status.is_ok()) status = match_points(first, second, matches);
  if (!status.is_ok()) return status;
  add_notes(first.results, second.results, comparison);
  for (const Match& match : matches)
    comparison.points.push_back(compare_point(first, second, match));
  correct(comparison);
  return Status::ok();
}

}  // namespace holdfast::compare
