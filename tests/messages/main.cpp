// The swarm of messages: many seeds, each a world of its own with rails, messages and faults of its
// own, under all oracles.
//
//   message_swarm [--first SEED] [--count N]        plays N seeds (100) from SEED (0)
//   message_swarm --seed N [--verbose] [--trace]    plays one; --verbose says what it is, --trace
//                                                   tells of each frame
//   message_swarm --long                            plays 100,000, of 10^9 frames at least
//
// A failing seed prints what is wrong and the line that plays it again. Exit status 1 if any
// failed, or if many seeds together do not test what they are for; 2 if the arguments make no
// sense.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <vector>

#include "tests/messages/scenario.hpp"
#include "tests/swarm/arguments.hpp"
#include "tests/swarm/failing_seed.hpp"

namespace holdfast::messages {
namespace {

constexpr std::uint64_t kFailuresShown = 10;
constexpr std::uint64_t kLong = 100'000;
constexpr std::uint64_t kLongFramesMin = 1'000'000'000;
constexpr std::uint64_t kMany = 200;  // seeds that say something about the share of what they draw

struct Sum {
  std::uint64_t failed = 0;
  std::uint64_t frames = 0;
  std::uint64_t messages = 0;
  std::uint64_t scattered = 0;
  std::uint64_t resent = 0;
  std::uint64_t placed = 0;
  std::uint64_t displaced = 0;
  std::uint64_t truncated = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t peer_failed = 0;
  std::uint64_t in_recovery = 0;  // seeds
  double fragments_per_message = 0.0;
  double slowest = 0.0;  // of all seeds: the largest share of its bound that one took
  std::uint64_t slowest_seed = 0;
};

void play_seed(std::uint64_t seed, bool verbose, bool trace, Sum& sum) {
  swarm::note_seed("message_swarm", seed, "--verbose --trace");
  const Scenario scenario = draw(seed);
  if (verbose) describe(scenario, std::cout);
  const Played played = play(scenario, trace ? &std::cout : nullptr);
  sum.frames += played.frames;
  sum.messages += played.messages;
  sum.scattered += played.scattered;
  sum.resent += played.resent;
  sum.placed += played.placed;
  sum.displaced += played.displaced;
  sum.truncated += played.truncated;
  sum.cancelled += played.cancelled;
  sum.peer_failed += played.peer_failed;
  sum.in_recovery += played.faults_in_recovery > 0 ? 1 : 0;
  sum.fragments_per_message += scenario.fragments_per_message;
  if (!played.failure.empty()) {
    if (++sum.failed > kFailuresShown) return;
    std::cout << "seed " << seed << ": " << played.failure << '\n'
              << swarm::line_of_seed << std::flush;
    return;
  }
  const double share =
      static_cast<double>(played.completion.ns) / static_cast<double>(scenario.bound.ns);
  if (share > sum.slowest) {
    sum.slowest = share;
    sum.slowest_seed = seed;
  }
  if (verbose) {
    std::cout << played.frames << " frames, " << played.messages << " messages received, "
              << played.resent << " fragments sent again; everything has completed "
              << played.completion.ns / 1000 << " us after calm, bound " << scenario.bound.ns / 1000
              << " us\n";
  }
}

int run(const swarm::Arguments& arguments, bool trace) {
  Sum sum;
  for (std::uint64_t i = 0; i < arguments.count; ++i) {
    play_seed(arguments.first + i, arguments.verbose, trace, sum);
  }
  const auto count = static_cast<double>(arguments.count);
  const double mean = sum.fragments_per_message / count;
  const double in_recovery = static_cast<double>(sum.in_recovery) / count;
  std::cout << arguments.count << " seeds from " << arguments.first << ", " << sum.failed
            << " failed; " << sum.frames << " frames, " << sum.messages << " messages received, of "
            << mean << " fragments in the mean, " << sum.scattered << " into segments, "
            << sum.truncated << " truncated, " << sum.cancelled << " receives cancelled, "
            << sum.peer_failed << " requests ended by a peer's end; " << sum.resent
            << " fragments sent again; " << sum.placed << " frames read to where they belong, and "
            << sum.displaced << " lost as that had changed; a rail died during recovery in "
            << 100.0 * in_recovery << " % of the seeds; slowest: seed " << sum.slowest_seed
            << " took " << static_cast<int>(sum.slowest * 1000) / 10.0 << " % of its bound\n";
  if (arguments.count >= kMany && (mean < 4.0 || in_recovery < 0.1)) {
    std::cout << "these seeds test too little: messages of 4 fragments in the mean and 10 % with a "
                 "rail that dies during recovery are wanted\n";
    return 1;
  }
  if (arguments.count >= kLong && sum.frames < kLongFramesMin) {
    std::cout << "these seeds test too little: 10^9 frames are wanted\n";
    return 1;
  }
  return sum.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace holdfast::messages

int main(int argc, char** argv) {
  std::vector<char*> rest(argv, argv + argc);
  const auto asks = [](const char* word) { return std::strcmp(word, "--trace") == 0; };
  const bool trace = std::erase_if(rest, asks) > 0;
  holdfast::swarm::Arguments arguments;
  if (!holdfast::swarm::parse(static_cast<int>(rest.size()), rest.data(), holdfast::messages::kLong,
                              arguments)) {
    std::cerr << "usage: message_swarm [--first SEED] [--count N] [--long]\n"
                 "       message_swarm --seed N [--verbose] [--trace]\n";
    return 2;
  }
  holdfast::swarm::say_seed_of_assertions();
  return holdfast::messages::run(arguments, trace);
}
