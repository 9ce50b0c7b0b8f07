// The swarm: many seeds, each a job of its own with faults of its own, under all oracles.
//
//   swarm [--first SEED] [--count N]    plays N seeds (100) from SEED (0)
//   swarm --seed N [--verbose]          plays one; --verbose tells what happens
//   swarm --long                        plays 100,000
//
// A failing seed prints what is wrong and the line that plays it again. Exit status 1 if any
// failed, 2 if the arguments make no sense.
#include <array>
#include <iostream>
#include <string>

#include "tests/swarm/arguments.hpp"
#include "tests/swarm/scenario.hpp"

namespace holdfast::swarm {
namespace {

constexpr std::uint64_t kFailuresShown = 10;
constexpr std::uint64_t kLong = 100'000;

struct Sum {
  std::uint64_t failed = 0;
  std::uint64_t accurate = 0;
  std::uint64_t with_false_verdicts = 0;
  std::uint64_t with_unreachable_verdicts = 0;
  std::uint64_t events = 0;
  std::uint64_t of_packets = 0;  // scenarios at packet fidelity; what became of their packets
  std::array<std::uint64_t, sim::kPacketFates> fates{};
  double slowest = 0.0;  // of all seeds: the largest share of its bound that one took
  std::uint64_t slowest_seed = 0;
};

void play_seed(std::uint64_t seed, bool verbose, Sum& sum) {
  const Scenario scenario = draw(seed);
  if (verbose) describe(scenario, std::cout);
  const Outcome outcome = play(scenario, verbose ? &std::cout : nullptr);
  sum.events += outcome.events;
  if (scenario.packets) ++sum.of_packets;
  for (std::size_t i = 0; i < sim::kPacketFates; ++i) sum.fates[i] += outcome.fates[i];
  if (scenario.accurate) ++sum.accurate;
  if (outcome.false_verdicts > 0) ++sum.with_false_verdicts;
  if (outcome.unreachable_verdicts > 0) ++sum.with_unreachable_verdicts;
  if (!outcome.failure.empty()) {
    if (++sum.failed > kFailuresShown) return;
    std::cout << "seed " << seed << ": " << outcome.failure << "\n  to see it: swarm --seed "
              << seed << " --verbose\n";
    return;
  }
  const double share =
      static_cast<double>(outcome.convergence.ns) / static_cast<double>(outcome.bound.ns);
  if (share > sum.slowest) {
    sum.slowest = share;
    sum.slowest_seed = seed;
  }
  if (verbose) {
    std::cout << "everyone knows the truth " << outcome.convergence.ns / 1000
              << " us after calm, bound " << outcome.bound.ns / 1000 << " us\n";
  }
}

int run(const Arguments& arguments) {
  Sum sum;
  for (std::uint64_t i = 0; i < arguments.count; ++i) {
    play_seed(arguments.first + i, arguments.verbose, sum);
  }
  std::cout << arguments.count << " seeds from " << arguments.first << ", " << sum.failed
            << " failed; " << sum.accurate << " excused no false verdict, "
            << sum.with_false_verdicts << " had some, " << sum.with_unreachable_verdicts
            << " some across a cut; " << sum.events << " events; slowest: seed " << sum.slowest_seed
            << " took " << static_cast<int>(sum.slowest * 1000) / 10.0 << " % of its bound\n";
  std::cout << sum.of_packets << " at packet fidelity; of their packets";
  static constexpr std::array kFates{"arrived",     "had no route",   "met a dead port",
                                     "were cut",    "were corrupted", "found a full queue",
                                     "were too old"};
  static_assert(kFates.size() == sim::kPacketFates);
  for (std::size_t i = 0; i < sim::kPacketFates; ++i) {
    std::cout << (i == 0 ? " " : ", ") << sum.fates[i] << ' ' << kFates[i];
  }
  std::cout << '\n';
  return sum.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace holdfast::swarm

int main(int argc, char** argv) {
  holdfast::swarm::Arguments arguments;
  if (!holdfast::swarm::parse(argc, argv, holdfast::swarm::kLong, arguments)) {
    std::cerr << "usage: swarm [--first SEED] [--count N] [--long] | swarm --seed N [--verbose]\n";
    return 2;
  }
  return holdfast::swarm::run(arguments);
}
