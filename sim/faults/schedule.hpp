// The fault schedule: what breaks and is mended, and when, in the order in which it is played.
//
// It is built from a script, from models, or from a trace of a real cluster. All come down to a
// list of outages and single events; building the schedule sorts them and drops what cannot be
// played: a part that is down already does not fail again. Times are nanoseconds from the start of
// the run.
//
// A *fault* is one thing that happens: a line of the script, a record of the trace, one draw of a
// model. It is played on one or several pieces: a chassis that fails takes all its chips along. A
// piece may be down for several causes, its own and common ones; it is down from the first to the
// end of the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "stack/base/time.hpp"
#include "stack/impair/frame_faults.hpp"

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
  frames,      // likewise of its frame impairments
  rail,        // likewise of its rails; crash: it is cut
};

// What a link does to the frames that cross it.
struct Impairment {
  std::uint32_t link = 0;
  // The direction away from that end of the link, see Link::ends; absent: both.
  std::optional<std::uint32_t> direction;
  double share = 0.0;    // of the frames that are lost, whatever their size; in [0, 1]
  double per_bit = 0.0;  // probability that a bit arrives wrong, in [0, 1)
  std::optional<std::uint8_t> rail = {};  // see FaultedRail

  friend bool operator==(const Impairment&, const Impairment&) = default;
};

// A piece of the job or the fabric.
struct FaultPart {
  FaultTarget target = FaultTarget::process;
  std::uint32_t index = 0;

  friend bool operator==(const FaultPart&, const FaultPart&) = default;
};

// What happens to frames between parts of the job, whatever way they take (fault_windows.hpp).
struct FrameImpairment {
  FaultPart of;                 // a process, or a node with all its processes
  std::optional<FaultPart> to;  // on the other side; absent: everybody else
  bool one_way = false;         // only frames that leave `of`
  FrameFaults faults;
  std::optional<std::uint8_t> rail = {};  // see FaultedRail

  friend bool operator==(const FrameImpairment&, const FrameImpairment&) = default;
};

// One of several rails of a host, which only real ones have: the simulated fabric is one rail.
struct FaultedRail {
  FaultPart of;           // an adapter or a link of the host
  std::uint8_t rail = 0;  // which of its rails, from 0

  friend bool operator==(const FaultedRail&, const FaultedRail&) = default;
};

constexpr std::uint32_t kNoEntry = 0xffff'ffff;

// A fault as a whole.
struct Fault {
  std::uint32_t entry = kNoEntry;  // which line or model of the script; kNoEntry: of a trace
  std::uint32_t part = 0;          // which of its parts; of a trace the index of the piece
  FaultTarget target = FaultTarget::process;  // of its first piece
  FaultAction action = FaultAction::crash;    // as it begins
  Time at;                                    // it begins
  std::optional<Time> until;                  // it ends; absent: not within any run
  std::uint32_t times = 0;                    // how often it came: more than once if it flaps
  std::uint32_t pieces = 0;  // that went down by it; 0: what it is about was down already

  friend bool operator==(const Fault&, const Fault&) = default;
};

constexpr std::uint32_t kNoFault = 0xffff'ffff;

struct FaultEvent {
  Time at;
  FaultAction action = FaultAction::crash;
  FaultTarget target = FaultTarget::process;
  // Rank of the process, index of the host; of anything else its number.
  std::uint32_t index = 0;
  // Which line of the script, record of the trace or draw of a model asked for it; a repair names
  // the record of the outage that it ends.
  std::size_t record = 0;
  Duration delay = {};  // of slow, > 0

  friend bool operator==(const FaultEvent&, const FaultEvent&) = default;
};

// Whether it happens to processes; to the fabric, or a rail of it; or to neither, but to frames.
inline bool is_of_job(const FaultEvent& fault) {
  return fault.target == FaultTarget::process || fault.target == FaultTarget::node;
}
inline bool is_of_fabric(const FaultEvent& fault) {
  return !is_of_job(fault) && fault.target != FaultTarget::frames;
}

// Ordered by time; at equal times in the order of the script or trace.
struct FaultSchedule {
  std::vector<FaultEvent> events;
  std::vector<Impairment> impairments;
  std::vector<FrameImpairment> frame_impairments;
  std::vector<FaultedRail> rails;
  std::vector<Fault> faults;                   // in the order in which they were added
  std::vector<std::uint32_t> fault_of_record;  // kNoFault: of an event that only ends something
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
  Duration delay = {};             // of slow, > 0
  std::uint32_t fault = kNoFault;  // see add_fault; kNoFault: it is one by itself
  std::uint64_t cause = 0;         // that takes the piece along; 0: its own
};

// Collects outages and single events, then makes the schedule.
//
// A crash of a part that is down already for the same cause is counted and otherwise ignored
// together with its own end: the part comes back when the outage that was played ends, even if the
// ignored one would have lasted longer. For another cause it stays down until both are over; that
// is no event, and not counted. An outage that begins at the instant at which another of the same
// part ends is played. Processes and nodes are separate parts here: that the crash of a node finds
// some of its processes dead is for the one who plays the schedule.
class ScheduleBuilder {
 public:
  // Records of what is added from now on are counted from `first`: a script and a trace in one
  // schedule keep apart.
  void number_records_from(std::size_t first) { first_record_ = first; }

  void add(const Outage& outage);

  // The number by which outages say that they are of this fault. Its times are found by build.
  std::uint32_t add_fault(std::uint32_t entry, std::uint32_t part);

  // The index by which outages call it.
  std::uint32_t add_impairment(const Impairment& impairment);
  std::uint32_t add_impairment(const FrameImpairment& impairment);
  std::uint32_t add_rail(const FaultedRail& rail);

  // A single event; a repair or resume ends whatever outages are open then.
  void add_event(const FaultEvent& event);

  // One more than the largest record so far.
  std::size_t end_of_records() const;

  FaultSchedule build() const;

 private:
  struct Entry {
    FaultEvent event;
    std::uint64_t cause = 0;
    std::uint32_t fault = kNoFault;
    bool ends_any = false;  // a repair that does not belong to one crash
  };
  // Why a part is down.
  struct Reason {
    std::uint64_t cause;
    std::size_t record;
    std::uint32_t fault;
  };
  struct Down {
    std::size_t played = 0;  // the record of the crash that was
    std::vector<Reason> reasons;
  };
  using DownParts = std::map<std::pair<FaultTarget, std::uint32_t>, Down>;

  void begin(std::uint32_t fault, const FaultEvent& event);
  void set_fault(std::size_t record, std::uint32_t fault);
  // Whether the event is played; a repair gets the record of the crash that was.
  static bool crashes(const Entry& entry, DownParts& down, FaultSchedule& schedule);
  static bool mends(Entry& entry, DownParts& down, FaultSchedule& schedule);

  std::vector<Entry> entries_;
  std::vector<Impairment> impairments_;
  std::vector<FrameImpairment> frame_impairments_;
  std::vector<FaultedRail> rails_;
  std::vector<Fault> faults_;
  std::vector<Time> latest_begins_;  // beside faults_
  std::vector<std::uint32_t> fault_of_record_;
  std::size_t first_record_ = 0;
};

}  // namespace holdfast::sim
