// What the judge was told, as raw events for events.csv: who crashed and started when, and who came
// to believe what of whom when. Written for the first replicates of a sweep point on request
// (`events` in the experiment file), since a million processes believe a million things of each
// death.
//
// Kept are changes only: what the judge hears twice, or from the dead, is not there. Subjects with
// neighbouring ranks of whom one observer comes to believe the same at once make one event. A log
// ends where its limit is reached, with a last event that says so.
//
// Memory: 40 bytes an event, up to the limit.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/runner/outcome.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"

namespace holdfast::runner {

class EventLog {
 public:
  // Keeps nothing of a replicate whose events are not wanted.
  EventLog(const EventsConfig& wanted, std::uint32_t replicate)
      : most_(replicate < wanted.replicates ? wanted.rows : 0) {}

  // In order of time. `observer` is kNoProcess for what happened; `failure` is the index of the
  // failure that it is about, kNoFailure if about none.
  void add(Time at, RawEventKind kind, ProcessId observer, ProcessId subject,
           Incarnation incarnation, std::uint32_t failure);

  std::vector<RawEvent> take() { return std::move(events_); }

 private:
  bool extend(Time at, RawEventKind kind, ProcessId observer, ProcessId subject,
              Incarnation incarnation, std::uint32_t failure);

  std::uint64_t most_;  // besides the event that says that the log ends
  bool ended_ = false;
  std::vector<RawEvent> events_;
};

}  // namespace holdfast::runner
