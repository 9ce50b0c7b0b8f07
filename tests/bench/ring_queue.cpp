// The event budget of the heartbeat ring: an event queue and nothing else. Each process has a timer
// every period, whose event pushes a delivery one latency later and the next timer: two events a
// heartbeat, handled in no time. No simulator that spends two events on a heartbeat can be faster
// than its queue is here.
//
// usage: ring_queue PROCESSES SECONDS [holdfast|standard]; tests/bench/ring compares.
#include <cstdint>
#include <cstdio>

#include "sim/engine/event_queue.hpp"
#include "tests/bench/peer_report.hpp"
#include "tests/bench/standard_queue.hpp"

namespace bench = holdfast::bench;

namespace {

constexpr std::uint32_t kTimer = 0;
constexpr std::uint32_t kDelivery = 1;

// Seconds in units of 10 ps.
constexpr std::int64_t ticks(double seconds) {
  return static_cast<std::int64_t>(seconds * 1e11);
}

template <class Queue>
void simulate(const bench::Options& options) {
  Queue queue;
  for (std::uint32_t rank = 0; rank < options.processes; ++rank) {
    queue.push(ticks(options.first_beat(rank)), rank, kTimer);
  }
  const std::int64_t end = ticks(options.seconds);
  std::uint64_t heartbeats = 0;
  const bench::Stopwatch stopwatch;
  while (true) {
    const holdfast::sim::QueuedEvent event = queue.pop();
    if (event.time >= end) break;
    if (event.payload == kTimer) {
      queue.push(event.time + ticks(bench::kLatency), event.target, kDelivery);
      queue.push(event.time + ticks(bench::kPeriod), event.target, kTimer);
    } else {
      ++heartbeats;
    }
  }
  bench::report("queue", options, heartbeats, 0, stopwatch.seconds());
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options(argc, argv, "holdfast");
  if (options.variant == "holdfast") {
    simulate<holdfast::sim::EventQueue>(options);
  } else if (options.variant == "standard") {
    simulate<bench::StandardQueue>(options);
  } else {
    return options.unknown_variant();
  }
}
