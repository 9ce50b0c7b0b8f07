// One picture of a job from what several of its processes show: who is believed what by whom, and
// where they do not agree.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/status/ask_processes.hpp"
#include "hw/status/process_status.hpp"

namespace holdfast::hw {

// The same record, believed by some.
struct Opinion {
  Record record;
  std::vector<ProcessId> by;  // ascending
};

struct MemberStatus {
  ProcessId process;
  NodeId node;
  // The greatest record first: the one that all come to believe when views meet. At least one.
  std::vector<Opinion> opinions;
  std::optional<Time> since;  // the earliest anybody knew of that record

  const Record& record() const { return opinions.front().record; }
  bool disputed() const { return opinions.size() > 1; }
  bool well() const {
    return !disputed() &&
           (record().state == MemberState::alive || record().state == MemberState::left);
  }
};

struct JobStatus {
  std::uint32_t job = 0;
  std::uint32_t processes = 0;
  std::uint32_t nodes = 0;
  std::vector<ProcessStatus> views;   // of those that answered, ascending by process
  std::vector<ProcessId> silent;      // of this machine, but did not answer
  std::vector<MemberStatus> members;  // all, by process; empty if nobody answered

  // Everybody is alive or has left, all agree, and all of this machine have answered.
  bool well() const;
  const ProcessStatus* view_of(ProcessId process) const;  // null: it has not answered
};

// Of answers of one job, none of which is gone; odd ones count as silent.
JobStatus job_status(std::uint32_t job, const std::vector<Answer>& answers);

// What happened between two looks at the same life of a process, or since its start.
struct Rates {
  Duration over;
  double heartbeats_per_s = 0;
  double turns_per_s = 0;
  double frames_sent_per_s = 0;
  double frames_received_per_s = 0;
  double control_cpu = 0;  // of one processor
};
Rates rates(const ProcessStatus* before, const ProcessStatus& after);

}  // namespace holdfast::hw
