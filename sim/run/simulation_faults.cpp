// What a fault does to processes and to the fabric.
#include "sim/fabric/sim_event.hpp"
#include "sim/run/simulation.hpp"

namespace holdfast::sim {

std::vector<ProcessId> Simulation::concerned(const FaultEvent& fault) const {
  if (fault.target == FaultTarget::process) return {ProcessId{fault.index}};
  std::vector<ProcessId> processes;
  for (std::uint32_t i = 0; i < roster_.per_node(); ++i) {
    processes.push_back(roster_.process_on({fault.index}, i));
  }
  return processes;
}

void Simulation::set_paused(Process& process, bool paused) {
  impeded_ -= process.impeded ? 1 : 0;
  process.paused = paused;
  process.impeded = paused || process.delay > Duration{0};
  impeded_ += process.impeded ? 1 : 0;
}

void Simulation::set_slow(Process& process, Duration delay) {
  process.delay = delay;
  process.due = SimTime::never();
  set_paused(process, process.paused);
}

void Simulation::play_on_fabric(const FaultEvent& fault) {
  damage_->play(fault, faults_, now_);
  if (carrier_ && fault.target == FaultTarget::impairment) {
    const std::uint32_t link = faults_.impairments.at(fault.index).link;
    for (const std::uint32_t direction : {0u, 1u}) {
      carrier_->wire().set_quality(now_, link, direction, damage_->quality(link, direction));
    }
  } else if (carrier_) {
    for (const std::uint32_t link : damage_->links_of(fault)) {
      carrier_->wire().set_link_up(now_, link, fault.action == FaultAction::repair);
    }
  }
  expect_new_tables();
}

// Puts what is due into force, and sees to it that it will be asked again in time. An event that
// comes too early, because the change was put off, does no harm.
void Simulation::expect_new_tables() {
  while (damage_->next_change() <= now_) {
    if (carrier_) carrier_->wire().take_apart(now_);
    damage_->apply(now_);
    if (carrier_) carrier_->wire().set_forwarding(now_, damage_->manager().forwarding());
  }
  if (expected_tables_ <= now_) expected_tables_ = SimTime::never();
  if (damage_->next_change() != expected_tables_) {
    expected_tables_ = damage_->next_change();
    queue_.push(expected_tables_.value, 0, sim_payload(SimEventKind::fault, kNewTables));
  }
  put_off_skipping();
}

void Simulation::play(const FaultEvent& fault) {
  put_off_skipping();
  if (is_of_fabric(fault)) {
    play_on_fabric(fault);
    return;
  }
  if (fault.target == FaultTarget::frames) {  // each sender has the plan
    open_windows_ = fault.action == FaultAction::crash ? open_windows_ + 1 : open_windows_ - 1;
    return;
  }
  const std::vector<ProcessId> processes = concerned(fault);
  switch (fault.action) {
    case FaultAction::crash:
      crash(fault, processes);
      break;
    case FaultAction::repair:
      repair(fault, processes);
      break;
    case FaultAction::pause:
      for (const ProcessId id : processes) {
        Process& process = processes_[id.value];
        if (process.up) set_paused(process, true);
      }
      break;
    case FaultAction::resume:
      for (const ProcessId id : processes) {
        Process& process = processes_[id.value];
        if (!process.paused) continue;
        set_paused(process, false);
        turn(id, process);
      }
      break;
    case FaultAction::slow:
    case FaultAction::normal:
      for (const ProcessId id : processes) {
        const bool slow = fault.action == FaultAction::slow;
        set_slow(processes_[id.value], slow ? fault.delay : Duration{0});
      }
      break;
  }
}

void Simulation::crash(const FaultEvent& fault, std::span<const ProcessId> processes) {
  for (const ProcessId id : processes) {
    Process& process = processes_[id.value];
    if (!process.up) continue;
    set_paused(process, false);
    process.due = SimTime::never();
    of_ended_lives_ += process.engine->membership().counts();
    rejected_by_ended_lives_ += process.engine->drops().rejected();
    process.engine.reset();
    process.up = false;
    if (process.impaired) faults_of_ended_lives_ += process.impaired->counts();
    process.impaired.reset();
    process.is_impaired = false;
    process.wake = SimTime::never();
    network_.stop(id);
  }
  witness_.crashed(now(), fault.record, processes);
}

void Simulation::repair(const FaultEvent& fault, std::span<const ProcessId> processes) {
  for (const ProcessId id : processes) {
    if (processes_[id.value].up) continue;
    ++processes_[id.value].boots;
    network_.restart(id);
    witness_.repaired(now(), fault.record, {&id, 1},
                      first_incarnation_of_boot(processes_[id.value].boots));
    boot(id, true);
  }
}

}  // namespace holdfast::sim
