// What a peer simulator of the heartbeat ring prints, one line of key=value that tests/bench/ring
// reads: the same for all peers, so that they are compared by the same measure. Wall time is that
// of the simulation proper; building the platform is not counted, and peak memory is the process's.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace holdfast::bench {

// The ring that all peers simulate; times in seconds.
constexpr double kPeriod = 0.1;
constexpr double kTimeout = 1.0;
constexpr double kLatency = 2e-6;
constexpr std::uint32_t kHeartbeatBytes = 64;

// From the command line: PROCESSES SECONDS [VARIANT].
struct Options {
  std::uint32_t processes = 1024;
  double seconds = 10;
  std::string variant;

  Options(int argc, char** argv, const char* default_variant) : variant(default_variant) {
    if (argc > 1) processes = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
    if (argc > 2) seconds = std::strtod(argv[2], nullptr);
    if (argc > 3) variant = argv[3];
    if (processes < 2 || seconds <= 0) {
      std::fprintf(stderr, "usage: %s PROCESSES SECONDS [VARIANT]\n", argv[0]);
      std::exit(2);
    }
  }

  // Says so; the exit status for main.
  int unknown_variant() const {
    std::fprintf(stderr, "unknown variant '%s'; the head of the source lists them\n",
                 variant.c_str());
    return 2;
  }

  // When process `rank` sends first: spread over the first period, as multiples of the golden ratio
  // are.
  double first_beat(std::uint32_t rank) const {
    const double turns = rank * 0.618'033'988'749'894'8;
    return kPeriod * (turns - std::floor(turns));
  }
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline void report(const char* simulator, const Options& options, std::uint64_t heartbeats,
                   std::uint64_t suspicions, double wall_seconds) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "simulator=%s variant=%s processes=%u simulated_seconds=%g heartbeats=%llu suspicions=%llu "
      "wall_seconds=%.3f heartbeats_per_second=%.0f peak_rss_mib=%ld\n",
      simulator, options.variant.c_str(), options.processes, options.seconds,
      static_cast<unsigned long long>(heartbeats), static_cast<unsigned long long>(suspicions),
      wall_seconds, static_cast<double>(heartbeats) / wall_seconds, usage.ru_maxrss / 1024);
}

}  // namespace holdfast::bench
