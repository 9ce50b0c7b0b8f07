// Plays a parallel program over a simulated network and says how long it takes: what the messages
// of a benchmark cost, by one transport or another. Results are a function of the arguments alone.
//
// Every process has a node of its own, and all nodes hang on one switch that carries all their
// cables at once; nothing is lost unless the transport gives up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sim/jobs/course.hpp"
#include "sim/jobs/player.hpp"
#include "sim/pipe/processor.hpp"
#include "sim/workload/job.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

enum class Transport : std::uint8_t {
  raw,       // one-sided and unprotected, by adapters that need no processor (raw_end.hpp)
  reliable,  // stack/reliable
};

struct PlayOptions {
  Transport transport = Transport::reliable;
  std::int64_t bits_per_second = 8'000'000'000;  // of each cable in each direction
  Duration latency = microseconds(1);            // of one way, with everything but the bytes
  std::uint32_t fragment_bytes = 16384;          // of payload in a frame
  PlayerOptions player;
  // Of the reliable transport.
  std::string_view checksum = "crc32c";  // of payloads; empty: off
  FrameWork work;                        // what its processor does with each frame
};

struct Played {
  // The longest timed part of all processes.
  Duration timed = {};
  std::uint64_t messages = 0;  // that the processes sent to others
  std::uint64_t bytes = 0;     // of these
  std::uint64_t frames = 0;    // that left
  std::uint64_t resent = 0;    // fragments
  // Not empty: it came to no end, and why.
  std::string failure;
};

// No message may be longer.
constexpr std::uint64_t kPlayedMessageMax = 64u << 20;

using CourseOf = std::function<std::unique_ptr<Course>(ProcessId)>;

Played play(const PlayOptions& options, std::uint32_t processes, const CourseOf& course_of);
// The skeleton of a benchmark; check(job) is ok, and it has at least two processes.
Played play(const PlayOptions& options, const Job& job);

}  // namespace holdfast::sim
