// Draws and words the progress; estimates the time left from what this run has done so far.
#include "experiments/runner/progress.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace holdfast::runner {
namespace {

constexpr std::chrono::seconds kPlainInterval{10};
constexpr int kBarWidth = 24;

double share_done(const ProgressState& state) {
  if (state.total == 0) return 1.0;
  const double done = static_cast<double>(state.finished) + state.running;
  return std::min(done / static_cast<double>(state.total), 1.0);
}

std::string with_unit(double value) {
  const char* units[] = {"", "k", "M", "G"};
  std::size_t unit = 0;
  while (value >= 1000.0 && unit < 3) {
    value /= 1000.0;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f%s" : "%.1f %s", value, units[unit]);
  return text;
}

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  char text[48];
  if (s >= 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
  }
  return text;
}

double in_seconds(Duration duration) {
  return static_cast<double>(duration.ns) / 1e9;
}

}  // namespace

std::size_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::string progress_text(const ProgressState& state, std::chrono::duration<double> elapsed,
                          std::size_t memory_bytes) {
  std::string text = std::to_string(state.finished) + " of " +
                     (state.total_is_guessed ? "about " : "") + std::to_string(state.total) +
                     (state.total == 1 ? " replicate" : " replicates");
  const double seconds = elapsed.count();
  if (seconds > 0.0 && state.events > 0)
    text += ", " + with_unit(static_cast<double>(state.events) / seconds) + " events/s";
  if (state.real)
    text += ", " + clock_text(in_seconds(state.real->gone)) + " of " +
            clock_text(in_seconds(state.real->of)) + " of this one";
  // Earlier runs did their part in time that is not ours.
  const double mine = static_cast<double>(state.finished - state.before) + state.running;
  const double left = static_cast<double>(state.total - state.finished) - state.running;
  if (mine > 0.0) text += ", " + clock_text(std::max(left, 0.0) * seconds / mine) + " left";
  text += ", " + std::to_string(memory_bytes >> 20) + " MiB";
  return state.precision.empty() ? text : text + "; " + state.precision;
}

Progress::Progress(std::FILE* stream, bool quiet)
    : stream_(stream), quiet_(quiet), terminal_(isatty(fileno(stream)) == 1) {}

void Progress::show(const ProgressState& state) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  const std::string text = progress_text(state, now - began_, peak_memory_bytes());
  if (terminal_) {
    const int filled = static_cast<int>(share_done(state) * kBarWidth);
    std::fprintf(
        stream_, "\r\033[K[%s%s] %s", std::string(static_cast<std::size_t>(filled), '#').c_str(),
        std::string(static_cast<std::size_t>(kBarWidth - filled), '.').c_str(), text.c_str());
    drawn_ = true;
  } else if (now - last_line_ >= kPlainInterval) {
    last_line_ = now;
    std::fprintf(stream_, "%3.0f %%: %s\n", share_done(state) * 100.0, text.c_str());
  }
  std::fflush(stream_);
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stream_);
  drawn_ = false;
  std::fflush(stream_);
}

}  // namespace holdfast::runner
