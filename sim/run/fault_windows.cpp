// Each begin of an impairment belongs to the next end of the same one.
#include "sim/run/fault_windows.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace holdfast::sim {

namespace {

// Ascending.
std::vector<ProcessId> processes_of(const FaultPart& part, const Roster& roster) {
  if (part.target == FaultTarget::process) return {ProcessId{part.index}};
  std::vector<ProcessId> processes;
  for (std::uint32_t i = 0; i < roster.per_node(); ++i)
    processes.push_back(roster.process_on({part.index}, i));
  std::sort(processes.begin(), processes.end());
  return processes;
}

}  // namespace

std::vector<FaultWindow> fault_windows(const FaultSchedule& schedule, const Roster& roster) {
  std::vector<FaultWindow> windows;
  std::map<std::uint32_t, std::size_t> open;  // by impairment
  for (const FaultEvent& event : schedule.events) {
    if (event.target != FaultTarget::frames) continue;
    if (event.action == FaultAction::repair) {
      windows[open.at(event.index)].until = event.at - Time{};
      continue;
    }
    const FrameImpairment& impairment = schedule.frame_impairments.at(event.index);
    open[event.index] = windows.size();
    FaultWindow& window = windows.emplace_back();
    window.from = event.at - Time{};
    window.until = {std::numeric_limits<std::int64_t>::max()};
    window.faults = impairment.faults;
    window.of = processes_of(impairment.of, roster);
    if (impairment.to) window.to = processes_of(*impairment.to, roster);
    window.one_way = impairment.one_way;
    window.rail = impairment.rail;
  }
  std::erase_if(windows, [](const FaultWindow& window) { return window.until == window.from; });
  return windows;
}

Silences::Silences(std::span<const FaultWindow> windows, Duration within) : within_(within) {
  for (const FaultWindow& window : windows)
    if (window.faults.loss >= 1.0) windows_.push_back(window);
}

bool Silences::silent(Duration at, std::uint32_t rail, ProcessId a, ProcessId b) const {
  return std::any_of(windows_.begin(), windows_.end(), [&](const FaultWindow& window) {
    return at >= window.from && at - within_ <= window.until &&
           (!window.rail || *window.rail == rail) &&
           (window.concerns(a, b) || window.concerns(b, a));
  });
}

}  // namespace holdfast::sim
