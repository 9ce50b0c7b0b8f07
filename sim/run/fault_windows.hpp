// The frame impairments of a schedule as the plan that every sender has (stack/impair), and what it
// has to do with verdicts.
#pragma once

#include <span>
#include <vector>

#include "sim/faults/schedule.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/impair/fault_window.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::sim {

// In the order of their beginnings. One that begins and ends at the same moment is left out.
std::vector<FaultWindow> fault_windows(const FaultSchedule& schedule, const Roster& roster);

// Between whom the plan lets nothing through, and when: frames are all lost. A verdict that follows
// from that is on somebody who was unreachable, and no mistake of the detector; one that follows
// from a lesser share of losses is.
class Silences {
 public:
  // A verdict follows from a silence until `within` after its end.
  Silences(std::span<const FaultWindow> windows, Duration within);

  // Whether at this time after the start a verdict may follow from the silence of this rail between
  // the two, in whatever direction.
  bool silent(Duration at, std::uint32_t rail, ProcessId a, ProcessId b) const;

 private:
  Duration within_;
  std::vector<FaultWindow> windows_;  // of those, the silent ones
};

}  // namespace holdfast::sim
