// Exceptions into runs of consecutive processes.
#include "stack/collect.hpp"

#include <algorithm>
#include <limits>

#include "stack/base/assert.hpp"

namespace holdfast {

namespace {

// Appends to the last run if the exception continues it, else opens a run; false if there is no
// room.
bool append(const View::Exception& exception, std::span<Run> scratch, std::size_t& used) {
  if (used > 0) {
    Run& last = scratch[used - 1];
    if (last.first.value + last.count == exception.process.value &&
        last.incarnation == exception.record.incarnation && last.state == exception.record.state &&
        last.count < std::numeric_limits<std::uint16_t>::max()) {
      ++last.count;
      return true;
    }
  }
  if (used == scratch.size()) return false;
  scratch[used++] = {exception.process, exception.record.incarnation, 1, exception.record.state};
  return true;
}

}  // namespace

Collected collect_from(const View& view, ProcessId from, std::span<Run> scratch) {
  std::size_t used = 0;
  for (const View::Exception& exception : view.exceptions()) {
    if (exception.process < from) continue;
    if (!append(exception, scratch, used)) {
      return {scratch.first(used), false, exception.process};
    }
  }
  return {scratch.first(used), true, {}};
}

std::uint64_t difference_frames(const View& view) {
  std::vector<Run> scratch(kRunsMax);
  std::uint64_t frames = 1;
  for (Collected part = collect_from(view, {0}, scratch); !part.complete; ++frames) {
    part = collect_from(view, part.next, scratch);
  }
  return frames;
}

CollectedChanges collect_changes(const View& view, std::uint64_t after, std::uint64_t limit,
                                 std::span<Run> scratch) {
  HOLDFAST_ASSERT(after < limit && limit <= view.sequence());
  std::vector<View::Exception> changed;
  for (const View::Exception& exception : view.exceptions()) {
    if (exception.changed > after && exception.changed <= limit) changed.push_back(exception);
  }
  std::sort(changed.begin(), changed.end(),
            [](const auto& a, const auto& b) { return a.changed < b.changed; });
  std::size_t used = 0;
  for (const View::Exception& exception : changed) {
    if (!append(exception, scratch, used)) {
      return {scratch.first(used), exception.changed - 1};
    }
  }
  return {scratch.first(used), limit};
}

CollectedChanges ChangesForMany::collect(const View& view, std::uint64_t after, std::uint64_t limit,
                                         std::size_t room) {
  if (view_ != &view || sequence_ != view.sequence() || after_ != after || limit_ != limit ||
      room_ != room) {
    runs_.resize(room);
    const CollectedChanges collected = collect_changes(view, after, limit, runs_);
    runs_.resize(collected.runs.size());
    upto_ = collected.upto;
    room_ = room;
    after_ = after;
    limit_ = limit;
    view_ = &view;
    sequence_ = view.sequence();
  }
  return {runs_, upto_};
}

}  // namespace holdfast
