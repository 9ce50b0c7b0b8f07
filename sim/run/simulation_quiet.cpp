// When nothing but heartbeats will happen, and how so many periods are skipped.
#include <algorithm>

#include "sim/fabric/sim_event.hpp"
#include "sim/run/simulation.hpp"

namespace holdfast::sim {

namespace {

// Left over when quiet time is skipped, so that frames and deadlines meet what comes next as they
// would have.
constexpr std::int64_t kPeriodsKept = 2;

}  // namespace

SimTime Simulation::next_external() const {
  SimTime next = damage_ ? std::min(end_, damage_->next_change()) : end_;
  if (next_fault_ == faults_.events.size()) return next;
  return std::min(next, to_sim_time(faults_.events[next_fault_].at - Time{}));
}

void Simulation::put_off_skipping() {
  next_skip_attempt_ = now_ + to_sim_time(options_.engine.membership.detection.period);
  quiet_since_.reset();
}

void Simulation::skip_if_quiet() {
  const SimTime period = to_sim_time(options_.engine.membership.detection.period);
  if (impairing() || open_windows_ > 0 || impeded_ > 0 || network_.frames_under_way() > 0 ||
      network_.endings_under_way() > 0 || (damage_ && !damage_->harmless())) {
    return;
  }
  const std::int64_t periods = (next_external() - now_).value / period.value - kPeriodsKept;
  if (periods > 0 && quiet() && one_period_is_known()) skip(static_cast<std::uint64_t>(periods));
  next_skip_attempt_ = now_ + period;
}

// Packets are counted, so one quiet period has to be seen before others can be told to be like it.
// While somebody is dead they are not: probes go to one of the dead after the other.
bool Simulation::one_period_is_known() {
  if (!carrier_) return true;
  if (std::any_of(processes_.begin(), processes_.end(),
                  [](const Process& process) { return !process.up; })) {
    return false;
  }
  const SimTime period = to_sim_time(options_.engine.membership.detection.period);
  if (quiet_since_ && now_ == quiet_since_->at + period) return true;
  quiet_since_ = QuietSince{now_, carrier_->frames()};
  return false;
}

bool Simulation::quiet() const {
  const View* some = nullptr;
  for (const Process& process : processes_) {
    if (!process.up) continue;
    if (!process.engine->steady()) return false;
    if (process.is_impaired && process.impaired->next_due() < Time::never()) return false;
    const View& view = process.engine->membership().view();
    if (some != nullptr && some->digest() != view.digest()) return false;
    some = &view;
  }
  if (some == nullptr) return true;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    if (some->live({i}) != (processes_[i].up)) return false;
  }
  return true;
}

// Adds `periods` periods to everything but the faults, which come at their own time.
void Simulation::skip(std::uint64_t periods) {
  const SimTime period = to_sim_time(options_.engine.membership.detection.period);
  const SimTime by{period.value * static_cast<std::int64_t>(periods)};
  const FrameCounts before = frame_counts();
  for (Process& process : processes_) {
    if (!process.up) continue;
    process.engine->advance(periods);
    if (process.wake != SimTime::never()) process.wake = process.wake + by;
  }
  heartbeats_skipped_ += frame_counts().heartbeats - before.heartbeats;
  if (carrier_) carrier_->repeat_since(quiet_since_->frames, periods);
  quiet_since_.reset();
  std::vector<QueuedEvent> pending = queue_.drain();
  set_now(now_ + by);
  for (const bool faults : {true, false}) {
    for (const QueuedEvent& event : pending) {
      const bool is_fault = sim_event_kind(event.payload) == SimEventKind::fault;
      if (is_fault != faults) continue;
      const std::int64_t at = is_fault ? event.time : event.time + by.value;
      queue_.push(at, event.target, event.payload);
    }
  }
}

}  // namespace holdfast::sim
