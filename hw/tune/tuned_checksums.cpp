// Two pieces of work are compared by turns of a tenth of a millisecond.
#include "hw/tune/tuned_checksums.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "hw/tune/kept_answer.hpp"
#include "hw/tune/repeated_work.hpp"

namespace holdfast::hw {
namespace {

constexpr std::size_t kRounds = 9;
constexpr double kSliceSeconds = 100e-6;

// Both in turns, so that what else the machine does disturbs both; the median of the ratios.
double speed_ratio(const std::function<void()>& one, const std::function<void()>& other) {
  const std::size_t one_calls = calls_that_take(one, kSliceSeconds);
  const std::size_t other_calls = calls_that_take(other, kSliceSeconds);
  std::array<double, kRounds> ratios;
  for (double& ratio : ratios) {
    const double one_seconds = seconds_of(one, one_calls) / static_cast<double>(one_calls);
    ratio = seconds_of(other, other_calls) / static_cast<double>(other_calls) / one_seconds;
  }
  std::nth_element(ratios.begin(), ratios.begin() + kRounds / 2, ratios.end());
  return ratios[kRounds / 2];
}

}  // namespace

TunedChecksums tuned_checksums(const std::string& build, const std::string& folder) {
  TunedChecksums tuned;
  const KeptAnswer kept("checksums", build, folder);
  if (const auto text = kept.read()) {
    if (const auto tuning = parse_checksum_tuning(*text)) {
      tuned.tuning = *tuning;
      tuned.file = kept.path();
      return tuned;
    }
  }
  tuned.tuning = tune_checksums(speed_ratio);
  tuned.measured = true;
  if (kept.write(to_text(tuned.tuning))) tuned.file = kept.path();
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
