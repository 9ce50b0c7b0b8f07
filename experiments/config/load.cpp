// The order of the steps: read, override, check each value, expand the sweep, check each point as a
// whole. Each step may rely on the one before, so a later kind of error is reported only when there
// is none earlier.
#include "experiments/config/load.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "experiments/config/check.hpp"
#include "experiments/config/convert.hpp"
#include "experiments/config/override.hpp"
#include "experiments/config/problem.hpp"
#include "experiments/config/read_json.hpp"
#include "experiments/config/schema.hpp"
#include "experiments/config/suggest_file.hpp"
#include "experiments/config/sweep.hpp"
#include "experiments/config/validate.hpp"

namespace holdfast::runner {

namespace {

using config::Completeness;
using config::Node;
using config::Problems;

// An experiment file is written by people; whoever gives a trace instead should learn it at once.
constexpr std::size_t kFileBytesMax = std::size_t{16} << 20;

// The text of `file`, or why there is none.
struct FileText {
  std::string text;
  std::string error;
};

FileText read_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const int reason = errno;
  if (!stream && reason == ENOENT)
    return {"", "there is no such file; expected an experiment file, or a folder that has an " +
                    std::string(config::kExperimentFile) + config::suggest_experiment(file)};
  if (!stream) return {"", std::string("the file cannot be opened: ") + std::strerror(reason)};
  std::string text(kFileBytesMax + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return {"", "the file cannot be read"};
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kFileBytesMax) {
    return {"", "the file is larger than 16 MiB; expected an experiment file"};
  }
  return {std::move(text), ""};
}

// Why a file cannot be read; empty: it can.
std::string why_unreadable(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return "that is a folder and no file";
  if (::access(file.c_str(), R_OK) == 0) return "";
  return errno == ENOENT || errno == ENOTDIR
             ? "there is no such file"
             : std::string("it cannot be read: ") + std::strerror(errno);
}

// Makes the file names of the document usable from the current folder, and checks that there are
// such files.
void anchor_paths(Node& document, const std::string& folder, Problems& problems) {
  config::for_each_path(document, [&](Node& path, const std::string& pointer) {
    std::filesystem::path file(path.text);
    const bool of_the_file = path.origin.override_index < 0;
    if (of_the_file && file.is_relative()) file = std::filesystem::path(folder) / file;
    const std::string reason = why_unreadable(file);
    if (!reason.empty()) {
      const std::string where = of_the_file ? "the experiment file's folder" : "the current folder";
      problems.push_back({path.origin, pointer,
                          "found " + short_json(path) + ", but " + reason +
                              "; expected one relative to " + where +
                              ", or with its absolute name"});
    }
    path.text = file.lexically_normal().string();
  });
}

void make_paths_absolute(Node& document) {
  config::for_each_path(document, [](Node& path, const std::string&) {
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(path.text, failed);
    if (!failed) path.text = absolute.lexically_normal().string();
  });
}

// The points of a document whose parts are valid, each once. Stops early where there are enough
// problems.
std::vector<SweepPoint> make_points(const Node& document, const Node& as_written,
                                    Problems& problems) {
  std::vector<SweepPoint> points;
  // The values as the file has them, before file names are made usable.
  std::vector<config::SweptValues> written;
  config::for_each_point(as_written, [&](Node, const config::SweptValues& values) {
    written.push_back(values);
    return true;
  });
  std::set<config::SweptValues> seen;
  std::size_t visited = 0;
  config::for_each_point(document, [&](Node point, const config::SweptValues&) {
    const config::SweptValues& values = written[visited++];
    if (!seen.insert(values).second) return true;
    const std::size_t before = problems.size();
    validate(config::experiment_schema_node(), point, "", Completeness::whole, problems);
    if (problems.size() == before) {
      config::complete(point);
      Experiment experiment = config::to_experiment(point);
      check_experiment(experiment, point, problems);
      points.push_back({std::move(experiment), values});
    }
    return problems.size() <= config::kProblemsShown;
  });
  return points;
}

// Whether it is a value's JSON pointer by the schema, and not the absolute name of a file.
bool is_pointer(std::string text) {
  if (!text.starts_with('/')) return false;
  std::replace(text.begin(), text.end(), '/', '.');
  const std::vector<std::string> path = config::split_path(std::string_view(text).substr(1));
  return !path.empty() && config::schema_at(path) != nullptr;
}

LoadResult failure(Problems problems, const std::string& name,
                   const std::vector<Assignment>& overrides) {
  return {std::nullopt, config::render(std::move(problems), name, overrides)};
}

}  // namespace

