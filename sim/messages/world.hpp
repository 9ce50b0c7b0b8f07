// A world of processes whose endpoints send each other messages over simulated rails: the
// endpoints, the networks, the faults, and the clock that jumps from event to event. Its results
// are a function of its options alone.
//
// Beside what befalls the rails it plays the part of whoever drives an endpoint on a real machine:
// it gives it turns, and tells it who lives, late as a failure detector would. What the processes
// want to send and receive is their program's matter.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/messages/world_fault.hpp"
#include "sim/pipe/pipe_network.hpp"
#include "sim/topology/sim_time.hpp"
#include "stack/base/random.hpp"
#include "stack/impair/impaired_fabric.hpp"
#include "stack/reliable/endpoint.hpp"

namespace holdfast::sim {

struct WorldRail {
  PipeOptions pipe;      // `processes` is filled in
  FrameFaults impaired;  // of all that is sent on it, until impaired_until
};

struct WorldOptions {
  std::uint64_t seed = 1;
  std::uint32_t processes = 2;   // >= 2
  std::vector<WorldRail> rails;  // at least one
  Time impaired_until = Time::never();
  // Between what comes and the turn that handles it, >= 0: a process that is busy with other things
  // handles more at a time.
  Duration response;
  // From an end or a beginning of a process until the others are told, each at a moment of its own.
  Duration told_after_min = milliseconds(1);
  Duration told_after_max = milliseconds(1);
  reliable::EndpointOptions endpoint;  // self and incarnation are filled in
  std::vector<WorldFault> faults;
  // Put around each rail of each life, if it is there; the inner fabric outlives what it returns.
  std::function<std::unique_ptr<Fabric>(Fabric& inner, std::size_t rail, ProcessId process)> wrap;
};

// What the processes do. Calls of one process's functions are never nested.
class Program {
 public:
  virtual ~Program() = default;
  virtual void began(ProcessId process, Incarnation life, Time now) = 0;
  // Its requests and their completions are no more.
  virtual void ended(ProcessId process, Incarnation life, Time now) = 0;
  // It is asked after every turn, and may give commands.
  struct Wish {
    bool commanded = false;  // a turn must follow at once
    // > 0: it does something else for so long and takes no turn, once its processor has handled
    // what was posted and what has come; then it is asked again. Commands must come before that.
    Duration computes = {};
    Time next = Time::never();  // to be asked again by then at the latest
  };
  virtual Wish act(ProcessId process, reliable::Endpoint& endpoint, Time now) = 0;
  virtual void completed(ProcessId process, const reliable::Completed& completed, Time now) = 0;
};

class World {
 public:
  // `program` must outlive the world.
  World(const WorldOptions& options, Program& program);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Handles the next event; false if there is none up to `end`, which it then is.
  bool step(Time end);
  Time now() const { return clock_; }
  // Null while the process is down.
  const reliable::Endpoint* endpoint(ProcessId process) const;
  Incarnation incarnation(ProcessId process) const;
  // The life of `other` that `process` has been told of last and that has not been said to be over.
  std::optional<Incarnation> believes(ProcessId process, ProcessId other) const;
  PipeNetwork& network(std::size_t rail) { return *networks_[rail]; }

  // Over all processes and lives.
  reliable::EndpointCounts counts() const;
  FrameFaultCounts impaired() const;
  std::uint64_t frames(PipeFate fate) const;
  // Faults of rails that began when what had been sent again last could not have arrived yet.
  std::uint64_t faults_in_recovery() const { return faults_in_recovery_; }
  // Of everything that happened, in its order: equal for equal runs.
  std::uint64_t digest() const { return digest_; }
  // Not empty: an endpoint has taken turns without end at one moment.
  const std::string& failure() const { return failure_; }

 private:
  struct Process {
    std::vector<std::unique_ptr<ImpairedFabric>> impaired;
    std::vector<std::unique_ptr<Fabric>> wrapped;
    std::vector<Fabric*> rails;
    std::unique_ptr<reliable::Endpoint> endpoint;  // null while down; goes before its rails
    SimTime wake = SimTime::never();  // the earliest wake event that is in the queue for it
    SimTime last_turn{-1};
    SimTime busy_until{};  // it takes no turn before
    std::uint32_t turns_at_once = 0;
    std::uint32_t boots = 0;
    std::uint32_t pauses = 0;
    std::uint64_t resent = 0;
  };
  // What one process is told of another.
  struct News {
    ProcessId to;
    ProcessId of;
    Incarnation life;
    bool over = false;
  };
  enum class FaultState : std::uint8_t { waits, armed, due, on, over };
  class Addresses;

  // The world's own targets, after those of the networks: one for each process's turns, and these.
  static constexpr std::uint32_t kFaultBegins = 0, kFaultEnds = 1, kNews = 2;

  std::uint32_t own_target(std::uint32_t n) const {
    return static_cast<std::uint32_t>(options_.rails.size()) * options_.processes + n;
  }
  void set_now(SimTime now);
  void handle(const QueuedEvent& event);
  void boot(ProcessId id);
  std::vector<Fabric*> make_rails(ProcessId id, Process& process);
  void heal(Process& process);
  void schedule_wake(ProcessId id, Time at);
  void take_turn(ProcessId id);
  void compute(ProcessId id, Duration takes);
  void look_for_recovery(Process& process);
  bool spins(ProcessId id);

  void begin(std::uint32_t fault);
  void mend(std::uint32_t fault);
  void play(const WorldFault& fault, bool begins);
  void play_on_rail(const WorldFault& fault, PipeNetwork& network, bool begins);
  void pause(ProcessId id, bool begins);
  void crash(ProcessId id);
  void keep_counts_of(const Process& process);
  void tell_others(ProcessId of, Incarnation life, bool over);
  void tell(const News& news);
  std::vector<ProcessId> meant(ProcessId process) const;
  void note(std::uint64_t word) { digest_ = mix64(digest_ ^ word); }

  WorldOptions options_;
  Program& program_;
  EventQueue queue_;
  std::vector<std::unique_ptr<PipeNetwork>> networks_;
  std::unique_ptr<Addresses> addresses_;
  std::vector<Process> processes_;
  std::vector<FaultState> faults_;
  std::vector<News> news_;
  std::vector<SimTime> told_at_;  // the last of all news, by to * processes + of
  std::vector<std::optional<Incarnation>> believed_;  // likewise
  Random delays_;
  SimTime now_{};
  Time clock_;
  Time resent_at_ = Time{} - seconds(1000);
  std::uint64_t faults_in_recovery_ = 0;
  std::uint64_t digest_ = 0;
  reliable::EndpointCounts of_ended_lives_;
  FrameFaultCounts impaired_of_ended_lives_;
  Duration least_latency_;
  std::string failure_;
};

}  // namespace holdfast::sim
