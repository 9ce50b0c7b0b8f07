// Exhaustive single faults on the tree of 16 hosts: each part dead at each moment at which anything
// happens, and mended later.
//
//   single_faults [--share N] [--verbose]   plays every N-th case (1: all)
//   single_faults --case N [--verbose]      plays one
//
// A job of one process on each of 16 nodes, four leaf switches, four spines; period 10 ms, timeout
// 43 ms. Its story is one of two, at message and at packet fidelity:
//   quiet  nothing else happens. The window is two periods.
//   death  process 5 dies for good when the window begins. The window ends a period after everybody
//          knows and has been acknowledged: it has the heartbeats that are missing, the verdict and
//          its propagation.
// The moments are all those at which that story has an event in its window, at packet fidelity hop
// by hop, and a nanosecond after each: before and after whatever happens, and between. The parts
// are every process, node, adapter, link, switch, and each direction of each link. A part is down
// for a quarter of a period, which nobody need notice, or for three timeouts, after which all have
// judged.
//
// The oracles are those of the swarm: safety after each event, no false verdict that no cut
// excuses, and the truth within the bound. Exit status 1 if a case fails.
#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/oracle/witness.hpp"
#include "sim/topology/pgft_routing.hpp"
#include "tests/swarm/arguments.hpp"
#include "tests/swarm/stage.hpp"

