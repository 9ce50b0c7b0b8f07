// One process of a job that no launcher of ours has started: it meets the others, runs for as long
// as the job is to last, and leaves.
//
// It plays no faults: who wants to see some kills processes or stops them. A death ends nobody
// else; what ends all is the end of whoever keeps the job together (Meeting::lifeline).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/launch/meeting.hpp"
#include "hw/launch/node.hpp"
#include "hw/launch/rail_places.hpp"
#include "hw/run/process_loop.hpp"
#include "stack/base/time.hpp"
#include "stack/seal/seal.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::hw {

struct JoinPlan {
  std::string configuration;    // see engine_program.hpp; the same for all processes
  std::uint64_t seed = 0;       // likewise
  std::uint32_t processes = 0;  // likewise
  Duration duration;            // from the meeting to the end, likewise
  std::optional<JobKey> key;    // if this process was given one
  // Where its frames arrive; the fabric is likewise. No place of sockets: one rail, where the
  // meeting says.
  RailPlaces places;
  Duration patience = seconds(30);              // for the others to come
  std::function<void(const std::string&)> say;  // is given a line for each thing that happens
};

// Whether all processes that the roster has watched by the operating system run on one machine with
// those that watch them; refused, with a sentence, if not.
Met check_places(const Roster& roster, const std::vector<JobMember>& members);
// Where a node has several processes, whether the system lets them watch each other.
Status check_watching(const Roster& roster);

// Failed, with a sentence, if somebody says an address that is not of the job's fabric.
Met check_addresses(JobFabric fabric, const std::vector<JobMember>& members);

// Runs to the end; `end` means something if the process has met the others.
Met run_joined(const JoinPlan& plan, Meeting& meeting, const NodeFactory& factory, LoopEnd& end);

}  // namespace holdfast::hw
