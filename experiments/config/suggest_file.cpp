// Looks where people look: in the folder that was named, and in experiments/.
#include "experiments/config/suggest_file.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "experiments/config/nearest.hpp"

namespace holdfast::runner::config {
namespace {

namespace fs = std::filesystem;

// Experiments that lie directly in a folder, by name.
std::vector<std::string> experiments_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".json" || fs::exists(entry.path() / kExperimentFile, ignored))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string suggest_experiment(const std::string& file) {
  const fs::path path(file);
  if (path.filename() == kExperimentFile) return "";  // a folder was named, and it has none
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const fs::path& place : {folder, fs::path("experiments")}) {
    const auto meant = nearest(path.filename().string(), experiments_in(place));
    if (meant) return "; did you mean " + (place / *meant).lexically_normal().string() + "?";
  }
  return "";
}

}  // namespace holdfast::runner::config
