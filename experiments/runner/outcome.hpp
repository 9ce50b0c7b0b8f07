// What one replicate of one sweep point found: the rows of results.csv and failures.csv. Nothing
// here is measured in wall time; that goes to run.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stack/base/time.hpp"

namespace holdfast::runner {

// One failure of the script or trace, and how the job learned of it.
struct FailureOutcome {
  Time at;                      // the crash
  std::string what;             // "process" or "node"
  std::string which;            // rank, or the host's name
  std::uint32_t processes = 0;  // how many live processes it ended; 0: the part was down already
  std::optional<Duration> detection;    // crash to first correct verdict; absent: none before the
                                        // repair or the end
  std::optional<Duration> propagation;  // first verdict to the last live process; absent likewise
  std::optional<Time> repaired_at;
  std::optional<Duration> rejoin;  // repair until every live process believes it alive again
  std::uint64_t missed = 0;  // live processes that do not know at the end, if it is still down
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
  std::uint64_t records_while_down = 0;    // failures of parts that were down already
  std::uint64_t false_verdicts = 0;        // verdicts on processes that were alive and reachable
  std::uint64_t unreachable_verdicts = 0;  // see judge.hpp
  std::uint64_t missed =
      0;  // (failure, live process) pairs in which the process does not know at the end
  std::uint64_t mistakes = 0;               // see judge.hpp
  std::vector<Duration> mistake_durations;  // of those that ended
  std::uint64_t lived_ms = 0;               // all processes together
  std::uint64_t frames_lost = 0;
  MessageCounts messages;
  std::optional<PacketOutcomes> packets;  // absent at message fidelity and on real fabrics
  std::uint64_t state_hash = 0;           // of every engine at the end: for comparing runs
  // For run.json only, not results:
  std::uint64_t events = 0;              // processed by the simulator
  std::uint64_t heartbeats_skipped = 0;  // advanced over by steady(); part of messages.heartbeats
};

}  // namespace holdfast::runner
