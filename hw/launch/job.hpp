// The processes of a launched job as the launcher handles them: start, wait, signal, reap.
// launcher.cpp plays the plan with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/inject/host_network.hpp"
#include "hw/inject/process_groups.hpp"
#include "hw/launch/end_signals.hpp"
#include "hw/launch/job_limits.hpp"
#include "hw/launch/job_places.hpp"
#include "hw/launch/launcher.hpp"

namespace holdfast::hw {

class Job {
 public:
  Job(const LaunchPlan& plan, LaunchResult& result);
  // Kills whoever is left.
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Of a job with that plan, as long as it runs.
  static JobNeeds needs(const LaunchPlan& plan);

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
  // The first process that ended without being told to or could not write, as an error.
  const Status& failure() const { return failure_; }

  // Give those that there was something to do to.
  std::vector<ProcessId> crash(LaunchTarget target);
  std::vector<ProcessId> restart(LaunchTarget target);
  std::vector<ProcessId> signal(LaunchTarget target, int number);
  // Of a host that is separate.
  void set_rail(LaunchTarget target, bool fails);

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
  std::uint32_t host_of(ProcessId process) const;
  Status separate_hosts(std::vector<std::vector<Address>>& addresses);
  std::vector<ProcessId> processes_of(LaunchTarget target) const;
  bool lives(ProcessId process) const;
  bool restart_one(ProcessId process);
  bool finishing() const { return result_.end != Time{}; }
  void handle_control(ProcessId process);
  void hear(ProcessId process, const Word& word);
  void hear_unwritable(ProcessId process, std::uint32_t length);
  Status create(const ProcessLife& life, const char* extension, mode_t mode, Descriptor& file);
  void reap(ProcessId process);
  void read_log(Child& child, ProcessLife& life);

  const LaunchPlan& plan_;
  LaunchResult& result_;
  Status failure_ = Status::ok();
  JobPlaces places_;
  std::vector<Child> children_;
  ProcessGroups groups_;                  // by host
  std::unique_ptr<HostNetwork> network_;  // null unless hosts are separate
  EndSignals signals_;
  bool going_ = false;  // the job has started
};

}  // namespace holdfast::hw
