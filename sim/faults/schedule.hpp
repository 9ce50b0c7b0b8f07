// The fault schedule: what breaks and is mended, and when, in the order in which it is played.
//
// It is built from a script, from models, or from a trace of a real cluster. All come down to a
// list of outages and single events; building the schedule sorts them and drops what cannot be
// played: a part that is down already does not fail again. Times are nanoseconds from the start of
// the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stack/base/time.hpp"

namespace holdfast::sim {

enum class FaultAction : std::uint8_t {
  crash,
  repair,
  pause,
  resume,
  slow,    // whatever it is to do, it does so `delay` later
  normal,  // no longer slow
};
enum class FaultTarget : std::uint8_t {
  process,
  node,        // all its processes at once
  link,        // of the fabric; both directions
  device,      // of the fabric: a switch chip or an adapter
  impairment,  // an entry of the schedule's impairments; crash: it begins, repair: it ends
};

// What a link does to the frames that cross it.
struct Impairment {
  std::uint32_t link = 0;
  // The direction away from that end of the link, see Link::ends; absent: both.
  std::optional<std::uint32_t> direction;
  double share = 0.0;    // of the frames that are lost, whatever their size; in [0, 1]
  double per_bit = 0.0;  // probability that a bit arrives wrong, in [0, 1)

  friend bool operator==(const Impairment&, const Impairment&) = default;
};

struct FaultEvent {
  Time at;
  FaultAction action = FaultAction::crash;
  FaultTarget target = FaultTarget::process;
  // Rank of the process, index of the host; link, device or impairment: its number.
  std::uint32_t index = 0;
  // Which line of the script, record of the trace or draw of a model asked for it; a repair names
  // the record of the outage that it ends.
  std::size_t record = 0;
  Duration delay = {};  // of slow, > 0

  friend bool operator==(const FaultEvent&, const FaultEvent&) = default;
};

// Ordered by time; at equal times in the order of the script or trace.
struct FaultSchedule {
  std::vector<FaultEvent> events;
  std::vector<Impairment> impairments;
  std::size_t records_while_down = 0;  // crashes of parts that were down already: not played
  std::size_t repairs_while_up = 0;    // repairs of parts that were not down: not played

  friend bool operator==(const FaultSchedule&, const FaultSchedule&) = default;
};

// The same schedule for times that are known to the minute only: each event of a record in
// [first_record, end_record) moves to an instant within its minute, drawn from (seed, part,
// minute). Two events of one part in one minute stay together, so no outage ends before it begins.
// Without it, every fault of a trace would come at second zero, in step with the heartbeats of
// whoever was restarted then.
FaultSchedule drawn_within_minutes(const FaultSchedule& schedule, std::size_t first_record,
                                   std::size_t end_record, std::uint64_t seed);

// One part is down (crash), stopped (pause) or slow from `at` until `until`; absent: to the end of
// the run.
struct Outage {
  Time at;
  std::optional<Time> until;                // not before `at`
  FaultAction action = FaultAction::crash;  // crash, pause or slow
  FaultTarget target = FaultTarget::process;
  std::uint32_t index = 0;
  std::size_t record = 0;
  Duration delay = {};  // of slow, > 0
};

// Collects outages and single events, then makes the schedule.
//
// A crash of a part that is down already is counted and otherwise ignored together with its own
// end: the part comes back when the outage that was played ends, even if the ignored one would have
// lasted longer. An outage that begins at the instant at which another of the same part ends is
// played. Processes and nodes are separate parts here: that the crash of a node finds some
// of its processes dead is for the one who plays the schedule.
class ScheduleBuilder {
 public:
  // Records of what is added from now on are counted from `first`: a script and a trace in one
  // schedule keep apart.
  void number_records_from(std::size_t first) { first_record_ = first; }

  void add(const Outage& outage);

  // The index by which outages call it.
  std::uint32_t add_impairment(const Impairment& impairment);

  // A single event; a repair or resume ends whatever outage is open then.
  void add_event(const FaultEvent& event);

  // One more than the largest record so far.
  std::size_t end_of_records() const;

  FaultSchedule build() const;

 private:
  struct Entry {
    FaultEvent event;
    bool ends_any = false;  // a repair that does not belong to one crash
  };
  std::vector<Entry> entries_;
  std::vector<Impairment> impairments_;
  std::size_t first_record_ = 0;
};

}  // namespace holdfast::sim
