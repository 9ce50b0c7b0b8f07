// Operands to points; which of them belong together.
#include "experiments/compare/selection.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "experiments/config/nearest.hpp"

namespace holdfast::compare {
namespace {

using Swept = std::vector<std::pair<std::string, std::string>>;

std::string value_at(const Swept& swept, const std::string& path) {
  for (const auto& [name, value] : swept)
    if (name == path) return value;
  return "";
}

std::vector<std::string> paths_of(const RecordedResults& results) {
  std::vector<std::string> paths;
  for (const auto& [path, value] : results.points.front().swept) paths.push_back(path);
  return paths;
}

// "a=1,b=x, y" as ("a", "1") and ("b", "x, y"): a comma parts two only before a path and '='.
Swept parse_wanted(const std::string& text, const std::vector<std::string>& paths) {
  Swept wanted;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    std::size_t end = text.size();
    for (std::size_t comma = text.find(',', begin); comma != std::string::npos;
         comma = text.find(',', comma + 1)) {
      const bool parts = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return text.compare(comma + 1, path.size() + 1, path + "=") == 0;
      });
      if (!parts) continue;
      end = comma;
      break;
    }
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    wanted.emplace_back(part.substr(0, equals),
                        equals == std::string::npos ? "" : part.substr(equals + 1));
    begin = end + 1;
  }
  return wanted;
}

Status no_such(const std::string& operand, const std::string& what,
               std::vector<std::string> choices) {
  if (choices.empty())
    return Status::error(operand + ": " + what + "; the folder has one point and sweeps nothing");
  return Status::error(operand + ": " + what + "; expected " +
                       runner::config::listed(choices, "or"));
}

// Leaves the points that have this value.
Status narrow(const std::string& operand, const std::string& path, const std::string& value,
              Selection& selection) {
  const std::vector<std::string> paths = paths_of(selection.results);
  if (std::find(paths.begin(), paths.end(), path) == paths.end())
    return no_such(operand, "\"" + path + "\" is not swept", paths);
  std::vector<std::string> values;
  std::vector<std::size_t> left;
  for (const std::size_t position : selection.points) {
    const std::string own = value_at(selection.results.points[position].swept, path);
    if (own == value) left.push_back(position);
    if (std::find(values.begin(), values.end(), own) == values.end()) values.push_back(own);
  }
  if (left.empty())
    return no_such(operand, "there is no sweep point with " + path + "=" + value, values);
  selection.points = left;
  selection.chosen.push_back(path);
  return Status::ok();
}

Status pick(const std::string& operand, const std::string& text, Selection& selection) {
  std::uint32_t index = 0;
  const bool known =
      std::from_chars(text.data(), text.data() + text.size(), index).ec == std::errc{};
  const std::vector<RecordedPoint>& points = selection.results.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!known || points[i].index != index) continue;
    selection.points = {i};
    selection.chosen = paths_of(selection.results);
    return Status::ok();
  }
  return Status::error(operand + ": there is no point " + text + "; expected 0 to " +
                       std::to_string(points.back().index));
}

std::string label_of(const Swept& swept) {
  std::string label;
  for (const auto& [path, value] : swept) label += (label.empty() ? "" : ", ") + path + "=" + value;
  return label;
}

// What tells the points of a selection apart, as they are matched by it.
Swept key_of(const Selection& selection, const RecordedPoint& point) {
  Swept key;
  for (const auto& entry : point.swept)
    if (std::find(selection.chosen.begin(), selection.chosen.end(), entry.first) ==
        selection.chosen.end())
      key.push_back(entry);
  std::sort(key.begin(), key.end());
  return key;
}

}  // namespace

Status select_points(const std::string& operand, Selection& selection) {
  // A folder's own name may have a '#'.
  const bool whole = std::filesystem::is_directory(operand);
  const std::size_t mark = whole ? std::string::npos : operand.rfind('#');
  Status status = read_results(operand.substr(0, mark), selection.results);
  if (!status.is_ok()) return status;
  for (std::size_t i = 0; i < selection.results.points.size(); ++i) selection.points.push_back(i);
  if (mark == std::string::npos) return Status::ok();
  const std::string text = operand.substr(mark + 1);
  if (text.empty())
    return Status::error(operand +
                         ": nothing follows the '#'; expected a point's number, or what "
                         "it is swept with, such as #detector.order=rank");
  if (text.find_first_not_of("0123456789") == std::string::npos)
    return pick(operand, text, selection);
  for (const auto& [path, value] : parse_wanted(text, paths_of(selection.results)))
    if (status = narrow(operand, path, value, selection); !status.is_ok()) return status;
  return Status::ok();
}

Status match_points(const Selection& a, const Selection& b, std::vector<Match>& matches) {
  if (a.points.size() == 1 && b.points.size() == 1) {
    matches = {{&a.results.points[a.points[0]], &b.results.points[b.points[0]], ""}};
  } else {
    for (const std::size_t mine : a.points)
      for (const std::size_t other : b.points) {
        const Swept key = key_of(a, a.results.points[mine]);
        if (key == key_of(b, b.results.points[other]))
          matches.push_back({&a.results.points[mine], &b.results.points[other], label_of(key)});
      }
  }
  const bool same_folder = a.results.folder == b.results.folder;
  for (const Match& match : matches)
    if (same_folder && match.a->index == match.b->index)
      return Status::error(
          a.results.folder + ": point " + std::to_string(match.a->index) +
          " would be compared with itself; name two that differ, such as A#" +
          (match.a->swept.empty() ? std::string("0 B#0") : match.a->swept[0].first + "=…"));
  if (!matches.empty()) return Status::ok();
  return Status::error(a.results.folder + " (" + std::to_string(a.points.size()) + " points) and " +
                       b.results.folder + " (" + std::to_string(b.points.size()) +
                       "): no point of the one has the swept values of one of the other; name one "
                       "of each, such as " +
                       a.results.folder + "#0 " + b.results.folder + "#0");
}

}  // namespace holdfast::compare
