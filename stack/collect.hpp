// Reading a view into runs, a frame's worth at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stack/view/view.hpp"
#include "stack/wire/frame.hpp"

namespace holdfast {

struct Collected {
  std::span<const Run> runs;  // in the given scratch
  bool complete = true;
  ProcessId next;  // if not complete: where to go on
};

// The exceptions of processes >= from, ascending, as many as the scratch holds runs for.
Collected collect_from(const View& view, ProcessId from, std::span<Run> scratch);

// How many frames the whole view takes; at least one.
std::uint64_t difference_frames(const View& view);

struct CollectedChanges {
  std::span<const Run> runs;
  std::uint64_t upto = 0;  // every change in (after, upto] that is not superseded is in `runs`
};

// The changes in (after, limit], in order of change, as many as the scratch holds runs for.
// after < limit <= view.sequence().
CollectedChanges collect_changes(const View& view, std::uint64_t after, std::uint64_t limit,
                                 std::span<Run> scratch);

// The same for one who tells many: collects once what several are told one after the other.
class ChangesForMany {
 public:
  // As collect_changes, of as many runs as `room`, which stay until the next call.
  CollectedChanges collect(const View& view, std::uint64_t after, std::uint64_t limit,
                           std::size_t room);
  // For when a view ends: another may lie there next.
  void forget() { view_ = nullptr; }

 private:
  std::vector<Run> runs_;
  std::size_t room_ = 0;
  std::uint64_t after_ = 0;
  std::uint64_t limit_ = 0;
  const View* view_ = nullptr;  // compared, never looked at
  std::uint64_t sequence_ = 0;  // of the view then
  std::uint64_t upto_ = 0;
};

}  // namespace holdfast