LoadResult parse_experiment(std::string_view text, const std::string& name,
                            const std::string& folder, const std::vector<Assignment>& overrides) {
  config::ReadJson read = config::read_json(text);
  if (!read.node) return failure({{read.where, "", read.error}}, name, overrides);
  Node document = *std::move(read.node);
  Problems problems;
  const bool object = document.is(config::NodeKind::object);
  if (object) apply_overrides(overrides, document, problems);
  // What is missing is not missed here: a sweep may supply it. make_points sees it.
  validate(config::experiment_schema_node(), document, "", Completeness::parts, problems);
  if (object) config::check_sweep(document, problems);
  if (!problems.empty()) return failure(std::move(problems), name, overrides);

  const Node as_written = document;
  Problems missing_files;
  anchor_paths(document, folder, missing_files);
  std::vector<SweepPoint> points = make_points(document, as_written, problems);
  // A file name may be what should not be there at all; then its file is not missed.
  if (problems.empty()) problems = std::move(missing_files);
  if (!problems.empty()) return failure(std::move(problems), name, overrides);
  config::complete(document);
  make_paths_absolute(document);
  return {
      LoadedExperiment{std::move(points), to_json(document, 2) + "\n", name, as_written, overrides},
      {}};
}

LoadResult load_experiment(const std::string& file, const std::vector<Assignment>& overrides) {
  std::error_code ignored;
  std::filesystem::path path(file);
  if (std::filesystem::is_directory(path, ignored)) path /= config::kExperimentFile;
  const FileText read = read_file(path.string());
  if (!read.error.empty()) return {std::nullopt, {path.string() + ": " + read.error}};
  return parse_experiment(read.text, path.string(), path.parent_path().string(), overrides);
}

std::string with_place(const std::string& error, const LoadedExperiment& loaded,
                       const SweepPoint& point) {
  const std::size_t colon = error.find(": ");
  const std::string pointer = error.substr(0, colon);
  if (!is_pointer(pointer)) return loaded.name + ": " + error;
  Node document;
  config::for_each_point(loaded.written, [&](Node each, const config::SweptValues& values) {
    const bool found = values == point.values;
    if (found) document = std::move(each);
    return !found;
  });
  // What has its default was written nowhere; then what holds it was.
  std::string_view written = pointer;
  while (config::at_pointer(document, written) == nullptr)
    written = written.substr(0, written.rfind('/'));
  const config::Problem problem{config::at_pointer(document, written)->origin, pointer,
                                error.substr(colon + 2)};
  return config::render({problem}, loaded.name, loaded.overrides).front();
}

std::vector<Assignment> overrides_of_option(std::string_view option, std::string_view value) {
  const std::string text(value);
  const std::string quoted = to_json(config::string_node(text), -1);
  const std::string typed = std::string(option) + " " + text;
  const auto both = [&](const std::string& first, const std::string& second) {
    return std::vector<Assignment>{{first, typed}, {second, typed}};
  };
  if (option == "--target") return {Assignment("fabric.kind=" + quoted, typed)};
  if (option == "--topology") return both("topology.kind=ibnetdiscover", "topology.file=" + quoted);
  if (option == "--trace") return {Assignment("trace.file=" + quoted, typed)};
  if (option == "--trace-system") return both("trace.format=lanl", "trace.system=" + text);
  if (option == "--trace-year") return both("trace.format=lanl", "trace.year=" + text);
  if (option == "--trace-month") return both("trace.format=lanl", "trace.month=" + text);
  return {};
}

}  // namespace holdfast::runner
