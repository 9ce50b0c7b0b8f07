// When faults begin and end, and what they do to a real world. A fault lasts as long as is planned,
// so one that begins late, as the machine was busy, ends late, and it is not calm before; nor while
// somebody has not been told of a life, as what waits from there is received when he has.
#include <algorithm>
#include <utility>

#include "tests/messages/real/real_world.hpp"

namespace holdfast::messages {

using sim::WorldFault;
using sim::WorldFaultKind;

bool RealWorld::is_calm() const {
  const auto may_still_do_something = [](const Fault& fault) {
    return fault.state == FaultState::waits || fault.state == FaultState::on ||
           (fault.state == FaultState::armed && fault.next < Time::never());
  };
  return now_ >= scenario_.calm && news_.empty() &&
         std::ranges::none_of(faults_, may_still_do_something);
}

void RealWorld::begin_and_mend_what_is_due() {
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    Fault& fault = faults_[i];
    const WorldFault& plan = scenario_.world.faults[i];
    if (fault.next > now_) continue;
    if (fault.state == FaultState::on) {
      fault = {FaultState::over, Time::never()};
      play(plan, false);
    } else if (plan.in_recovery && fault.state == FaultState::waits) {
      fault = {FaultState::armed, Time::never()};  // until something has been sent again
    } else {
      begin(i);
    }
  }
}

void RealWorld::begin(std::size_t i) {
  const WorldFault& plan = scenario_.world.faults[i];
  faults_[i] = {FaultState::on, now_ + plan.lasts};
  ++faults_begun_;
  if (plan.in_recovery) ++faults_in_recovery_;
  play(plan, true);
}

void RealWorld::look_for_recovery(Process& process) {
  const std::uint64_t resent = process.endpoint->counts().fragments_resent;
  if (std::exchange(process.resent, resent) == resent) return;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const WorldFault& plan = scenario_.world.faults[i];
    if (faults_[i].state != FaultState::armed || faults_[i].next < Time::never()) continue;
    if (now_ <= plan.latest) faults_[i].next = now_ + plan.after_resending;
  }
}

std::vector<ProcessId> RealWorld::meant(ProcessId process) const {
  if (process != kNoProcess) return {process};
  std::vector<ProcessId> all;
  for (std::uint32_t i = 0; i < scenario_.world.processes; ++i) all.push_back({i});
  return all;
}

void RealWorld::play(const WorldFault& fault, bool begins) {
  for (const ProcessId id : meant(fault.process)) {
    Process& process = processes_[id.value];
    const bool up = process.endpoint != nullptr;
    switch (fault.kind) {
      case WorldFaultKind::cut:
      case WorldFaultKind::port:
        if (up) afflict(id, fault, begins);
        break;
      case WorldFaultKind::pause:
        process.pauses = begins ? process.pauses + 1 : process.pauses - 1;
        break;
      case WorldFaultKind::crash:
        if (begins && up) crash(id);
        if (begins || up) break;
        ++process.boots;
        open_rails(id);
        boot(id);
        tell_of_all(id);
        tell_others(id, incarnation(id), false);
        break;
    }
  }
}

void RealWorld::afflict(ProcessId id, const WorldFault& fault, bool begins) {
  if (fault.process != kNoProcess && fault.process != id) return;
  for (std::uint32_t r = 0; r < kinds_.size(); ++r) {
    if (fault.rail != sim::kAllRails && fault.rail != r) continue;
    FaultyPort& port = *processes_[id.value].ports[r];
    if (fault.kind == WorldFaultKind::port) {
      port.set_state(begins ? fault.state : sim::PortState::well);
    } else if (fault.kind == WorldFaultKind::cut) {
      for (const ProcessId to : meant(fault.other)) {
        if (begins) port.cut(to);
        if (!begins) port.mend(to);
      }
    }
  }
}

}  // namespace holdfast::messages
