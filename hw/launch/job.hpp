// The processes of a launched job as the launcher handles them: start, wait, signal, reap.
// launcher.cpp plays the plan with it.
#pragma once

#include <signal.h>

#include <string>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/launch/assignment.hpp"
#include "hw/launch/launcher.hpp"
#include "hw/launch/process_table.hpp"
#include "hw/launch/reserved_port.hpp"

namespace holdfast::hw {

class Job {
 public:
  Job(const LaunchPlan& plan, LaunchResult& result);
  // Kills whoever is left.
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Ports, table, key; takes over the signals that end a launch.
  Status prepare();
  Status start(ProcessId process, std::uint32_t boot);
  // True if every process says that it is ready; else those that are not must be waited for.
  bool all_ready() const;
  // Tells a process that is ready when the job starts, or has started.
  void let_go(ProcessId process);
  void let_all_go();

  // Handles what happens until then: ends, readiness, a signal to the launcher (which ends the
  // wait). Also ends when `or_ready` and all are ready.
  void wait(Time until, bool or_ready = false);
  bool interrupted() const { return result_.interrupted; }
  // The first process that ended without being told to, as an error.
  const Status& failure() const { return failure_; }

  // False if there is nothing to do.
  bool crash(ProcessId process);
  bool restart(ProcessId process);
  bool signal(ProcessId process, int number);

  // SIGTERM, patience, SIGKILL; then every process is reaped.
  void finish();

 private:
  enum class Phase : std::uint8_t { absent, starting, ready, running, dying };
  struct Child {
    Phase phase = Phase::absent;
    std::size_t life = 0;  // in result_.lives
    Descriptor process;    // pidfd
    Descriptor control;
    Descriptor log;
  };

  Status open_log(ProcessLife& life, Child& child);
  std::string file_of(const ProcessLife& life, const char* extension) const;
  bool anyone_left() const;
  bool finishing() const { return result_.end != Time{}; }
  void handle_control(ProcessId process);
  void reap(ProcessId process);
  void read_log(Child& child, ProcessLife& life);

  const LaunchPlan& plan_;
  LaunchResult& result_;
  Status failure_ = Status::ok();
  std::vector<ReservedPort> ports_;
  ProcessTable table_;
  Assignment common_;  // of every process; self and boot are filled in
  std::vector<Child> children_;
  Descriptor signals_;
  sigset_t mask_before_{};
  bool masked_ = false;
  bool going_ = false;  // the job has started
};

}  // namespace holdfast::hw
