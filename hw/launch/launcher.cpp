// The plan, step by step: start everyone, wait until all are ready, give the start time, act at the
// planned times, end everyone.
#include "hw/launch/launcher.hpp"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "hw/launch/job.hpp"
#include "hw/monotonic_clock.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

// Between the last "ready" and the start, for the word to reach everyone.
constexpr Duration kLead = milliseconds(50);

Status start_all(const LaunchPlan& plan, Job& job) {
  for (std::uint32_t i = 0; i < plan.processes; ++i) {
    if (Status status = job.start({i}, 0); !status.is_ok()) return status;
  }
  job.wait(monotonic_now() + plan.patience, true);
  if (!job.failure().is_ok() || job.interrupted() || job.all_ready()) return job.failure();
  return Status::error("launch: not all processes were ready in time");
}

void perform(const PlannedAction& planned, Job& job, LaunchResult& result) {
  DoneAction done{planned, monotonic_now(), {}};
  switch (planned.action) {
    case LaunchAction::crash:
      done.processes = job.crash(planned.target);
      break;
    case LaunchAction::restart:
      done.processes = job.restart(planned.target);
      break;
    case LaunchAction::pause:
      done.processes = job.signal(planned.target, SIGSTOP);
      break;
    case LaunchAction::resume:
      done.processes = job.signal(planned.target, SIGCONT);
      break;
    case LaunchAction::fail:
    case LaunchAction::mend:
      job.set_rail(planned.target, planned.action == LaunchAction::fail);
      break;
  }
  result.actions.push_back(std::move(done));
}

}  // namespace

Status make_room(const LaunchPlan& plan) {
  return make_room(Job::needs(plan));
}

Status launch(const LaunchPlan& plan, LaunchResult& result) {
  HOLDFAST_ASSERT(plan.processes >= 1 && plan.duration > Duration{0});
  HOLDFAST_ASSERT(
      std::is_sorted(plan.actions.begin(), plan.actions.end(),
                     [](const PlannedAction& a, const PlannedAction& b) { return a.at < b.at; }));
  result = LaunchResult{};
  Job job(plan, result);
  if (Status status = job.prepare(); !status.is_ok()) return status;
  if (Status status = start_all(plan, job); !status.is_ok()) return status;
  result.start = monotonic_now() + kLead;
  job.let_all_go();
  if (plan.begun) plan.begun();
  for (const PlannedAction& action : plan.actions) {
    if (action.at >= plan.duration) break;
    job.wait(result.start + action.at);
    if (job.interrupted() || !job.failure().is_ok()) break;
    HOLDFAST_ASSERT(action.target.kind != LaunchTarget::Kind::process ||
                    action.target.index < plan.processes);
    perform(action, job, result);
  }
  job.wait(result.start + plan.duration);
  job.finish();
  return job.failure();
}

}  // namespace holdfast::hw
