// Reads resolved.json, results.csv and, where they are, run.json and inputs.txt.
#include "experiments/compare/recorded_results.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "experiments/runner/csv_row.hpp"
#include "experiments/runner/durable_file.hpp"
#include "stack/base/excerpt.hpp"

namespace holdfast::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAgain = "; give the folder of a run, or run the experiment again";

Status read_json(const std::string& path, Json& document) {
  std::string text;
  if (Status status = runner::read_whole(path, text); !status.is_ok())
    return Status::error(status.message() + kAgain);
  document = Json::parse(text, nullptr, false);
  if (document.is_object()) return Status::ok();
  return Status::error(path + ": expected a JSON object" + kAgain);
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Lists of plain values are one setting; objects, and lists of objects, one for each of theirs.
void flatten(const Json& value, const std::string& path, Settings& settings) {
  const bool nested =
      value.is_object() || (value.is_array() && !value.empty() && value.front().is_object());
  if (!nested) {
    settings[path] = text_of(value);
    return;
  }
  std::size_t index = 0;
  for (const auto& [key, inner] : value.items()) {
    const std::string name = value.is_array() ? std::to_string(index++) : key;
    flatten(inner, path.empty() ? name : path + "." + name, settings);
  }
}

Settings settings_of(const Json& resolved) {
  Json whole = resolved;
  for (const char* key : {"name", "replicates", "sweep"}) whole.erase(key);
  Settings settings;
  flatten(whole, "", settings);
  return settings;
}

// A swept value may be an object, which takes the place of all below its path.
void put(const std::string& path, const std::string& value, Settings& settings) {
  std::erase_if(settings, [&](const auto& entry) {
    return entry.first == path || entry.first.starts_with(path + ".");
  });
  const Json parsed = Json::parse(value, nullptr, false);
  if (parsed.is_discarded() || !parsed.is_structured()) {
    settings[path] = value;
  } else {
    flatten(parsed, path, settings);
  }
}

// The rows of a CSV text; a quoted cell may hold a line break.
std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> rows;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    quoted ^= text[i] == '"';
    if (text[i] != '\n' || quoted) continue;
    rows.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return rows;  // a row without its end was not written whole
}

bool number(const std::string& text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// The table's shape: point, replicate, what is swept, processes, and so on.
Status read_header(const std::string& path, const std::string& row, RecordedResults& results) {
  results.columns = runner::split_csv_row(row);
  const auto processes = std::find(results.columns.begin(), results.columns.end(), "processes");
  const bool known = results.columns.size() > 4 && results.columns[0] == "point" &&
                     results.columns[1] == "replicate" && processes != results.columns.end();
  if (!known)
    return Status::error(path +
                         ":1: expected the columns point, replicate, processes and what "
                         "follows" +
                         kAgain);
  results.first_measure = static_cast<std::size_t>(processes - results.columns.begin());
  return Status::ok();
}

Status read_row(const std::string& where, const std::string& row, const Settings& settings,
                RecordedResults& results) {
  std::vector<std::string> cells = runner::split_csv_row(row);
  std::uint32_t index = 0, replicate = 0;
  if (cells.size() != results.columns.size() || !number(cells[0], index) ||
      !number(cells[1], replicate))
    return Status::error(where + ": expected " + std::to_string(results.columns.size()) +
                         " cells, as in the header, and whole numbers in the first two" + kAgain);
  if (results.points.empty() || results.points.back().index != index) {
    RecordedPoint& point = results.points.emplace_back();
    point.index = index;
    point.settings = settings;
    for (std::size_t i = 2; i < results.first_measure; ++i) {
      point.swept.emplace_back(results.columns[i], cells[i]);
      put(results.columns[i], cells[i], point.settings);
    }
  }
  for (std::size_t i = results.first_measure; i < cells.size(); ++i) {
    double value = 0.0;
    const char* end = cells[i].data() + cells[i].size();
    const bool is_number =
        cells[i].empty() ||
        (std::from_chars(cells[i].data(), end, value).ptr == end && std::isfinite(value));
    if (is_number || results.columns[i] == "state_hash") continue;
    return Status::error(where + ": column " + excerpt(results.columns[i]) + " holds \"" +
                         excerpt(cells[i]) + "\"; expected a number or nothing" + kAgain);
  }
  results.points.back().rows.emplace(replicate, std::move(cells));
  return Status::ok();
}

// The count in a column; 0 where the table has no such column.
std::uint32_t number_in(const RecordedResults& results, const std::vector<std::string>& row,
                        const char* name) {
  const auto found = std::find(results.columns.begin(), results.columns.end(), name);
  std::uint32_t value = 0;
  if (found != results.columns.end())
    number(row[static_cast<std::size_t>(found - results.columns.begin())], value);
  return value;
}

}  // namespace

Status read_results(const std::string& folder, RecordedResults& results) {
  results.folder = folder;
  if (!std::filesystem::is_directory(folder))
    return Status::error(folder +
                         ": is no folder; expected the results folder of a run, as "
                         "`holdfast run` names it at its end");
  Json resolved;
  if (Status status = read_json(folder + "/resolved.json", resolved); !status.is_ok())
    return status;
  const std::string path = folder + "/results.csv";
  std::string text;
  if (Status status = runner::read_whole(path, text); !status.is_ok())
    return Status::error(status.message() + kAgain);
  const std::vector<std::string> rows = rows_of(text);
  if (rows.size() < 2)
    return Status::error(path +
                         ": there is no finished replicate yet; `holdfast run --resume` "
                         "continues the run");
  Status status = read_header(path, rows[0], results);
  const Settings settings = settings_of(resolved);
  for (std::size_t i = 1; i < rows.size() && status.is_ok(); ++i)
    status = read_row(path + ":" + std::to_string(i + 1), rows[i], settings, results);
  if (!status.is_ok()) return status;
  if (std::filesystem::exists(folder + "/inputs.txt"))
    status = runner::read_whole(folder + "/inputs.txt", results.inputs);
  if (!status.is_ok() || !std::filesystem::exists(folder + "/run.json")) return status;
  Json run;
  if (status = read_json(folder + "/run.json", run); !status.is_ok()) return status;
  for (const char* key : {"version", "git"})
    if (run.contains(key))
      results.program += (results.program.empty() ? "" : " ") + text_of(run[key]);
  return Status::ok();
}

std::optional<double> measured(const RecordedResults& results, const std::vector<std::string>& row,
                               std::size_t column) {
  const std::string& cell = row[column];
  const std::string& name = results.columns[column];
  if (!cell.empty()) {
    double value = 0.0;
    std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return value;
  }
  if (name == "mistake_recurrence_s") return std::numeric_limits<double>::infinity();
  // Of cuts that healed some were reconciled, so those that this is about were not.
  if (name.starts_with("reconcile_") && number_in(results, row, "reconciled") > 0)
    return std::numeric_limits<double>::infinity();
  const bool of_failures = name.starts_with("detection_") || name.starts_with("propagation_") ||
                           name.starts_with("known_");
  if (!of_failures || number_in(results, row, "failures") == 0) return std::nullopt;
  return std::numeric_limits<double>::infinity();
}

}  // namespace holdfast::compare
