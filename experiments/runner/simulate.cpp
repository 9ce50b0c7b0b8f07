// Builds a simulation from an experiment, lets the judge watch it, and adds up the outcome.
#include "experiments/runner/simulate.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/runner/fault_log.hpp"
#include "experiments/runner/judge.hpp"
#include "sim/oracle/witness.hpp"

namespace holdfast::runner {
namespace {

// Events between two looks at the monitor: a few milliseconds.
constexpr std::uint64_t kEventsPerLook = 1 << 14;

// Passes on to the judge and the log what the simulation shows.
class JudgeWitness final : public sim::Witness {
 public:
  JudgeWitness(Judge& judge, FaultLog& log, const sim::FaultSchedule& faults,
               std::map<std::size_t, FailedPart> parts, const sim::Wiring& wiring)
      : judge_(judge), log_(log), faults_(faults), parts_(std::move(parts)), wiring_(wiring) {}

  // Before anybody believes anything.
  void look_at(const sim::Simulation& simulation) { simulation_ = &simulation; }

  void crashed(Time at, std::size_t record, std::span<const ProcessId> processes) override {
    const FailedPart& part = parts_.at(record);
    std::vector<ProcessId> ended;
    for (const ProcessId process : processes)
      if (judge_.alive(process)) ended.push_back(process);
    log_.advance(at);
    judge_.crash(at, part.what, part.which, processes);
    log_.crashed(at, faults_.fault_of_record.at(record), ended);
  }
  void repaired(Time at, std::size_t, std::span<const ProcessId> processes,
                Incarnation boot) override {
    log_.advance(at);
    judge_.repair(at, processes, boot);
    log_.repaired(at);
  }
  void played(Time at, const sim::FaultEvent& event) override {
    log_.played(at, event, faults_, wiring_);
  }
  void believed(Time at, ProcessId observer, std::span<const Membership::Change> changes) override {
    log_.advance(at);
    for (const Membership::Change& change : changes) {
      // Only of a verdict on the living it matters.
      const bool kept_apart =
          judge_.alive(change.process) && simulation_->kept_apart(observer, change.process);
      tell_belief(judge_, log_, at, observer, change, kept_apart);
    }
  }

 private:
  Judge& judge_;
  FaultLog& log_;
  const sim::Simulation* simulation_ = nullptr;
  const sim::FaultSchedule& faults_;
  const std::map<std::size_t, FailedPart> parts_;
  const sim::Wiring& wiring_;
};

MessageCounts message_counts(const FrameCounts& counts) {
  return {counts.heartbeats, counts.observes,         counts.notices,    counts.local_notices,
          counts.repeats,    counts.acknowledgements, counts.differences};
}

PacketOutcome packet_outcome(const sim::PacketCounts& counts) {
  const auto ns = [](std::int64_t units) {  // to the nearest
    constexpr std::int64_t kUnits = sim::kSimUnitsPerSecond / 1'000'000'000;
    return Duration{(units + kUnits / 2) / kUnits};
  };
  const auto delivered = static_cast<std::int64_t>(counts.delivered());
  return {.offered = counts.sent + counts.skipped,
          .refused = counts.skipped,
          .delivered = counts.delivered(),
          .dropped_queue_full = counts.count(sim::PacketFate::queue_full),
          .dropped_too_old = counts.count(sim::PacketFate::too_old),
          .dropped_no_route = counts.count(sim::PacketFate::no_route),
          .dropped_fault = counts.count(sim::PacketFate::port_down) +
                           counts.count(sim::PacketFate::cut) +
                           counts.count(sim::PacketFate::corrupted),
          .latency_mean = delivered > 0 ? ns(counts.delay_units / delivered) : Duration{},
          .latency_max = ns(counts.delay_max_units)};
}

sim::PacketCarrierOptions packet_options(const Experiment& experiment, const Inputs& inputs) {
  sim::PacketCarrierOptions packets;
  packets.wire = experiment.fabric.packet;
  packets.wire.switch_latency = experiment.fabric.switch_latency;
  packets.service_level = experiment.fabric.service_level;
  for (std::size_t i = 0; i < experiment.traffic.size(); ++i) {
    packets.traffic.push_back(experiment.traffic[i].options);
    packets.traffic.back().target = inputs.traffic_targets()[i];
  }
  return packets;
}

}  // namespace

Status simulate(const Experiment& experiment, const Inputs& inputs, std::uint32_t replicate,
                ReplicateMonitor& monitor, Outcome& outcome,
                const std::function<void(const sim::Simulation&)>& at_end) {
  const Roster roster(roster_options(experiment, inputs, replicate));
  EventLog events(experiment.events, replicate);
  Judge judge(roster.processes(), &events);
  sim::SimulationOptions options;
  options.seed = replicate_seed(experiment, replicate);
  options.duration = inputs.duration();
  options.skip_quiet_time = experiment.skip_quiet_time;
  options.impaired = experiment.fabric.faults;
  options.local_latency = experiment.fabric.local_latency;
  options.engine = engine_options(experiment);
  sim::PacketCarrierOptions packets;
  if (experiment.fabric.fidelity == Fidelity::packet) {
    packets = packet_options(experiment, inputs);
    options.packets = &packets;
    options.graph = inputs.graph();
    options.forwarding = &inputs.topology().routing().tables();
  }
  options.routing = &inputs.topology().routing();
  options.subnet_manager = {experiment.fabric.subnet_manager.sweep_on_trap,
                            experiment.fabric.subnet_manager.sweep_interval};
  const sim::FaultSchedule faults = inputs.faults_of(options.seed);
  FaultLog log(roster, judge, faults.faults.size());
  JudgeWitness witness(judge, log, faults, inputs.parts_of(faults),
                       inputs.topology().routing().wiring());
  sim::Simulation simulation(options, roster, inputs.path_times(), faults, witness);
  witness.look_at(simulation);

  std::uint64_t reported = 0;
  const auto report = [&] {
    monitor.events += simulation.events() - reported;
    reported = simulation.events();
    monitor.reached_ns = simulation.now().ns;
  };
  while (simulation.step(kEventsPerLook)) {
    report();
    if (monitor.stop) return Status::error("stopped");
  }
  report();
  if (at_end) at_end(simulation);

  outcome.processes = roster.processes();
  outcome.nodes = roster.nodes();
  outcome.raw_events = events.take();
  judge.tell(Time{} + inputs.duration(), outcome);
  outcome.records_while_down += faults.records_while_down;
  const FrameFaultCounts faulted = simulation.frame_faults();
  outcome.frames = {simulation.frames_lost(),    faulted.duplicated, faulted.corrupted,
                    faulted.truncated,           faulted.reordered,  faulted.delayed,
                    simulation.frames_rejected()};
  log.finish();
  add_faults(inputs, faults, log, outcome);
  outcome.messages = message_counts(simulation.frame_counts());
  if (const sim::PacketCarrier* carrier = simulation.carrier())
    outcome.packets = {packet_outcome(carrier->frames()), packet_outcome(carrier->traffic()),
                       packet_outcome(carrier->victims())};
  outcome.state_hash = simulation.state_hash();
  outcome.events = simulation.events();
  outcome.heartbeats_skipped = simulation.heartbeats_skipped();
  return Status::ok();
}

}  // namespace holdfast::runner
