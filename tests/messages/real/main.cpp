// The swarm of messages on real rails: what the seeds of message_swarm stand for, over UDP, TCP and
// shared memory of this machine, under the same ledger.
//
//   real_message_swarm [--first SEED] [--count N]     plays N seeds (100) from SEED (0)
//   real_message_swarm [--first SEED] --seconds S     plays as many as take S seconds
//   real_message_swarm [--first SEED] --long          plays for half an hour
//   real_message_swarm --seed N [--verbose]           plays one; --verbose says what it is
//
// A seed draws what happens and when, and not what a machine makes of it: two runs of one differ. A
// failing seed prints what is wrong and the line that plays it again. Exit status 1 if any failed,
// or if many seeds together do not test what they are for; 2 if the arguments make no sense.
#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

#include "hw/monotonic_clock.hpp"
#include "tests/messages/real/real_play.hpp"
#include "tests/swarm/arguments.hpp"
#include "tests/swarm/failing_seed.hpp"

namespace holdfast::messages {
namespace {

constexpr std::uint64_t kForEver = 1'000'000'000;  // seeds
constexpr std::uint64_t kLongSeconds = 1800;
constexpr std::uint64_t kMany = 16;  // seeds that draw something of everything

struct Sum {
  std::uint64_t seeds = 0;
  std::uint64_t failed = 0;
  std::uint64_t frames = 0;
  std::uint64_t messages = 0;
  std::uint64_t resent = 0;
  std::uint64_t spoilt = 0;       // frames
  std::uint64_t faults = 0;       // of rails and processes
  std::uint64_t in_recovery = 0;  // seeds with a rail that died when something was sent again
  std::uint64_t rails[kRealKinds] = {};
  std::int64_t long_rails = 0;  // of frames that no datagram carries
};

void play_seed(std::uint64_t seed, bool verbose, Sum& sum) {
  swarm::note_seed("real_message_swarm", seed, "--verbose");
  const Scenario scenario = draw(seed);
  const std::vector<RealKind> kinds = draw_kinds(scenario);
  if (verbose) {
    describe(scenario, std::cout);
    std::cout << "the rails are";
    for (const RealKind kind : kinds) std::cout << ' ' << name_of(kind);
    std::cout << std::endl;
  }
  const RealPlayed played = play_on(kinds, scenario);
  ++sum.seeds;
  sum.frames += played.frames;
  sum.messages += played.messages;
  sum.resent += played.resent;
  sum.spoilt += played.spoilt;
  sum.faults += played.faults;
  if (played.faults_in_recovery > 0) ++sum.in_recovery;
  for (const RealKind kind : kinds) ++sum.rails[static_cast<std::size_t>(kind)];
  sum.long_rails += std::ranges::count_if(scenario.world.rails, is_long);
  if (played.failure.empty()) return;
  ++sum.failed;
  std::cout << "seed " << seed << ": " << played.failure << '\n'
            << swarm::line_of_seed << std::flush;
}

int run(const swarm::Arguments& arguments, std::uint64_t seconds_max) {
  const Time end = seconds_max == 0
                       ? Time::never()
                       : hw::monotonic_now() + seconds(static_cast<std::int64_t>(seconds_max));
  Sum sum;
  for (std::uint64_t i = 0; i < arguments.count && hw::monotonic_now() < end; ++i) {
    play_seed(arguments.first + i, arguments.verbose, sum);
  }
  std::cout << sum.seeds << " seeds from " << arguments.first << ", " << sum.failed << " failed; ";
  for (std::size_t kind = 0; kind < kRealKinds; ++kind) {
    std::cout << sum.rails[kind] << " rails of " << name_of(static_cast<RealKind>(kind)) << ", ";
  }
  std::cout << sum.long_rails << " of these of frames longer than datagrams; " << sum.frames
            << " frames, " << sum.messages << " messages received, " << sum.resent
            << " fragments sent again; " << sum.spoilt << " frames spoilt, " << sum.faults
            << " faults; a rail died during recovery in " << sum.in_recovery << " seeds\n";
  const bool lacks_a_kind =
      std::ranges::find(sum.rails, 0u) != std::end(sum.rails) || sum.long_rails == 0;
  const bool lacks_a_fault = sum.resent == 0 || sum.spoilt == 0 || sum.faults < sum.seeds ||
                             sum.in_recovery < sum.seeds / 10;
  if (sum.seeds >= kMany && (lacks_a_kind || lacks_a_fault)) {
    std::cout
        << "these seeds test too little: rails of all kinds are wanted, long frames, frames "
           "that are spoilt, a fault a seed, and a rail that dies during recovery in one of ten\n";
    return 1;
  }
  return sum.failed == 0 ? 0 : 1;
}

// What the swarms do not share: [--seconds S], which is taken out. False: S is no number.
bool take_seconds(std::vector<char*>& arguments, std::uint64_t& seconds) {
  const auto named = std::ranges::find(arguments, std::string_view("--seconds"),
                                       [](const char* word) { return std::string_view(word); });
  if (named == arguments.end()) return true;
  if (named + 1 == arguments.end() || !swarm::parse_number(*(named + 1), seconds)) return false;
  arguments.erase(named, named + 2);
  return seconds > 0;
}

}  // namespace
}  // namespace holdfast::messages

int main(int argc, char** argv) {
  using namespace holdfast;
  std::vector<char*> rest(argv, argv + argc);
  swarm::Arguments arguments;
  std::uint64_t seconds = 0;
  const bool is_read =
      messages::take_seconds(rest, seconds) &&
      swarm::parse(static_cast<int>(rest.size()), rest.data(), messages::kForEver, arguments);
  if (!is_read || (seconds > 0 && arguments.count == 1)) {
    std::cerr << "usage: real_message_swarm [--first SEED] [--count N | --seconds S | --long]\n"
                 "       real_message_swarm --seed N [--verbose]\n";
    return 2;
  }
  if (arguments.count == messages::kForEver && seconds == 0) seconds = messages::kLongSeconds;
  if (seconds > 0) arguments.count = messages::kForEver;
  swarm::say_seed_of_assertions();
  return messages::run(arguments, seconds);
}
