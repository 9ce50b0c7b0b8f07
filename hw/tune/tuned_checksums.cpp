// Written under another name and renamed, so that of several processes that start at the same time
// none reads half a file.
#include "hw/tune/tuned_checksums.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "stack/base/random.hpp"

namespace holdfast::hw {
namespace {

constexpr std::size_t kRounds = 9;
constexpr double kSliceSeconds = 100e-6;

// Of processor time, which stands still while another program has the core.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const std::function<void()>& work, std::size_t calls) {
  const double begun = thread_seconds();
  for (std::size_t i = 0; i < calls; ++i) work();
  return thread_seconds() - begun;
}

std::size_t calls_for(const std::function<void()>& work) {
  std::size_t calls = 1;
  while (seconds_of(work, calls) < kSliceSeconds) calls *= 2;
  return calls;
}

// Both in turns, so that what else the machine does disturbs both; the median of the ratios.
double speed_ratio(const std::function<void()>& one, const std::function<void()>& other) {
  const std::size_t one_calls = calls_for(one), other_calls = calls_for(other);
  std::array<double, kRounds> ratios;
  for (double& ratio : ratios) {
    const double one_seconds = seconds_of(one, one_calls) / static_cast<double>(one_calls);
    ratio = seconds_of(other, other_calls) / static_cast<double>(other_calls) / one_seconds;
  }
  std::nth_element(ratios.begin(), ratios.begin() + kRounds / 2, ratios.end());
  return ratios[kRounds / 2];
}

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  // Family, model and stepping tell apart what a name may not, as on virtual machines.
  std::string model;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    for (const char* wanted :
         {"vendor_id", "cpu family", "model", "stepping", "cache size", "flags"})
      if (line.starts_with(wanted)) model += line + "\n";
  }
  return model;
}

std::string hexadecimal(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = 0; i < text.size(); ++i)
    text[text.size() - 1 - i] = "0123456789abcdef"[(number >> (4 * i)) & 0xf];
  return text;
}

std::uint64_t digest(std::string_view text) {
  std::uint64_t all = text.size();
  for (const char character : text) all = mix64(all ^ static_cast<unsigned char>(character));
  return all;
}

std::optional<ChecksumTuning> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return file ? parse_checksum_tuning(text) : std::nullopt;
}

bool write(const std::string& path, const std::string& text) {
  const std::string partial = path + "." + std::to_string(::getpid());
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(partial, path, error);
  if (file && !error) return true;
  std::filesystem::remove(partial, error);
  return false;
}

}  // namespace

TunedChecksums tuned_checksums(const std::string& build, const std::string& folder) {
  TunedChecksums tuned;
  if (!folder.empty()) {
    tuned.file = folder + "/checksums-" + hexadecimal(digest(processor_model() + build)) + ".txt";
    if (const auto kept = read(tuned.file)) {
      tuned.tuning = *kept;
      return tuned;
    }
  }
  tuned.tuning = tune_checksums(speed_ratio);
  tuned.measured = true;
  if (tuned.file.empty()) return tuned;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  if (!write(tuned.file, to_text(tuned.tuning))) tuned.file.clear();
  return tuned;
}

std::string default_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  // A relative one is to be ignored (XDG Base Directory Specification).
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/holdfast";
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.cache/holdfast";
}

}  // namespace holdfast::hw
