// Names of folders and files; the files are made by hw/launch.
#include "experiments/runner/recordings.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "experiments/runner/durable_file.hpp"

namespace holdfast::runner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecording = ".recording";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether one name comes before another where numbers in them count as such: process-9 before
// process-10.
bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (!is_digit(a.front()) || !is_digit(b.front())) {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
      continue;
    }
    const auto number = [](std::string_view& text) {
      const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
      const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
      text.remove_prefix(digits.size());
      return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
    };
    const std::string_view of_a = number(a), of_b = number(b);
    if (of_a.size() != of_b.size()) return of_a.size() < of_b.size();
    if (of_a != of_b) return of_a < of_b;
  }
  return a.size() < b.size();
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// "0-12"
bool is_of_replicate(const std::string& name) {
  const std::size_t dash = name.find('-');
  return dash != std::string::npos && is_number(std::string_view(name).substr(0, dash)) &&
         is_number(std::string_view(name).substr(dash + 1));
}

bool is_of_life(const fs::path& file) {
  const fs::path kind = file.extension();
  return file.filename().string().starts_with("process-") && (kind == kRecording || kind == ".csv");
}

}  // namespace

std::string recordings_of(const std::string& folder, Job job) {
  return folder + "/" + std::to_string(job.point) + "-" + std::to_string(job.replicate);
}

std::string found_recordings(const std::string& folder) {
  std::string first;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (!is_of_replicate(entry.path().filename().string()) || fs::is_empty(entry.path(), error))
      continue;
    if (first.empty() || path < first) first = path;
  }
  return first;
}

std::string run_of(const std::string& folder) {
  std::string text;
  if (!read_whole(folder + "/" + kRunFile, text).is_ok()) return "";
  return text.substr(0, text.find('\n'));
}

bool are_of(const std::string& folder, const std::string& run) {
  return found_recordings(folder).empty() || (!run.empty() && run_of(folder) == run);
}

Status begin_recordings(const std::string& all, const std::string& run, Job job) {
  if (!are_of(all, run))
    return Status::error(found_recordings(all) +
                         " is of another run, and recordings are never overwritten; give another "
                         "folder with --record");
  const std::string folder = recordings_of(all, job);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Status::error(folder + ": cannot make: " + error.message());
  if (run_of(all) != run)
    if (Status status = write_durably(all + "/" + kRunFile, run + "\n"); !status.is_ok())
      return status;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (is_of_life(entry.path()) && !fs::remove(entry.path(), error))
      return Status::error(entry.path().string() + ": cannot remove: " + error.message());
  }
  return error ? Status::error(folder + ": cannot read: " + error.message()) : Status::ok();
}

Status find_recordings(const std::string& folder, std::vector<std::string>& found) {
  const fs::path root(folder);
  std::error_code error;
  std::vector<fs::path> places{root};
  for (const fs::directory_entry& entry : fs::directory_iterator(root, error))
    if (entry.is_directory()) places.push_back(entry.path());
  for (const fs::path& place : places) {
    for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
      if (entry.path().extension() == kRecording)
        found.push_back(entry.path().lexically_relative(root).string());
    }
    if (error) return Status::error(place.string() + ": cannot read: " + error.message());
  }
  std::sort(found.begin(), found.end(), comes_before);
  if (!found.empty()) return Status::ok();
  return Status::error(folder +
                       ": there is no recording in it, nor in the folders in it; expected "
                       "what holdfast run --record has written");
}

}  // namespace holdfast::runner
