// Plays a scenario, event by event, under the oracles.
#include <algorithm>
#include <ostream>

#include "sim/oracle/bound.hpp"
#include "sim/oracle/safety.hpp"
#include "sim/oracle/text.hpp"
#include "sim/oracle/truth.hpp"
#include "sim/topology/pgft_routing.hpp"
#include "tests/swarm/scenario.hpp"

namespace holdfast::swarm {

namespace {

using sim::EngineOf;
using sim::Safety;
using sim::Simulation;

// More than a frame takes across one switch at this rate, with a nanosecond of rounding for each
// turn: what the bound calls the message time.
constexpr Duration kMessageTime = microseconds(10);
constexpr sim::LinkSpec kLink{100'000'000'000, nanoseconds(150)};

std::string seconds_text(Time time) {
  return std::to_string(time.ns / 1'000'000'000) + '.' +
         std::to_string(1'000'000'000 + time.ns % 1'000'000'000).substr(1) + " s ";
}

// Passes everything on to the oracle of safety, and writes it down.
class Log final : public sim::Witness {
 public:
  Log(Safety& safety, std::ostream* out) : safety_(safety), out_(out) {}

  void crashed(Time at, std::size_t record, std::span<const ProcessId> processes) override {
    write(at, processes, "down");
    safety_.crashed(at, record, processes);
  }
  void repaired(Time at, std::size_t record, std::span<const ProcessId> processes,
                Incarnation boot) override {
    write(at, processes, "up again");
    safety_.repaired(at, record, processes, boot);
  }
  void believed(Time at, ProcessId observer, std::span<const Membership::Change> changes) override {
    if (out_ != nullptr) {
      *out_ << seconds_text(at) << observer.value << " believes";
      for (const auto& [process, record] : changes) {
        *out_ << "  " << process.value << ' ' << sim::text(record);
      }
      *out_ << '\n';
    }
    last_belief_ = at;
    safety_.believed(at, observer, changes);
  }

  Time last_belief() const { return last_belief_; }

  // Of everyone whose view is not that of the first live process: how it differs.
  void differences(std::uint32_t processes, const EngineOf& engine_of) {
    const View* first = nullptr;
    for (std::uint32_t i = 0; i < processes && out_ != nullptr; ++i) {
      if (engine_of({i}) == nullptr) continue;
      const View& view = engine_of({i})->membership().view();
      if (first == nullptr) first = &view;
      if (view.digest() == first->digest()) continue;
      *out_ << i << " in the end believes";
      for (std::uint32_t k = 0; k < processes; ++k) {
        if (view.of({k}) == first->of({k})) continue;
        *out_ << "  " << k << ' ' << sim::text(view.of({k})) << ", not "
              << sim::text(first->of({k}));
      }
      *out_ << '\n';
    }
  }

 private:
  void write(Time at, std::span<const ProcessId> processes, const char* what) {
    if (out_ == nullptr) return;
    for (const ProcessId process : processes) {
      *out_ << seconds_text(at) << process.value << ' ' << what << '\n';
    }
  }

  Safety& safety_;
  std::ostream* out_;
  Time last_belief_;
};

// The longest run of dead domains along the ring.
std::uint32_t dead_stretch(const Roster& roster, const EngineOf& engine_of) {
  std::uint32_t longest = 0, current = 0;
  for (std::uint32_t i = 0; i < 2 * roster.domains(); ++i) {
    const DomainId domain = roster.domain_at({i % roster.domains()});
    bool live = false;
    for (std::uint32_t k = 0; k < roster.domain_size(); ++k) {
      live = live || engine_of(roster.member(domain, k)) != nullptr;
    }
    current = live ? 0 : current + 1;
    longest = std::max(longest, std::min(current, roster.domains()));
  }
  return longest;
}

Duration bound_of(const Scenario& scenario, const Roster& roster, const EngineOf& engine_of) {
  const MembershipOptions& membership = scenario.simulation.engine.membership;
  return sim::convergence_bound({.domains = roster.domains(),
                                 .domain_size = roster.domain_size(),
                                 .dead_stretch = dead_stretch(roster, engine_of),
                                 .period = membership.detection.period,
                                 .timeout = membership.detection.timeout,
                                 .hold = membership.detection.hold,
                                 .retransmission_timeout = membership.retransmission_timeout,
                                 .message_time = kMessageTime});
}

class Play {
 public:
  Play(const Scenario& scenario, std::ostream* log)
      : scenario_(scenario),
        roster_(scenario.roster),
        safety_({scenario.accurate,
                 [this](ProcessId a, ProcessId b) { return simulation_->kept_apart(a, b); }},
                roster_.processes()),
        log_(safety_, log) {
    const sim::PathTimes paths(scenario.tree(), kLink, nanoseconds(90));
    const sim::PgftRouting routing(scenario.tree(), 1);
    sim::SimulationOptions options = scenario.simulation;
    options.routing = &routing;
    // Beyond every bound: play stops by itself, or quiet time is skipped to the end.
    options.duration =
        (scenario.calm - Time{}) + 10'000 * options.engine.membership.detection.timeout;
    Simulation simulation(options, roster_, paths, scenario.faults, log_);
    simulation_ = &simulation;
    run(simulation);
    outcome_.unreachable_verdicts = safety_.unreachable_verdicts();
    outcome_.false_verdicts = safety_.false_verdicts();
    outcome_.events = simulation.events();
  }

  const Outcome& outcome() const { return outcome_; }

 private:
  // One event and a look at everybody; false if something is wrong or the time is over.
  bool step(Simulation& simulation, const EngineOf& engine_of) {
    if (!simulation.step()) return false;
    safety_.look(simulation.now(), engine_of);
    outcome_.failure = safety_.violation();
    return outcome_.failure.empty();
  }

  void run(Simulation& simulation) {
    const EngineOf engine_of = [&](ProcessId process) { return simulation.engine(process); };
    while (simulation.now() <= scenario_.calm) {
      if (!step(simulation, engine_of)) return;
    }
    outcome_.bound = bound_of(scenario_, roster_, engine_of);
    if (converge(simulation, engine_of)) {
      outcome_.convergence = std::max(log_.last_belief() - scenario_.calm, Duration{0});
      if (outcome_.convergence > outcome_.bound) outcome_.failure = "the truth came too late";
    }
  }

  // Until everybody knows the truth and has done so for as long as any deadline or grace can have
  // been open. A mistake that the last moments of loss have caused may show only then, and has to
  // be mended within the bound as well.
  bool converge(Simulation& simulation, const EngineOf& engine_of) {
    const DetectorOptions& detection = scenario_.simulation.engine.membership.detection;
    const Duration settled = 2 * detection.timeout + 2 * detection.period + detection.hold;
    const Time latest = scenario_.calm + outcome_.bound;
    std::string untruth = sim::untruth(roster_.processes(), engine_of);
    while (true) {
      const Time since = std::max(log_.last_belief(), scenario_.calm);
      if (untruth.empty() && simulation.now() > since + settled) return true;
      if (!untruth.empty() && simulation.now() > latest) {
        outcome_.failure = "not everyone knows the truth in time: " + untruth;
        log_.differences(roster_.processes(), engine_of);
        return false;
      }
      if (!step(simulation, engine_of)) {
        if (!untruth.empty()) outcome_.failure += "nothing happens any more, but " + untruth;
        return outcome_.failure.empty();
      }
      untruth = sim::untruth(roster_.processes(), engine_of);
    }
  }

  const Scenario& scenario_;
  Roster roster_;
  const Simulation* simulation_ = nullptr;
  Safety safety_;
  Log log_;
  Outcome outcome_;
};

}  // namespace

Outcome play(const Scenario& scenario, std::ostream* log) {
  return Play(scenario, log).outcome();
}

namespace {

std::string_view order_name(RingOrder order) {
  const auto named = std::find_if(kRingOrders.begin(), kRingOrders.end(),
                                  [order](const auto& entry) { return entry.second == order; });
  return named->first;
}

}  // namespace

void describe(const Scenario& scenario, std::ostream& out) {
  const RosterOptions& roster = scenario.roster;
  const EngineOptions& engine = scenario.simulation.engine;
  const MembershipOptions& membership = engine.membership;
  out << roster.nodes << " nodes x " << roster.per_node
      << (roster.agents ? ", agents" : ", no agents")
      << (roster.placement == ProcessPlacement::by_slot ? ", by slot" : ", by node") << ", "
      << order_name(roster.order) << " order, " << membership.propagation << ", period "
      << membership.detection.period.ns / 1000 << " us, timeout "
      << membership.detection.timeout.ns / 1000 << " us, hold "
      << membership.detection.hold.ns / 1000 << " us, retransmission "
      << membership.retransmission_timeout.ns / 1000 << " us, seal " << engine.seal << ", loss "
      << scenario.simulation.loss << (scenario.accurate ? ", accurate" : "") << ", "
      << scenario.leaves << " leaves, " << scenario.spines << " spines, calm at "
      << seconds_text(scenario.calm) << '\n';
  static constexpr const char* kActions[] = {"crash",  "repair", "pause",
                                             "resume", "slow",   "normal"};
  static constexpr const char* kTargets[] = {" process ", " node ", " link ", " device ",
                                             " impairment "};
  for (const sim::FaultEvent& fault : scenario.faults.events) {
    out << "  " << seconds_text(fault.at) << kActions[static_cast<std::size_t>(fault.action)]
        << kTargets[static_cast<std::size_t>(fault.target)] << fault.index;
    if (fault.action == sim::FaultAction::slow) out << " by " << fault.delay.ns / 1000 << " us";
    out << '\n';
  }
}

}  // namespace holdfast::swarm
