// From the fault schedule to signals, and from event logs to the judge.
#include "experiments/runner/launch_replicate.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "experiments/runner/judge.hpp"
#include "experiments/runner/node_program.hpp"
#include "experiments/runner/rails.hpp"
#include "hw/launch/launcher.hpp"
#include "sim/run/fault_windows.hpp"

namespace holdfast::runner {
namespace {

Duration latest_verdict(const DetectorConfig& detector) {
  DetectorOptions options;
  options.period = detector.period;
  options.timeout = detector.timeout;
  options.hold = detector.hold;
  return verdict_within(options);
}

hw::LaunchAction action_of(sim::FaultAction action) {
  switch (action) {
    case sim::FaultAction::crash:
      return hw::LaunchAction::crash;
    case sim::FaultAction::repair:
      return hw::LaunchAction::restart;
    case sim::FaultAction::pause:
      return hw::LaunchAction::pause;
    case sim::FaultAction::resume:
      return hw::LaunchAction::resume;
    case sim::FaultAction::slow:
    case sim::FaultAction::normal:
      break;  // the configuration allows them in simulation only
  }
  return hw::LaunchAction::crash;
}

// The schedule as signals and faults of rails, without what happens to frames, which the processes
// see to; the tag of an action says which event of the schedule it is.
std::vector<hw::PlannedAction> actions_of(const sim::FaultSchedule& faults, const Rails& rails) {
  using Kind = hw::LaunchTarget::Kind;
  std::vector<hw::PlannedAction> actions;
  for (std::size_t i = 0; i < faults.events.size(); ++i) {
    const sim::FaultEvent& event = faults.events[i];
    const Duration at = event.at - Time{0};
    if (event.target == sim::FaultTarget::frames) continue;
    if (is_of_job(event)) {
      const Kind kind = event.target == sim::FaultTarget::node ? Kind::host : Kind::process;
      actions.push_back({at, action_of(event.action), {event.index, kind}, i});
      continue;
    }
    const bool begins = event.action == sim::FaultAction::crash;
    for (const hw::LaunchTarget& rail : rails.of(event, faults))
      actions.push_back({at, begins ? hw::LaunchAction::fail : hw::LaunchAction::mend, rail, i});
  }
  return actions;
}

// When each host's rails last had a fault.
class RailHistory {
 public:
  // From a fault follow verdicts until `window` after its end, see Simulation::kept_apart; which
  // frames were lost is not known here, so a fault counts as a loss.
  RailHistory(std::uint32_t hosts, std::uint32_t rails, Duration window)
      : window_(window), rails_(rails), rails_of_hosts_(std::size_t{hosts} * rails) {}

  void change(Time at, const hw::PlannedAction& action) {
    const hw::LaunchTarget& target = action.target;
    for (std::uint32_t number = 0; number < rails_; ++number) {
      if (target.rail != hw::LaunchTarget::kAllRails && target.rail != number) continue;
      Rail& rail = rails_of_hosts_[std::size_t{target.index} * rails_ + number];
      if (action.action == hw::LaunchAction::fail) ++rail.faults;
      if (action.action == hw::LaunchAction::mend) --rail.faults;
      rail.last_fault = at;
    }
  }
  std::uint32_t rails() const { return rails_; }
  // This rail, between the two.
  bool was_faulty(Time at, std::uint32_t rail, NodeId a, NodeId b) const {
    return a != b && (was_faulty(at, rail, a) || was_faulty(at, rail, b));
  }

 private:
  struct Rail {
    std::uint32_t faults = 0;
    std::optional<Time> last_fault;
  };
  bool was_faulty(Time at, std::uint32_t number, NodeId host) const {
    const Rail& rail = rails_of_hosts_[std::size_t{host.value} * rails_ + number];
    return rail.faults > 0 || (rail.last_fault && at <= *rail.last_fault + window_);
  }

  Duration window_;
  std::uint32_t rails_;  // of each host
  std::vector<Rail> rails_of_hosts_;
};

// One thing that the judge is told.
struct Said {
  Time at;
  bool is_truth = false;  // before beliefs at equal times
  std::size_t index = 0;  // truth: of the action; belief: of the life
  hw::BeliefEvent belief;
};

// Tells the judge what happened in the order in which it did.
class Account {
 public:
  Account(const Experiment& experiment, const Inputs& inputs, const Roster& roster,
          const hw::LaunchPlan& plan, const hw::LaunchResult& result,
          const sim::FaultSchedule& faults, Judge& judge, FaultLog& log)
      : result_(result),
        faults_(faults),
        parts_(inputs.parts_of(faults)),
        roster_(roster),
        wiring_(inputs.topology().routing().wiring()),
        judge_(judge),
        log_(log),
        rails_(inputs.nodes(), plan.rails, latest_verdict(experiment.detector)),
        silences_(plan.windows, latest_verdict(experiment.detector)),
        boots_(inputs.processes()) {}

  void tell() {
    std::vector<Said> all;
    for (std::size_t i = 0; i < result_.actions.size(); ++i)
      all.push_back({since_start(result_.actions[i].at), true, i, {}});
    for (std::size_t i = 0; i < result_.lives.size(); ++i)
      for (const hw::BeliefEvent& event : result_.lives[i].events)
        all.push_back({since_start(event.at), false, i, event});
    std::stable_sort(all.begin(), all.end(), [](const Said& a, const Said& b) {
      return a.at != b.at ? a.at < b.at : a.is_truth > b.is_truth;
    });
    for (const Said& said : all) {
      log_.advance(said.at);
      if (said.is_truth) {
        tell_truth(said);
      } else {
        tell_belief(said);
      }
    }
  }

