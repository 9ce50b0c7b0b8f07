// Plays a scenario, event by event, under the oracles.
#include <algorithm>
#include <optional>
#include <ostream>

#include "sim/oracle/bound.hpp"
#include "sim/oracle/safety.hpp"
#include "sim/oracle/text.hpp"
#include "sim/oracle/truth.hpp"
#include "tests/swarm/scenario.hpp"
#include "tests/swarm/stage.hpp"

namespace holdfast::swarm {

namespace {

using sim::EngineOf;
using sim::Safety;
using sim::Simulation;

// By then what a lost packet held is free: its last bit has come, and the credits are home.
sim::SimTime credits_home(const sim::LinkSpec& link) {
  constexpr std::int64_t kBytes = 4'200;  // more than any packet has
  return sim::to_sim_time(link.latency * 2) +
         sim::SimTime{kBytes * 8 * sim::kSimUnitsPerSecond / link.bits_per_second + 1};
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
      for (const Membership::Change& change : changes) {
        const ProcessId process = change.process;
        const Record& record = change.record;
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
                                 .message_time = scenario.message_time});
}

class Play {
 public:
  Play(const Scenario& scenario, std::ostream* log)
      : scenario_(scenario),
        stage_(scenario),
        safety_({scenario.accurate,
                 [this](ProcessId a, ProcessId b) { return simulation_->kept_apart(a, b); }},
                stage_.roster.processes()),
        log_(safety_, log) {
    Simulation simulation(stage_.options, stage_.roster, stage_.paths, scenario.faults, log_);
    simulation_ = &simulation;
    run(simulation);
    outcome_.unreachable_verdicts = safety_.unreachable_verdicts();
    outcome_.false_verdicts = safety_.false_verdicts();
    outcome_.events = simulation.events();
    if (simulation.carrier() != nullptr) count(simulation.carrier()->wire());
  }

  const Outcome& outcome() const { return outcome_; }

 private:
  // One event and a look at everybody; false if something is wrong or the time is over.
  bool step(Simulation& simulation, const EngineOf& engine_of) {
    const std::uint64_t turns = simulation.turns();
    if (!simulation.step()) return false;
    acted_ = simulation.turns() != turns;
    if (acted_) safety_.look(simulation.now(), engine_of);
    outcome_.failure = safety_.violation();
    if (simulation.carrier() != nullptr) look_at(simulation.carrier()->wire());
    return outcome_.failure.empty();
  }

  // The bound counts from the last loss, but not for ever.
  void wait_for_losses(const Simulation& simulation) {
    const std::uint64_t lost = simulation.carrier()->frames().lost();
    if (lost == lost_ || simulation.now() > scenario_.calm + outcome_.bound * 3) return;
    lost_ = lost;
    calm_ = simulation.now();
  }

  void count(const sim::PacketWire& wire) {
    for (std::size_t i = 0; i < sim::kPacketFates; ++i) {
      outcome_.fates[i] = wire.count(static_cast<sim::PacketFate>(i));
    }
    outcome_.collapsed = wire.collapsed();
  }

  // A fabric in which no packet has been for some time holds nothing. Looked at once each time that
  // it has become empty.
  void look_at(const sim::PacketWire& wire) {
    if (wire.packets() > 0) {
      empty_since_.reset();
      looked_at_empty_ = false;
    } else if (!empty_since_) {
      empty_since_ = wire.now();
    } else if (!looked_at_empty_ && wire.now() > *empty_since_ + credits_home(scenario_.link)) {
      looked_at_empty_ = true;
      if (!wire.at_rest()) outcome_.failure = "an empty fabric holds something back";
    }
  }

  void run(Simulation& simulation) {
    const EngineOf engine_of = [&](ProcessId process) { return simulation.engine(process); };
    while (simulation.now() <= scenario_.calm) {
      if (!step(simulation, engine_of)) return;
    }
    outcome_.bound = bound_of(scenario_, stage_.roster, engine_of);
    calm_ = scenario_.calm;
    if (scenario_.discards) lost_ = simulation.carrier()->frames().lost();
    const std::uint64_t lost = simulation.frames_lost();
    if (converge(simulation, engine_of)) {
      outcome_.convergence = std::max(log_.last_belief() - calm_, Duration{0});
      if (outcome_.convergence > outcome_.bound) outcome_.failure = "the truth came too late";
      if (simulation.frames_lost() != lost && !scenario_.discards)
        outcome_.failure = "frames are lost in a calm fabric";
    }
  }

  // Until everybody knows the truth and has done so for as long as any deadline or grace can have
  // been open. A mistake that the last moments of loss have caused may show only then, and has to
  // be mended within the bound as well.
  bool converge(Simulation& simulation, const EngineOf& engine_of) {
    const DetectorOptions& detection = scenario_.simulation.engine.membership.detection;
    const Duration settled = 2 * detection.timeout + 2 * detection.period + detection.hold;
    std::string untruth = sim::untruth(stage_.roster.processes(), engine_of);
    while (true) {
      const Time since = std::max(log_.last_belief(), calm_);
      if (untruth.empty() && simulation.now() > since + settled) return true;
      if (!untruth.empty() && simulation.now() > calm_ + outcome_.bound) {
        outcome_.failure = "not everyone knows the truth in time: " + untruth;
        log_.differences(stage_.roster.processes(), engine_of);
        return false;
      }
      if (!step(simulation, engine_of)) {
        if (!untruth.empty()) outcome_.failure += "nothing happens any more, but " + untruth;
        return outcome_.failure.empty();
      }
      if (scenario_.discards) wait_for_losses(simulation);
      if (acted_) untruth = sim::untruth(stage_.roster.processes(), engine_of);
    }
  }

  const Scenario& scenario_;
  Stage stage_;
  const Simulation* simulation_ = nullptr;
  std::optional<sim::SimTime> empty_since_;  // absent: a packet is in the fabric
  bool looked_at_empty_ = false;
  Time calm_;               // the scenario's, or the last loss of one that discards
  std::uint64_t lost_ = 0;  // frames, then
  bool acted_ = false;      // a process had a turn in the last event
  Safety safety_;
  Log log_;
  Outcome outcome_;
};

}  // namespace

Outcome play(const Scenario& scenario, std::ostream* log) {
  return Play(scenario, log).outcome();
}

}  // namespace holdfast::swarm
