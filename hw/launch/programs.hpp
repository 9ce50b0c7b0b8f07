// Starts programs as the processes of a job on this machine, tells each that asks its place, and
// sees them to their ends. What they do is their own; a death ends nobody else.
//
// The job begins when all its processes have joined (include/holdfast/holdfast.h). What the
// launcher has started dies with it, even if that is killed (see launcher.hpp), and so does a
// process that has joined, whoever stands between. Each child leads a process group, which ends
// with it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/launch/job_fabric.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::hw {

// Names the inherited descriptors to the library: "control=3 table=5".
inline constexpr const char* kLauncherVariable = "HOLDFAST_LAUNCHER";

struct ProgramPlan {
  std::string path;
  std::vector<std::string> arguments;
  std::string configuration;       // see engine_program.hpp
  std::uint64_t seed = 0;          // of what processes draw: their phases
  std::optional<JobKey> key = {};  // of the job; absent: one is drawn
  std::uint32_t processes = 0;     // >= 1
  JobFabric fabric = JobFabric::udp;
  std::uint32_t rails = 1;      // of each process, for frames and for messages; of UDP and TCP more
  std::uint32_t per_node = 1;   // processes that are next to each other by rank, >= 1
  Duration grace = seconds(5);  // from SIGTERM to SIGKILL when the job is stopped
};

// How a process ended.
struct ProgramEnd {
  ProcessId process;
  std::int32_t pid = 0;
  int wait_status = 0;  // of waitpid
  bool joined = false;
  bool left = false;     // in order, before it ended
  bool stopped = false;  // by the launcher

  // 0 if it ended well: by itself with status 0, and after leaving if it had joined. Else its exit
  // status, 128 + n after signal n, or 1 for one who ended with 0 without leaving.
  int exit_status() const;
};

struct ProgramsResult {
  int signal = 0;                // to the launcher, which stopped the job; 0: none
  std::vector<ProgramEnd> ends;  // in their order
};

// Compares what the job needs with the limits of this system, and raises those that may be; see
// job_limits.hpp.
Status make_room(const ProgramPlan& plan);

// Runs the job to the end of its last process; `ended` is called for each as it ends. SIGINT,
// SIGTERM and SIGHUP stop it: SIGTERM to all, SIGKILL after the grace or at the next of these
// signals. An error: a process could not be started, or ended before the job began; then no process
// is left either.
Status run_programs(const ProgramPlan& plan, const std::function<void(const ProgramEnd&)>& ended,
                    ProgramsResult& result);

}  // namespace holdfast::hw
