// What one replicate of one sweep point found: the rows of results.csv and failures.csv. Nothing
// here is measured in wall time; that goes to run.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"

namespace holdfast::runner {

// One failure of the script or trace, and how the job learned of it.
struct FailureOutcome {
  Time at;                      // the crash
  std::string what;             // "process" or "node"
  std::string which;            // rank, or the host's name
  std::uint32_t processes = 0;  // how many live processes it ended; 0: the part was down already
  std::optional<Duration> suspicion;    // crash until anybody suspects it or believes it failed;
                                        // absent like detection
  std::optional<Duration> detection;    // crash to first correct verdict; absent: none before the
                                        // repair or the end
  std::optional<Duration> propagation;  // first verdict to the last live process; absent likewise
  std::optional<Time> repaired_at;
  std::optional<Duration> rejoin;  // repair until every live process believes it alive again
  std::uint64_t missed = 0;  // live processes that do not know at the end, if it is still down
};

// One fault of the script, a model or a trace: what happened, whether or not anybody noticed.
struct FaultOutcome {
  Time at;
  std::optional<Time> until;  // its end; absent: not within any run
  std::string source;         // "script", "model" or "trace"
  std::int64_t entry = -1;    // which of `failures`; -1: of a trace
  std::string what;           // the word of the experiment file
  std::string which;          // the part's name
  std::string effect;         // "crash", "flap", "pause", "slow" or "impair"
  std::uint32_t times = 0;    // how often it came; more than once if it flaps
  std::uint32_t pieces =
      0;  // processes, nodes, links or devices that it took along; 0: down already
  std::uint32_t ended = 0;  // domains, see fault_log.hpp
};

// A cut, see fault_log.hpp. Beliefs are those at the healing, or at the end if it never healed.
struct CutOutcome {
  Time at;
  std::uint32_t fault = 0;  // that made it: its row among the replicate's faults
  std::string nodes;        // that were cut off, by their indices: "3 7-9"
  std::uint32_t cut_off = 0;
  std::uint32_t others = 0;  // nodes on the other side
  std::optional<Duration>
      others_knew;  // from the cut until each of them believed all cut off failed
  std::optional<Duration> cut_off_knew;  // the other way round
  std::optional<Time> healed_at;
  std::uint64_t pairs = 0;                // of live processes, one of each side
  std::uint64_t believed_by_others = 0;   // pairs in which the one there believes the other failed
  std::uint64_t believed_by_cut_off = 0;  // the other way round
  std::optional<Duration> reconciled;     // from the healing
};

enum class RawEventKind : std::uint8_t {
  crash,      // the subjects ended
  repair,     // they started again
  failed,     // `process` came to believe that they failed
  alive,      // … or that they live after all
  suspected,  // `process` has not heard of them for too long, but holds its verdict
  trusted,    // … and has heard of them before it told the verdict
  ends_here,  // the limit is reached: nothing after this is written
};

constexpr std::uint32_t kNoFailure = 0xffff'ffff;

// Something that happened, or that a process came to believe, see event_log.hpp.
struct RawEvent {
  Time at;
  RawEventKind kind = RawEventKind::crash;
  ProcessId process = kNoProcess;  // whose belief; none of what happened
  ProcessId first = kNoProcess;    // of the subjects, with `last` the last of them
  ProcessId last = kNoProcess;
  Incarnation incarnation{};           // the life of the subjects that is meant
  std::uint32_t failure = kNoFailure;  // of the replicate, if it is about one

  friend bool operator==(const RawEvent&, const RawEvent&) = default;
};

// Frames sent by all processes, by purpose.
struct MessageCounts {
  std::uint64_t heartbeats = 0;
  std::uint64_t observes = 0;       // requests to a new emitter
  std::uint64_t notices = 0;        // first transmissions along the propagation topology
  std::uint64_t local_notices = 0;  // agent to the processes of its node and back
  std::uint64_t repeats = 0;        // notices sent again for want of an acknowledgement
  std::uint64_t acknowledgements = 0;
  std::uint64_t differences = 0;  // answers to an unlike digest, probes, joins

  friend bool operator==(const MessageCounts&, const MessageCounts&) = default;
};

// What became of frames on their way, as the fabric's faults have it, and of those that came.
struct FrameOutcome {
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t truncated = 0;
  std::uint64_t reordered = 0;  // sent before others that are late
  std::uint64_t delayed = 0;
  std::uint64_t rejected = 0;  // came, and were not taken: see DropCounts::rejected

  friend bool operator==(const FrameOutcome&, const FrameOutcome&) = default;
};

// Packets of one kind on a simulated fabric, at packet fidelity. Offered are those that were sent
// and those that were refused; of those that were sent, who is neither delivered nor dropped is
// under way at the end.
struct PacketOutcome {
  std::uint64_t offered = 0;
  std::uint64_t refused = 0;  // for want of room in the sender's adapter
  std::uint64_t delivered = 0;
  std::uint64_t dropped_queue_full = 0;  // drop-tail
  std::uint64_t dropped_too_old = 0;     // head-of-queue lifetime
  std::uint64_t dropped_no_route = 0;
  std::uint64_t dropped_fault = 0;  // dead and impaired links
  Duration latency_mean;            // of the delivered: from the send to the last bit
  Duration latency_max;

  friend bool operator==(const PacketOutcome&, const PacketOutcome&) = default;
};

struct PacketOutcomes {
  PacketOutcome control;  // frames of the job between nodes
  PacketOutcome traffic;  // in the background, without the victims
  PacketOutcome victim;   // of incasts

  friend bool operator==(const PacketOutcomes&, const PacketOutcomes&) = default;
};

struct Outcome {
  std::uint32_t processes = 0;
  std::uint32_t nodes = 0;
  std::vector<FailureOutcome> failures;    // in order of time
  std::vector<FaultOutcome> faults;        // in order of time
  std::vector<CutOutcome> cuts;            // in order of time
  std::vector<RawEvent> raw_events;        // in order of time; empty unless asked for
  std::uint64_t records_while_down = 0;    // failures of parts that were down already
  std::uint64_t false_verdicts = 0;        // verdicts on processes that were alive and reachable
  std::uint64_t unreachable_verdicts = 0;  // see judge.hpp
  std::uint64_t missed =
      0;  // (failure, live process) pairs in which the process does not know at the end
  std::uint64_t mistakes = 0;               // see judge.hpp
  std::vector<Duration> mistake_durations;  // of those that ended
  std::uint64_t lived_ms = 0;               // all processes together
  FrameOutcome frames;
  MessageCounts messages;
  std::optional<PacketOutcomes> packets;  // absent at message fidelity and on real fabrics
  std::uint64_t state_hash = 0;           // of every engine at the end: for comparing runs
  // For run.json only, not results:
  std::uint64_t events = 0;              // processed by the simulator
  std::uint64_t heartbeats_skipped = 0;  // advanced over by steady(); part of messages.heartbeats
};

}  // namespace holdfast::runner