namespace holdfast::swarm {
namespace {

using sim::FaultAction;
using sim::FaultTarget;

constexpr Duration kPeriod = milliseconds(10);
constexpr Duration kTimeout = milliseconds(43);
constexpr Time kBegin = Time{} + 3 * kPeriod;
constexpr std::uint32_t kNodes = 16;
constexpr std::uint32_t kVictim = 5;  // of the story `death`
constexpr std::uint64_t kFailuresShown = 10;

struct Part {
  std::string name;
  FaultTarget target = FaultTarget::process;
  std::uint32_t index = 0;
  std::optional<sim::Impairment> impairment = {};
  std::optional<std::uint32_t> cuts_off = {};  // the host that nothing leads around it to
};

struct Story {
  std::string name;
  Scenario scenario;
  Time end;  // of its window
};

Scenario job(bool packets) {
  Scenario scenario;
  scenario.roster.nodes = kNodes;
  scenario.roster.order = RingOrder::shuffled;
  scenario.roster.order_key = 1;
  scenario.leaves = 4;
  scenario.spines = 4;
  scenario.spare = 0;
  scenario.accurate = true;
  scenario.calm = kBegin;
  MembershipOptions& membership = scenario.simulation.engine.membership;
  membership.detection.period = kPeriod;
  membership.detection.timeout = kTimeout;
  membership.retransmission_timeout = kPeriod;
  scenario.simulation.skip_quiet_time = false;
  if (packets) scenario.packets.emplace();
  return scenario;
}

// Says when somebody last changed what he believes.
class LastBelief final : public sim::Witness {
 public:
  void crashed(Time, std::size_t, std::span<const ProcessId>) override {}
  void repaired(Time, std::size_t, std::span<const ProcessId>, Incarnation) override {}
  void believed(Time at, ProcessId, std::span<const Membership::Change>) override { last = at; }
  Time last;
};

std::vector<Story> stories() {
  std::vector<Story> all;
  for (const bool packets : {false, true}) {
    const std::string fidelity = packets ? "packet" : "message";
    all.push_back({fidelity + ", quiet", job(packets), kBegin + 2 * kPeriod});
    Story death{fidelity + ", death", job(packets), {}};
    death.scenario.add(kBegin, FaultAction::crash, FaultTarget::process, kVictim);
    const Stage stage(death.scenario);
    LastBelief witness;
    sim::SimulationOptions options = stage.options;
    options.duration = 3 * kPeriod + 3 * kTimeout;
    sim::Simulation(options, stage.roster, stage.paths, death.scenario.faults, witness).run();
    death.end = witness.last + kPeriod;
    all.push_back(death);
  }
  return all;
}

std::vector<Part> parts(const Scenario& scenario) {
  std::vector<Part> all;
  const sim::PgftWiring wiring(scenario.tree());
  const auto add = [&](const char* what, FaultTarget target, std::uint32_t index) {
    all.push_back({what + std::to_string(index), target, index});
  };
  for (std::uint32_t i = 0; i < kNodes; ++i) add("process ", FaultTarget::process, i);
  for (std::uint32_t i = 0; i < kNodes; ++i) add("node ", FaultTarget::node, i);
  for (std::uint32_t i = 0; i < wiring.devices(); ++i) {
    add(wiring.is_switch(i) ? "switch " : "adapter ", FaultTarget::device, i);
  }
  for (std::uint32_t i = 0; i < wiring.links(); ++i) add("link ", FaultTarget::link, i);
  for (std::uint32_t i = 0; i < 2 * wiring.links(); ++i) {
    const sim::Impairment one_way{.link = i / 2, .direction = i % 2, .share = 1.0};
    all.push_back({"direction " + std::to_string(i % 2) + " of link " + std::to_string(i / 2),
                   FaultTarget::impairment, 0, one_way});
  }
  for (std::uint32_t host = 0; host < kNodes; ++host) {
    const sim::LinkEnd port = wiring.endpoint({host});
    const std::uint32_t link = wiring.link_at(port);
    for (Part& part : all) {
      const bool its_device = part.target == FaultTarget::device && part.index == port.device;
      const bool its_link = part.target == FaultTarget::link && part.index == link;
      const bool its_way = part.impairment && part.impairment->link == link;
      if (its_device || its_link || its_way) part.cuts_off = host;
    }
  }
  return all;
}

// The moments of a story, in the stack's nanoseconds.
std::vector<Time> moments(const Story& story) {
  Scenario hop_by_hop = story.scenario;
  if (hop_by_hop.packets) hop_by_hop.packets->wire.collapse = false;
  const Stage stage(hop_by_hop);
  LastBelief witness;
  sim::Simulation simulation(stage.options, stage.roster, stage.paths, hop_by_hop.faults, witness);
  std::set<Time> found;
  const auto take = [&](Time at) {
    if (at < kBegin || at > story.end) return;
    found.insert(at);
    found.insert(at + nanoseconds(1));
  };
  while (simulation.now() <= story.end && simulation.step()) {
    take(simulation.now());
    if (simulation.carrier() != nullptr) {
      take(Time{} + sim::round_up(simulation.carrier()->wire().now()));
    }
  }
  return {found.begin(), found.end()};
}

// The story with a part down from `at` on.
Scenario with_fault(const Story& story, const Part& part, Time at, Duration lasts) {
  Scenario scenario = story.scenario;
  if (part.impairment) scenario.faults.impairments.push_back(*part.impairment);
  scenario.add(at, FaultAction::crash, part.target, part.index);
  scenario.add(at + lasts, FaultAction::repair, part.target, part.index);
  const bool of_job = part.target == FaultTarget::process || part.target == FaultTarget::node;
  scenario.calm = at + lasts;
  if (!of_job) scenario.calm += 3 * sim::sweep_time(kNodes, true);
  return scenario;
}

struct Options {
  std::uint64_t share = 1;
  std::optional<std::uint64_t> only;
  bool verbose = false;
};

struct Sum {
  std::uint64_t cases = 0, played = 0, failed = 0, unreachable = 0;
  double slowest = 0.0;  // the largest share of its bound that one took
};

// Whoever lives and is cut off for so long is judged, or judges.
bool is_noticed(const Scenario& scenario, const Part& part, Duration lasts) {
  if (!part.cuts_off || lasts < 2 * kTimeout) return false;
  return scenario.faults.events.front().target != FaultTarget::process || *part.cuts_off != kVictim;
}

void play_case(const Story& story, const Part& part, Time at, Duration lasts,
               const Options& options, Sum& sum) {
  const std::uint64_t number = sum.cases++;
  if (options.only ? number != *options.only : number % options.share != 0) return;
  const Scenario scenario = with_fault(story, part, at, lasts);
  if (options.verbose && options.only) describe(scenario, std::cout);
  const Outcome outcome = play(scenario, options.verbose && options.only ? &std::cout : nullptr);
  ++sum.played;
  if (outcome.unreachable_verdicts > 0) ++sum.unreachable;
  sum.slowest = std::max(sum.slowest, static_cast<double>(outcome.convergence.ns) /
                                          static_cast<double>(outcome.bound.ns));
  std::string failure = outcome.failure;
  if (failure.empty() && is_noticed(scenario, part, lasts) && outcome.unreachable_verdicts == 0) {
    failure = "nobody noticed";
  }
  if (failure.empty() || ++sum.failed > kFailuresShown) return;
  std::cout << story.name << ", " << part.name << " down at " << seconds_text(at) << "for "
            << lasts.ns / 1000 << " us: " << failure << "\n  to see it: single_faults --case "
            << number << " --verbose\n";
}

int run(const Options& options) {
  Sum sum;
  for (const Story& story : stories()) {
    const std::vector<Part> all = parts(story.scenario);
    const std::vector<Time> times = moments(story);
    const std::uint64_t before = sum.played;
    for (const Part& part : all) {
      for (const Time at : times) {
        for (const Duration lasts : {kPeriod / 4, 3 * kTimeout}) {
          play_case(story, part, at, lasts, options, sum);
        }
      }
    }
    std::cout << story.name << ": " << all.size() << " parts, " << times.size() << " moments from "
              << seconds_text(kBegin) << "to " << seconds_text(story.end) << ", two lengths; "
              << sum.played - before << " played\n";
  }
  std::cout << sum.cases << " cases, " << sum.played << " played, " << sum.failed << " failed; "
            << sum.unreachable << " with verdicts across a cut; the slowest took "
            << static_cast<int>(sum.slowest * 1000) / 10.0 << " % of its bound\n";
  return sum.failed == 0 && sum.played > 0 ? 0 : 1;
}

bool parse_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    std::uint64_t number = 0;
    if (option == "--verbose") {
      options.verbose = true;
      continue;
    }
    if (!parse_number(value, number)) return false;
    if (option == "--share" && number > 0) {
      options.share = number;
    } else if (option == "--case") {
      options.only = number;
    } else {
      return false;
    }
    ++i;
  }
  return true;
}

}  // namespace
}  // namespace holdfast::swarm

int main(int argc, char** argv) {
  holdfast::swarm::Options options;
  if (!holdfast::swarm::parse_options(argc, argv, options)) {
    std::cerr << "usage: single_faults [--share N] | single_faults --case N [--verbose]\n";
    return 2;
  }
  return holdfast::swarm::run(options);
}
