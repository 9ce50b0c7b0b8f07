// What a person sees while a campaign runs: on a terminal one line that is drawn again and again,
// with events per second, how far real processes have come, time left and memory; elsewhere a plain
// line every ten seconds.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "stack/base/time.hpp"

namespace holdfast::runner {

// A replicate with real processes, of which one runs at a time.
struct RealTime {
  Duration gone;
  Duration of;
};

struct ProgressState {
  std::size_t total = 0;          // replicates
  bool total_is_guessed = false;  // it depends on what they find
  std::size_t finished = 0;       // of them, those of earlier runs included
  std::size_t before = 0;         // finished by earlier runs
  double running = 0.0;           // parts of those that run now, as a sum of shares
  std::uint64_t events = 0;       // processed by this run
  std::optional<RealTime> real;   // of the one that runs
  std::string precision;  // how well the medians are known; empty: not asked for, or not yet
};

// The line without the bar, for a run that has lasted so long.
std::string progress_text(const ProgressState& state, std::chrono::duration<double> elapsed,
                          std::size_t memory_bytes);

// Most memory that this process has held, in bytes.
std::size_t peak_memory_bytes();

class Progress {
 public:
  // Writes to `stream`; `quiet`: to nowhere.
  Progress(std::FILE* stream, bool quiet);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough to call five times a second.
  void show(const ProgressState& state);
  // Takes the drawn line away, so that other text may follow.
  void clear();

 private:
  std::FILE* const stream_;
  const bool quiet_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_line_ = began_;
  bool drawn_ = false;
};

}  // namespace holdfast::runner
