// What a plan of faults means to the frames of one sender: which of its windows are open, and what
// each receiver's frames suffer by them.
//
// While no window concerns the sender, or all that do are over, it costs a comparison; while one is
// still to come or is open, a look at the clock for each batch. Frames that several windows
// concern, and those that have faults at all times, suffer all of them (FrameFaults::and_then).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"
#include "stack/impair/fault_window.hpp"

namespace holdfast {

class ScheduledFaults {
 public:
  // Those of `windows` that concern what `self` sends on this rail; they must outlive this.
  ScheduledFaults(std::span<const FaultWindow> windows, ProcessId self, std::uint8_t rail);

  // When the job starts, or has started; before it is told nothing is open.
  void start(Time start) { start_ = start; }

  bool any() const { return !windows_.empty(); }
  // Of all windows together, as if they were open at once.
  FrameFaults worst() const;
  // Nothing is open, nor will be.
  bool over() const { return open_.empty() && next_change_ == kNever; }
  // Whether any window is open; now never goes back.
  bool open(Time now) {
    const Duration passed = now - start_;
    if (passed >= next_change_) change(passed);
    return !open_.empty();
  }

  // A handle by which frames go to this process, until it is detached. Allocates nothing as long as
  // a process has one handle or two.
  void attached(Peer peer, ProcessId process);
  void detached(Peer peer);
  // What happens to a frame that is sent there now, to which `always` happens at all times.
  FrameFaults to(Peer peer, FrameFaults always) const;

 private:
  static constexpr Duration kNever{std::numeric_limits<std::int64_t>::max()};

  void change(Duration passed);
  ProcessId receiver(Peer peer) const;

  ProcessId self_;
  std::vector<const FaultWindow*> windows_;
  std::vector<const FaultWindow*> open_;
  // Windows tell only those apart that they name; by handle, ascending. All others are kNoProcess.
  std::vector<ProcessId> named_;
  std::vector<std::pair<Peer, ProcessId>> handles_;
  Time start_ = Time::never();
  Duration next_change_;  // since the start; kNever: there is none
};

}  // namespace holdfast
