// The collapse of packets and the skipping of quiet time change nothing but the speed: experiments
// with faults and traffic, drawn from seeds, are run with and without.
//
//   same_results [--first SEED] [--count N]   plays N seeds (100) from SEED (0)
//   same_results --seed N [--verbose]         plays one; --verbose shows the experiment and its
//   rows same_results --long                       plays 500
//
// Each must give the same rows of results.csv and failures.csv, and every engine the same state. A
// seed that does not prints what differs and the line that plays it again. Exit status 1 if any
// differs, or if nothing was collapsed, skipped or believed in 50 seeds or more.
#include <atomic>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/load.hpp"
#include "experiments/runner/simulate.hpp"
#include "experiments/runner/tables.hpp"
#include "tests/swarm/arguments.hpp"
#include "tests/swarm/draw_experiment.hpp"

namespace holdfast::swarm {
namespace {

constexpr std::uint64_t kLong = 500;

// How an experiment is played.
struct Way {
  bool collapse = true;
  bool skip = true;
};

std::string text_of(const Way& way) {
  return std::string(way.collapse ? "with" : "without") + " collapse, " +
         (way.skip ? "with" : "without") + " skipping";
}

struct Played {
  std::string results, failures;      // rows
  std::vector<std::uint64_t> states;  // of every engine at the end; of the dead: 0
  std::uint64_t events = 0, skipped = 0, collapsed = 0, expanded = 0, beliefs = 0;
};

std::optional<runner::Experiment> load(const std::string& text, const Way& way) {
  const std::vector<runner::Assignment> overrides = {
      std::string("skip_quiet_time=") + (way.skip ? "true" : "false"),
      std::string("fabric.packet.collapse=") + (way.collapse ? "true" : "false")};
  runner::LoadResult loaded = runner::parse_experiment(text, "drawn", "", overrides);
  for (const std::string& error : loaded.errors) std::cout << error << '\n';
  if (!loaded.experiment) return std::nullopt;
  return loaded.experiment->points.front().experiment;
}

std::optional<Played> play(const std::string& text, const Way& way) {
  const auto experiment = load(text, way);
  if (!experiment) return std::nullopt;
  std::shared_ptr<const runner::Inputs> inputs;
  if (Status status = runner::Inputs::load(*experiment, inputs); !status.is_ok()) {
    std::cout << status.message() << '\n';
    return std::nullopt;
  }
  const std::atomic<bool> stop{false};
  runner::ReplicateMonitor monitor(stop);
  runner::Outcome outcome;
  Played played;
  const auto at_end = [&](const sim::Simulation& simulation) {
    for (std::uint32_t i = 0; i < inputs->processes(); ++i) {
      const Engine* engine = simulation.engine({i});
      played.states.push_back(engine == nullptr ? 0 : engine->hash());
    }
    if (simulation.carrier() == nullptr) return;
    played.collapsed = simulation.carrier()->wire().collapsed();
    played.expanded = simulation.carrier()->wire().expanded();
  };
  const Status status = runner::simulate(*experiment, *inputs, 0, monitor, outcome, at_end);
  if (!status.is_ok()) return std::nullopt;
  runner::Campaign campaign;
  campaign.points.push_back({*experiment, {}});
  played.results = runner::results_row(campaign, {}, outcome);
  played.failures = runner::failures_rows({}, outcome);
  played.events = outcome.events;
  played.skipped = outcome.heartbeats_skipped;
  for (const runner::FailureOutcome& failure : outcome.failures) {
    if (failure.detection) ++played.beliefs;
  }
  return played;
}

// What differs first; empty if nothing does.
std::string difference(const Played& a, const Played& b) {
  if (a.results != b.results) return "results.csv:\n  " + a.results + "  " + b.results;
  if (a.failures != b.failures) return "failures.csv:\n" + a.failures + "and\n" + b.failures;
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    if (a.states[i] != b.states[i]) return "the state of process " + std::to_string(i) + "\n";
  }
  return "";
}

struct Sum {
  std::uint64_t failed = 0, runs = 0, of_packets = 0, with_traffic = 0;
  std::uint64_t skipped = 0, collapsed = 0, expanded = 0, beliefs = 0;
};

// False if the two differ.
bool play_seed(std::uint64_t seed, bool verbose, Sum& sum) {
  const std::string text = draw_experiment(seed);
  if (verbose) std::cout << text << '\n';
  const std::optional<Played> with = play(text, {});
  if (!with) return false;
  const bool packets = text.find("\"fidelity\"") != std::string::npos;
  const bool traffic = text.find("\"traffic\"") != std::string::npos;
  sum.of_packets += packets ? 1 : 0;
  sum.with_traffic += traffic ? 1 : 0;
  sum.skipped += with->skipped;
  sum.collapsed += with->collapsed;
  sum.expanded += with->expanded;
  sum.beliefs += with->beliefs;
  if (verbose) std::cout << with->results << with->failures;
  std::vector<Way> ways = {{.collapse = true, .skip = false}};
  if (packets) ways = {{.collapse = false, .skip = true}, {.collapse = false, .skip = false}};
  if (packets && !traffic) ways.push_back({.collapse = true, .skip = false});
  bool same = true;
  ++sum.runs;
  for (const Way& way : ways) {
    const std::optional<Played> other = play(text, way);
    ++sum.runs;
    const std::string differs = other ? difference(*with, *other) : "it cannot be played\n";
    if (differs.empty()) continue;
    std::cout << "seed " << seed << " " << text_of(way) << ": " << differs;
    same = false;
  }
  return same;
}

int run(const Arguments& arguments) {
  Sum sum;
  for (std::uint64_t i = 0; i < arguments.count; ++i) {
    const std::uint64_t seed = arguments.first + i;
    if (play_seed(seed, arguments.verbose, sum)) continue;
    std::cout << "  to see it: same_results --seed " << seed << " --verbose\n";
    ++sum.failed;
  }
  std::cout << arguments.count << " seeds from " << arguments.first << ", " << sum.failed
            << " differ; " << sum.runs << " runs, " << sum.of_packets
            << " seeds at packet fidelity, " << sum.with_traffic << " with traffic; "
            << sum.collapsed << " packets collapsed, " << sum.expanded << " of them taken apart, "
            << sum.skipped << " heartbeats skipped, " << sum.beliefs << " failures detected\n";
  const bool nothing = sum.collapsed == 0 || sum.expanded == 0 || sum.skipped == 0 ||
                       sum.beliefs == 0 || sum.with_traffic == 0;
  return sum.failed > 0 || (nothing && arguments.count >= 50) ? 1 : 0;
}

}  // namespace
}  // namespace holdfast::swarm

int main(int argc, char** argv) {
  holdfast::swarm::Arguments arguments;
  if (!holdfast::swarm::parse(argc, argv, holdfast::swarm::kLong, arguments)) {
    std::cerr << "usage: same_results [--first SEED] [--count N] [--long] | "
                 "same_results --seed N [--verbose]\n";
    return 2;
  }
  return holdfast::swarm::run(arguments);
}
