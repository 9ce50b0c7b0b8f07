// Neighbours are joined as they come; the limit counts what is left.
#include "experiments/runner/event_log.hpp"

namespace holdfast::runner {

void EventLog::add(Time at, RawEventKind kind, ProcessId observer, ProcessId subject,
                   Incarnation incarnation, std::uint32_t failure) {
  if (most_ == 0 || ended_) return;
  if (extend(at, kind, observer, subject, incarnation, failure)) return;
  ended_ = events_.size() == most_;
  if (ended_) {
    events_.push_back({.at = at, .kind = RawEventKind::ends_here});
  } else {
    events_.push_back({at, kind, observer, subject, subject, incarnation, failure});
  }
}

// Makes the last event one about this subject too, if it is the next one's.
bool EventLog::extend(Time at, RawEventKind kind, ProcessId observer, ProcessId subject,
                      Incarnation incarnation, std::uint32_t failure) {
  if (events_.empty()) return false;
  RawEvent& last = events_.back();
  if (last.at != at || last.kind != kind || last.process != observer ||
      last.last.value + 1 != subject.value || last.incarnation != incarnation ||
      last.failure != failure)
    return false;
  last.last = subject;
  return true;
}

}  // namespace holdfast::runner
