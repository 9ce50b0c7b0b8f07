// A simulated job: an engine for every process, the network between them, the faults, and the clock
// that jumps from event to event.
//
// Quiet time is skipped exactly. When every engine says that it is steady, all views are equal and
// true, and no frame is under way, then the next period is like the last one, and n of them can be
// added to every state and to every pending event at once. Nothing in the results can tell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/engine/huge_array.hpp"
#include "sim/fabric/message_network.hpp"
#include "sim/fabric/packet_carrier.hpp"
#include "sim/faults/fabric_damage.hpp"
#include "sim/faults/schedule.hpp"
#include "sim/oracle/witness.hpp"
#include "sim/run/fault_windows.hpp"
#include "sim/topology/path_times.hpp"
#include "stack/engine.hpp"
#include "stack/impair/impaired_fabric.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::sim {

struct SimulationOptions {
  std::uint64_t seed = 1;
  Duration duration;                    // > 0
  bool skip_quiet_time = true;          // never while anything may happen to a frame
  FrameFaults impaired;                 // what happens to every frame, loss < 1
  Time impaired_until = Time::never();  // from then on nothing does but by the schedule
  Duration local_latency = nanoseconds(500);
  // At packet fidelity, else null; how the fabric is built and routed, which must outlive the
  // simulation. With traffic no time is quiet.
  const PacketCarrierOptions* packets = nullptr;
  const FabricGraph* graph = nullptr;
  const Forwarding* forwarding = nullptr;
  // Only for a schedule with faults of the fabric: how it is routed; must outlive the simulation.
  const Routing* routing = nullptr;
  SubnetManagerOptions subnet_manager;
  // Of every process; self, incarnation and phase are filled in.
  EngineOptions engine;
};

class Simulation {
 public:
  // Everything referred to must outlive the simulation. The roster's nodes are hosts of `paths`;
  // the schedule's indices are nodes and processes of the roster.
  Simulation(const SimulationOptions& options, const Roster& roster, const PathTimes& paths,
             const FaultSchedule& faults, Witness& witness);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Runs to the end of the duration.
  void run();
  // Handles the next event; false at the end of the duration. For oracles that look in between.
  bool step() { return step(1); }
  // The next `events` of them, at least one.
  bool step(std::uint64_t events);

  Time now() const { return clock_; }
  // Null while the process is down.
  const Engine* engine(ProcessId process) const;

  // Over all processes and all their lives.
  FrameCounts frame_counts() const;
  std::uint64_t state_hash() const;
  std::uint64_t events() const { return events_; }
  // Of all processes: what any of them believes changes in a turn only.
  std::uint64_t turns() const { return turns_; }
  std::uint64_t heartbeats_skipped() const { return heartbeats_skipped_; }
  std::uint64_t frames_lost() const;
  // What `impaired` and the schedule's frame impairments did; the lost are among frames_lost().
  FrameFaultCounts frame_faults() const;
  // That came and were not taken, see DropCounts::rejected.
  std::uint64_t frames_rejected() const;
  // Null at message fidelity.
  const PacketCarrier* carrier() const { return carrier_.get(); }

  // Whether damage to the fabric took a frame between the nodes of the two, or the schedule let
  // none through between them, so recently that a verdict of one on the other follows from it:
  // within two timeouts and two periods, the longest that an observer waits for a first heartbeat,
  // and the hold of its verdict.
  bool kept_apart(ProcessId a, ProcessId b) const;

 private:
  // With its engine in place, so that the queue's target says where the engine is. A heartbeat
  // touches the first kHotBytes, which are whole cache lines.
  struct alignas(64) Process {
    SimTime wake = SimTime::never();  // the earliest wake event that is in the queue for it
    std::uint32_t boots = 0;
    ProcessId last_receiver{0};  // of its last frame; a guess at the next
    bool up = false;
    bool paused = false;
    bool impeded = false;          // paused or slow
    bool is_impaired = false;      // `impaired` is there
    std::optional<Engine> engine;  // while up; its own flag lies behind it
    std::unique_ptr<ImpairedFabric> impaired;
    Duration delay;                  // while slow: between what is due and the turn, > 0
    SimTime due = SimTime::never();  // while slow: when it gets to what came first
  };
  static constexpr std::size_t kHotBytes = 256;
  // A moment since which it is quiet, and the frames until then.
  struct QuietSince {
    SimTime at;
    PacketCounts frames;
  };
  class Addresses;

  std::unique_ptr<ImpairedFabric> impaired(ProcessId process, Fabric& rail);
  bool impairing() const { return options_.impaired.any() && now() < options_.impaired_until; }
  void set_now(SimTime now) {
    now_ = now;
    clock_ = Time{} + round_up(now);
    network_.set_now(now, clock_);
  }
  void boot(ProcessId process, bool rejoining);
  bool handle_next();
  bool gets_to_it(ProcessId id, Process& process);
  void take_turn(ProcessId id, Process& process);
  void turn(ProcessId id, Process& process);
  void turn_unless_impeded(ProcessId id, Process& process);
  bool step_packets();
  const QueuedEvent* wake_ahead(int wakes) const;
  void prefetch_upcoming() const;
  void prefetch_arrival() const;
  void prefetch_packets() const;
  void prefetch(ProcessId process) const;
  void schedule_wake(ProcessId id, Process& process, Time at);
  void push_wake(SimTime at, ProcessId id, const Process& process);
  void play(const FaultEvent& fault);
  void play_on_fabric(const FaultEvent& fault);
  void expect_new_tables();
  void set_paused(Process& process, bool paused);
  void set_slow(Process& process, Duration delay);
  void crash(const FaultEvent& fault, std::span<const ProcessId> processes);
  void repair(const FaultEvent& fault, std::span<const ProcessId> processes);
  std::vector<ProcessId> concerned(const FaultEvent& fault) const;
  void put_off_skipping();
  void skip_if_quiet();
  bool one_period_is_known();
  bool quiet() const;
  void skip(std::uint64_t periods);
  SimTime next_external() const;

  SimulationOptions options_;
  const Roster& roster_;
  const FaultSchedule& faults_;
  const std::vector<FaultWindow> windows_;  // of the schedule
  const Silences silences_;
  Witness& witness_;
  EventQueue queue_;
  MessageNetwork network_;
  std::unique_ptr<PacketCarrier> carrier_;  // only at packet fidelity
  std::unique_ptr<Addresses> addresses_;
  Workspace workspace_;
  // The receive slots of every engine: a rail fills them when it is polled, and by the end of that
  // turn they are its own again, so like the workspace they hold nothing between turns.
  std::vector<FrameSlot> slots_;
  HugeArray<Process> processes_;
  SimTime now_{};
  Time clock_;  // the same on the stack's clock
  SimTime end_{};
  SimTime next_skip_attempt_{};
  std::optional<QuietSince> quiet_since_;  // at packet fidelity
  std::size_t next_fault_ = 0;
  std::uint32_t impeded_ = 0;
  std::uint32_t open_windows_ = 0;
  std::unique_ptr<FabricDamage> damage_;        // only with faults of the fabric
  SimTime expected_tables_ = SimTime::never();  // when the last kNewTables event is due
  std::uint64_t events_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t heartbeats_skipped_ = 0;
  FrameFaultCounts faults_of_ended_lives_;
  std::uint64_t rejected_by_ended_lives_ = 0;
  FrameCounts of_ended_lives_;
};

}  // namespace holdfast::sim
