// A time during which frames between some processes have faults. A plan is a list of these, the
// same for every process of a job, simulated or real; scheduled_faults.hpp is what it means to one.
//
// Times count from the start of the job, not from that of a process: who is restarted meanwhile
// finds the plan where the others are. What counts is when a frame is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/impair/frame_faults.hpp"

namespace holdfast {

struct FaultWindow {
  Duration from;   // >= 0
  Duration until;  // > from; then it is over
  FrameFaults faults;
  // Frames that one of these sends to one of `to`; and, unless it is one way, those that go the
  // other way. Both ascending.
  std::vector<ProcessId> of;
  std::vector<ProcessId> to;  // empty: everybody who is not among `of`
  bool one_way = false;
  std::optional<std::uint8_t> rail = {};  // by which they go; absent: any

  // A receiver that neither list has may be kNoProcess.
  bool concerns(ProcessId sender, ProcessId receiver) const;
  // Whether it concerns any frame that this process sends.
  bool concerns_sender(ProcessId sender) const;
  // Whether the times, the faults and the lists are as they say, of a job of so many processes.
  bool possible(std::uint32_t processes) const;

  friend bool operator==(const FaultWindow&, const FaultWindow&) = default;
};

}  // namespace holdfast
