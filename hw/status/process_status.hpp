// What one process of a live job shows of itself at one moment: a plain value, made by the thread
// that drives the engine and read by whoever serves or prints it.
//
// Instants are CLOCK_MONOTONIC, which the processes of a machine share; `unix_offset` leads to the
// calendar's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/engine.hpp"
#include "stack/membership.hpp"
#include "stack/reliable/rail_state.hpp"

namespace holdfast::hw {

// What is believed of one process; `since`: absent if it was so from the start.
struct Belief {
  ProcessId process;
  Record record;
  std::optional<Time> since;

  friend bool operator==(const Belief&, const Belief&) = default;
};

// A belief that changed.
struct BeliefMoment {
  Time at;
  ProcessId process;
  Record record;
  bool own_verdict = false;

  friend bool operator==(const BeliefMoment&, const BeliefMoment&) = default;
};

// Beliefs that were verdicts, and those of them that turned out wrong because a process refuted
// them. One that was started anew was dead, so its verdict was none of these.
struct VerdictCounts {
  std::uint64_t own = 0;
  std::uint64_t own_refuted = 0;
  std::uint64_t heard = 0;  // from others
  std::uint64_t heard_refuted = 0;
  std::uint64_t of_us = 0;  // that others held of this process in this boot, and it refuted

  friend bool operator==(const VerdictCounts&, const VerdictCounts&) = default;
};

struct RailStatus {
  std::string kind;     // "udp", …
  std::string address;  // for people; empty if there is none
  bool up = true;
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t bytes_sent = 0;  // of frames, without what the network adds
  std::uint64_t bytes_received = 0;
  std::vector<std::pair<std::string, std::uint64_t>> lost;  // frames by reason

  friend bool operator==(const RailStatus&, const RailStatus&) = default;
};

// A rail that carries messages, to all peers; of each it is judged by itself.
struct MessageRailStatus {
  RailStatus rail;
  std::array<std::uint64_t, reliable::kRailHealths> peers{};  // connected ones, by RailHealth
  // Of those to whom it is not up: the first kNotUpShown, ascending.
  std::vector<std::pair<ProcessId, reliable::RailHealth>> not_up;
  // Smoothed, of those with whom any was measured; absent if there are none.
  std::optional<Duration> round_trip_median;
  std::optional<Duration> round_trip_max;
  std::uint64_t fragments_given_up = 0;  // counted as lost there, and sent again on any rail

  static constexpr std::size_t kNotUpShown = 64;
  friend bool operator==(const MessageRailStatus&, const MessageRailStatus&) = default;
};

struct ProcessStatus {
  std::uint32_t job = 0;
  ProcessId self;
  std::uint32_t processes = 0;
  std::uint32_t nodes = 0;
  std::uint32_t per_node = 1;
  bool by_node = false;  // process r is on node r mod nodes, else on r / per_node
  NodeId node;
  std::int32_t pid = 0;
  Incarnation incarnation;
  bool agent = false;
  bool joining = false;
  bool leaving = false;
  bool fenced = false;

  Time started;
  Time taken;
  Duration unix_offset;  // to be added to an instant: nanoseconds since 1970

  std::uint64_t digest = 0;     // of the view: equal views have equal ones
  std::vector<Belief> beliefs;  // ascending by process; who is not in it lives since the start
  std::vector<BeliefMoment> moments;  // the last ones, oldest first
  VerdictCounts verdicts;

  ProcessId watches = kNoProcess;     // who speaks for the domain that it watches
  ProcessId watched_by = kNoProcess;  // to whom its heartbeats go
  std::optional<Time> heard_at;       // the last heartbeat of whom it watches
  std::optional<Time> verdict_at;     // when its silence becomes a verdict

  FrameCounts sent;  // by purpose
  DropCounts dropped;
  std::vector<RailStatus> rails;
  std::vector<MessageRailStatus> message_rails;  // none: it has sent and received no messages
  std::uint64_t turns = 0;                       // of the engine
  Duration cpu;                                  // of the whole process
  Duration control_cpu;                          // of the thread that drives the engine

  friend bool operator==(const ProcessStatus&, const ProcessStatus&) = default;
};

constexpr std::array<const char*, reliable::kRailHealths> kRailHealthNames{"up", "suspect", "down",
                                                                           "probation"};

// Counters by name, for all who list them.
template <class Counts>
struct NamedCount {
  const char* name;
  std::uint64_t Counts::*count;
};
constexpr std::array<NamedCount<FrameCounts>, 7> kFrameCountNames{
    {{"heartbeat", &FrameCounts::heartbeats},
     {"observe", &FrameCounts::observes},
     {"notice", &FrameCounts::notices},
     {"local_notice", &FrameCounts::local_notices},
     {"repeat", &FrameCounts::repeats},
     {"acknowledgement", &FrameCounts::acknowledgements},
     {"difference", &FrameCounts::differences}}};
constexpr std::array<NamedCount<DropCounts>, 7> kDropCountNames{
    {{"malformed", &DropCounts::malformed},
     {"other_version", &DropCounts::other_version},
     {"unverified", &DropCounts::unverified},
     {"misdelivered", &DropCounts::misdelivered},
     {"outdated", &DropCounts::outdated},
     {"copies", &DropCounts::copies},
     {"refused", &DropCounts::refused}}};

}  // namespace holdfast::hw