 private:
  Time since_start(Time at) const { return Time{0} + (at - result_.start); }

  void tell_truth(const Said& said) {
    const hw::DoneAction& action = result_.actions[said.index];
    if (action.planned.action == hw::LaunchAction::crash) {
      const std::size_t record = faults_.events[action.planned.tag].record;
      const FailedPart& part = parts_.at(record);
      judge_.crash(said.at, part.what, part.which, action.processes);
      log_.crashed(said.at, faults_.fault_of_record.at(record), action.processes);
    } else if (action.planned.action == hw::LaunchAction::restart) {
      for (const ProcessId process : action.processes)
        judge_.repair(said.at, {&process, 1}, first_incarnation_of_boot(++boots_[process.value]));
      log_.repaired(said.at);
    } else if (action.planned.target.kind == hw::LaunchTarget::Kind::rail) {
      rails_.change(said.at, action.planned);
      // A rail that is silent is no cut, nor is it one in the simulation.
      log_.played(said.at, faults_.events[action.planned.tag], faults_, wiring_);
    }
  }

  void tell_belief(const Said& said) {
    const hw::BeliefEvent& event = said.belief;
    const ProcessId observer = result_.lives[said.index].process;
    runner::tell_belief(judge_, log_, said.at, observer,
                        {event.process, {event.incarnation, event.state}},
                        kept_apart(said.at, observer, event.process));
  }

  // A verdict is none on somebody who was reachable by any rail.
  bool kept_apart(Time at, ProcessId a, ProcessId b) const {
    for (std::uint32_t rail = 0; rail < rails_.rails(); ++rail) {
      if (!rails_.was_faulty(at, rail, roster_.node_of(a), roster_.node_of(b)) &&
          !silences_.silent(at - Time{}, rail, a, b))
        return false;
    }
    return true;
  }

  const hw::LaunchResult& result_;
  const sim::FaultSchedule& faults_;
  const std::map<std::size_t, FailedPart> parts_;
  const Roster& roster_;
  const sim::Wiring& wiring_;
  Judge& judge_;
  FaultLog& log_;
  RailHistory rails_;
  sim::Silences silences_;
  std::vector<std::uint32_t> boots_;
};

hw::JobFabric fabric_of(Target target) {
  HOLDFAST_ASSERT(target != Target::simulated);
  if (target == Target::tcp) return hw::JobFabric::tcp;
  if (target == Target::verbs) return hw::JobFabric::verbs;
  return target == Target::shm ? hw::JobFabric::shm : hw::JobFabric::udp;
}

LaunchFault fault_of(const hw::LaunchResult& result) {
  if (result.interrupted) return LaunchFault::interrupted;
  return result.unwritable ? LaunchFault::unwritable : LaunchFault::other;
}

// The processes of a replicate, and where they are.
hw::LaunchPlan plan_of(const Experiment& experiment, const Roster& roster) {
  hw::LaunchPlan plan;
  plan.processes = roster.processes();
  plan.fabric = fabric_of(experiment.fabric.target);
  plan.separate_hosts = experiment.fabric.separate_hosts;
  plan.rails = experiment.fabric.rails;
  for (std::uint32_t i = 0; i < plan.processes; ++i)
    plan.host_of.push_back(roster.node_of({i}).value);
  return plan;
}

}  // namespace

Status make_room(const Experiment& experiment, const Inputs& inputs) {
  return hw::make_room(plan_of(experiment, Roster(roster_options(experiment, inputs, 0))));
}

Status launch_replicate(const Experiment& experiment, const Inputs& inputs, std::uint32_t replicate,
                        const LaunchSettings& settings, ReplicateMonitor& monitor, Outcome& outcome,
                        LaunchFault& fault) {
  const Roster roster(roster_options(experiment, inputs, replicate));
  hw::LaunchPlan plan = plan_of(experiment, roster);
  plan.program = settings.program;
  plan.arguments = {"node"};
  plan.configuration = node_configuration(experiment, inputs, replicate);
  plan.seed = replicate_seed(experiment, replicate);
  plan.key = settings.key;
  plan.faults = experiment.fabric.faults;
  const sim::FaultSchedule faults = inputs.faults_of(plan.seed);
  plan.windows = sim::fault_windows(faults, roster);
  plan.actions = actions_of(faults, Rails(inputs.topology().routing().wiring(), inputs.nodes()));
  plan.duration = inputs.duration();
  plan.begun = [&monitor] { monitor.began = std::chrono::steady_clock::now(); };
  plan.folder = settings.recording;
  plan.record = !settings.recording.empty();
  hw::LaunchResult result;
  const Status status = hw::launch(plan, result);
  fault = fault_of(result);
  if (!status.is_ok()) return status;
  if (result.interrupted) return Status::error("stopped by a signal");

  EventLog events(experiment.events, replicate);
  Judge judge(roster.processes(), &events);
  FaultLog log(roster, judge, faults.faults.size());
  Account(experiment, inputs, roster, plan, result, faults, judge, log).tell();
  log.finish();
  outcome.processes = roster.processes();
  outcome.nodes = roster.nodes();
  outcome.raw_events = events.take();
  judge.tell(Time{} + inputs.duration(), outcome);
  outcome.records_while_down += faults.records_while_down;
  add_faults(inputs, faults, log, outcome);
  for (const hw::ProcessLife& life : result.lives) add_counts(life.notes, outcome);
  return Status::ok();
}

}  // namespace holdfast::runner
