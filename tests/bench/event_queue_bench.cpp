// How fast the simulator's event queue is, beside std::priority_queue on the same 24-byte events.
//
// The hold model: with n events pending, one hold pops the earliest and pushes one that is later by
// a drawn increment. `exponential` draws increments of mean 100 ms; `heartbeat` adds 100 ms seven
// times of eight and 2 us else. `ring` is the heartbeat path's own pattern, as in ring_queue.cpp.
// The rest, at 100,000, are cases that spoil calendar queues: `instant` never moves on, `bimodal`
// mixes 10 ns and 100 ms, `bursts` wakes everyone at each full period, `scales` draws from 2 ticks
// to hours. Both queues run the same sequence of times, alternately; medians over the rounds are
// printed.
//
// usage: event_queue_bench [rounds (5)] [largest number pending (1000000)]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "stack/base/random.hpp"
#include "tests/bench/standard_queue.hpp"

namespace {

using holdfast::Random;
using holdfast::bench::StandardQueue;
using holdfast::sim::EventQueue;
using holdfast::sim::QueuedEvent;

constexpr std::int64_t kPeriod = 10'000'000'000;  // 100 ms in units of 10 ps
constexpr std::int64_t kLatency = 200'000;        // 2 us
constexpr std::uint32_t kTimer = 0;
constexpr std::uint32_t kDelivery = 1;

enum class Pattern { exponential, heartbeat, ring, instant, bimodal, bursts, scales };

constexpr std::int64_t kToNextPeriod = -1;  // stands in a table for an increment that ends there

std::int64_t increment(Pattern pattern, Random& random) {
  switch (pattern) {
    case Pattern::exponential:
      return static_cast<std::int64_t>(-std::log(1.0 - random.unit()) * double{kPeriod});
    case Pattern::heartbeat:
    case Pattern::ring:
      return random.below(8) == 0 ? kLatency : kPeriod;
    case Pattern::instant:
      return 0;
    case Pattern::bimodal:
      return static_cast<std::int64_t>(random.below(random.below(2) == 0 ? 1'000 : kPeriod));
    case Pattern::bursts:
      return kToNextPeriod;
    case Pattern::scales:
      return static_cast<std::int64_t>(random.below(std::uint64_t{2} << random.below(50)));
  }
  std::abort();
}

// 2^16 increments, drawn before the clock starts so that only the queues are measured.
std::vector<std::int64_t> increments(Pattern pattern) {
  Random random(1, 2, 3);
  std::vector<std::int64_t> table(1 << 16);
  for (std::int64_t& entry : table) entry = increment(pattern, random);
  return table;
}

struct Measurement {
  double ns = 0;         // per hold, or per event of the ring
  std::int64_t sum = 0;  // of the times popped: equal for both queues, and keeps the work alive
};

template <class Queue>
Measurement measure(Pattern pattern, std::size_t pending, const std::vector<std::int64_t>& table) {
  Queue queue;
  Random random(4, 5, 6);
  for (std::size_t i = 0; i < pending; ++i) {
    const std::int64_t start = pattern == Pattern::exponential
                                   ? table[random.below(table.size())]
                                   : static_cast<std::int64_t>(random.below(kPeriod));
    queue.push(start, static_cast<std::uint32_t>(i), kTimer);
  }
  std::size_t next = 0;
  Measurement result;
  const auto run = [&](std::size_t events) {
    for (std::size_t i = 0; i < events; ++i) {
      const QueuedEvent event = queue.pop();
      result.sum += event.time;
      if (pattern != Pattern::ring) {
        const std::int64_t later = table[next++ % table.size()];
        const std::int64_t time = later == kToNextPeriod
                                      ? event.time + kPeriod - event.time % kPeriod
                                      : event.time + later;
        queue.push(time, event.target, event.payload);
      } else if (event.payload == kTimer) {
        queue.push(event.time + kLatency, event.target, kDelivery);
        queue.push(event.time + kPeriod, event.target, kTimer);
      }
    }
  };
  const std::size_t events = std::max<std::size_t>(1'000'000, 2 * pending);
  run(pending);
  const auto start = std::chrono::steady_clock::now();
  run(events);
  const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - start;
  result.ns = wall.count() / static_cast<double>(events);
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const char* name, Pattern pattern, std::size_t pending, int rounds) {
  const std::vector<std::int64_t> table = increments(pattern);
  std::vector<double> ours;
  std::vector<double> standard;
  for (int round = 0; round < rounds; ++round) {
    const Measurement a = measure<EventQueue>(pattern, pending, table);
    const Measurement b = measure<StandardQueue>(pattern, pending, table);
    if (a.sum != b.sum) {
      std::fprintf(stderr, "event_queue_bench: the two queues disagree\n");
      std::exit(1);
    }
    ours.push_back(a.ns);
    standard.push_back(b.ns);
  }
  const double our_ns = median(ours);
  const double standard_ns = median(standard);
  std::printf("%-12s %9zu %10.1f %14.1f %8.3f\n", name, pending, our_ns, standard_ns,
              our_ns / standard_ns);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const std::size_t largest = argc > 2 ? std::stoul(argv[2]) : 1'000'000;
  std::printf("%-12s %9s %10s %14s %8s\n", "pattern", "pending", "ours ns", "std::pq ns", "ratio");
  for (std::size_t pending = 1'000; pending <= largest; pending *= 10) {
    compare("exponential", Pattern::exponential, pending, rounds);
  }
  for (std::size_t pending = 1'000; pending <= largest; pending *= 10) {
    compare("heartbeat", Pattern::heartbeat, pending, rounds);
  }
  for (const std::size_t pending : {std::size_t{1'024}, std::size_t{16'384}}) {
    compare("ring", Pattern::ring, pending, rounds);
  }
  const std::size_t hard = std::min<std::size_t>(100'000, largest);
  compare("instant", Pattern::instant, hard, rounds);
  compare("bimodal", Pattern::bimodal, hard, rounds);
  compare("bursts", Pattern::bursts, hard, rounds);
  compare("scales", Pattern::scales, hard, rounds);
}
