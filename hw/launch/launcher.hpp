// Starts the processes of a job on this machine, plays a fault schedule against them, and gathers
// what they came to believe.
//
// Addresses. Over sockets the launcher binds one loopback UDP port per process and keeps it for the
// job, so that a restarted process is found where it was, and nobody else gets the port meanwhile.
// Its own socket there is connected to itself: the kernel then gives it no frame of anyone else, so
// the frames for a dead process are refused as they would be without it. Over adapters it gives
// each host a port, hears from each process the number of its queue pair, and keeps these in the
// table of processes; a restarted process has another.
//
// Ends. Every process dies with the launcher (PR_SET_PDEATHSIG, and its control socket ends), even
// if that is killed by SIGKILL; the parent-death signal follows the thread, so the thread that
// calls launch() must be the one that waits for it, which it is. SIGINT, SIGTERM and SIGHUP end a
// launch early and in order.
//
// All times are CLOCK_MONOTONIC, which all processes of a machine share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/inject/host_network.hpp"
#include "hw/launch/job_fabric.hpp"
#include "hw/run/event_log.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"
#include "stack/impair/fault_window.hpp"
#include "stack/impair/frame_faults.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::hw {

enum class LaunchAction : std::uint8_t {
  crash,    // SIGKILL
  restart,  // the same rank, with the next boot
  pause,    // SIGSTOP
  resume,   // SIGCONT
  fail,     // of a rail: the fault begins
  mend,     // of a rail: it ends
};

// To whom it happens.
struct LaunchTarget {
  enum class Kind : std::uint8_t {
    process,
    host,  // all its processes, at once
    rail,  // of the host
  };
  std::uint32_t index = 0;  // rank, or number of the host
  Kind kind = Kind::process;
  RailFault fault = RailFault::cut;  // of a rail
  std::uint32_t rail = kAllRails;    // which of the host's

  static constexpr std::uint32_t kAllRails = 0xffff'ffff;
};

struct PlannedAction {
  Duration at;  // after the start of the job
  LaunchAction action = LaunchAction::crash;
  LaunchTarget target;
  std::uint64_t tag = 0;  // the caller's
};

struct LaunchPlan {
  std::string program;                 // path of the executable
  std::vector<std::string> arguments;  // that make it call node_main
  std::string configuration;           // given to every process as it is
  std::uint64_t seed = 0;              // likewise
  std::optional<JobKey> key = {};      // of the job; absent: one is drawn
  std::uint32_t processes = 0;         // >= 1
  // By process, numbers from 0; empty: each is on a host of its own.
  std::vector<std::uint32_t> host_of = {};
  // The hosts are network namespaces, each with rails that may fail (UDP and TCP only); false: all
  // are this machine, on its loopback.
  bool separate_hosts = false;
  std::uint32_t rails = 1;  // of each process, 1 … HostNetwork::kRailsMax; 1 on shared memory
  JobFabric fabric = JobFabric::udp;
  FrameFaults faults = {};                // of every frame that a process sends
  std::vector<FaultWindow> windows = {};  // what happens to frames by plan, whoever sends them
  std::vector<PlannedAction> actions;  // ascending by time; those at or after the end are not done
  Duration duration;
  // Where event logs, and recordings if wanted, are kept, as process-R.boot-B.csv and .recording;
  // it must exist, and these files must not. Empty: logs are kept in memory, recordings impossible.
  std::string folder;
  bool record = false;
  Duration patience = seconds(30);   // for all processes to be ready
  Duration grace = seconds(5);       // from SIGTERM to SIGKILL at the end
  std::function<void()> begun = {};  // if given, called when all processes have been let go
};

// A planned action as it was done.
struct DoneAction {
  PlannedAction planned;
  Time at;  // just before the signal, or before the new process was made
  // Whom it was done to; none of a rail, or if there was nothing to do, such as the crash of what
  // is dead already.
  std::vector<ProcessId> processes;
};

// One life of one process.
struct ProcessLife {
  ProcessId process;
  std::uint32_t boot = 0;
  std::int32_t pid = 0;
  Time started;
  std::optional<Time> crashed;      // by a planned action
  Time ended;                       // when the launcher learned of it
  int wait_status = 0;              // of waitpid
  bool killed_at_end = false;       // it did not heed SIGTERM
  std::vector<BeliefEvent> events;  // up to LaunchResult::end
  std::string notes;
};

struct LaunchResult {
  Time start;  // of the job
  Time end;
  bool interrupted = false;         // by a signal to the launcher
  bool unwritable = false;          // a log or a recording, so there is an error
  std::vector<DoneAction> actions;  // in their order
  std::vector<ProcessLife> lives;   // in order of their starts
};

// Compares what the plan needs with the limits of this system, and raises those that may be; see
// job_limits.hpp. Of the plan the processes, their hosts, rails and fabric count.
Status make_room(const LaunchPlan& plan);

// Runs the plan. An error: a process could not be started, was not ready in time, or ended without
// being told to; a log or a recording could not be written; or the system refused something. No
// process of the job is left in any case.
Status launch(const LaunchPlan& plan, LaunchResult& result);

}  // namespace holdfast::hw
