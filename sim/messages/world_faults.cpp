// What faults do to a world.
#include <utility>

#include "sim/messages/world.hpp"

namespace holdfast::sim {

void World::look_for_recovery(Process& process) {
  const std::uint64_t resent = process.endpoint->counts().fragments_resent;
  if (std::exchange(process.resent, resent) == resent) return;
  resent_at_ = clock_;
  for (std::uint32_t i = 0; i < faults_.size(); ++i) {
    if (faults_[i] != FaultState::armed || clock_ > options_.faults[i].latest) continue;
    faults_[i] = FaultState::due;
    queue_.push((now_ + to_sim_time(options_.faults[i].after_resending)).value,
                own_target(options_.processes + kFaultBegins), i);
  }
}

void World::begin(std::uint32_t index) {
  const WorldFault& fault = options_.faults[index];
  if (fault.in_recovery && faults_[index] == FaultState::waits) {
    faults_[index] = FaultState::armed;
    return;
  }
  faults_[index] = FaultState::on;
  const bool of_rail = fault.kind == WorldFaultKind::cut || fault.kind == WorldFaultKind::port;
  if (of_rail && clock_ <= resent_at_ + least_latency_) ++faults_in_recovery_;
  play(fault, true);
  queue_.push((now_ + to_sim_time(fault.lasts)).value, own_target(options_.processes + kFaultEnds),
              index);
}

void World::mend(std::uint32_t index) {
  faults_[index] = FaultState::over;
  play(options_.faults[index], false);
}

std::vector<ProcessId> World::meant(ProcessId process) const {
  if (process != kNoProcess) return {process};
  std::vector<ProcessId> all;
  for (std::uint32_t i = 0; i < options_.processes; ++i) all.push_back({i});
  return all;
}

void World::play(const WorldFault& fault, bool begins) {
  switch (fault.kind) {
    case WorldFaultKind::cut:
    case WorldFaultKind::port:
      for (std::uint32_t r = 0; r < networks_.size(); ++r) {
        if (fault.rail == kAllRails || fault.rail == r) play_on_rail(fault, *networks_[r], begins);
      }
      break;
    case WorldFaultKind::pause:
      for (const ProcessId id : meant(fault.process)) pause(id, begins);
      break;
    case WorldFaultKind::crash:
      for (const ProcessId id : meant(fault.process)) {
        const bool up = processes_[id.value].endpoint != nullptr;
        if (begins && up) crash(id);
        if (begins || up) continue;
        ++processes_[id.value].boots;
        for (auto& network : networks_) network->restart(id);
        boot(id);
        tell_others(id, incarnation(id), false);
      }
      break;
  }
}

void World::play_on_rail(const WorldFault& fault, PipeNetwork& network, bool begins) {
  for (const ProcessId from : meant(fault.process)) {
    if (fault.kind == WorldFaultKind::port) {
      const bool told = network.set_port(from, begins ? fault.state : PortState::well);
      if (told) schedule_wake(from, clock_ + options_.response);
      continue;
    }
    for (const ProcessId to : meant(fault.other)) {
      if (from == to) continue;
      if (begins) network.cut(from, to);
      if (!begins) network.mend(from, to);
    }
  }
}

void World::pause(ProcessId id, bool begins) {
  Process& process = processes_[id.value];
  process.pauses = begins ? process.pauses + 1 : process.pauses - 1;
  process.wake = SimTime::never();
  schedule_wake(id, clock_);
}

void World::crash(ProcessId id) {
  Process& process = processes_[id.value];
  const Incarnation life = incarnation(id);
  keep_counts_of(process);
  process.endpoint.reset();
  process.wrapped.clear();
  process.impaired.clear();
  for (auto& network : networks_) network->stop(id);
  program_.ended(id, life, clock_);
  tell_others(id, life, true);
}

}  // namespace holdfast::sim
