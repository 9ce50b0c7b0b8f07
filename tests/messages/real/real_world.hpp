// A scenario's processes on real rails, all in one thread: each with an endpoint over fabrics of
// this machine, whose ports have faults (faulty_port.hpp) and whose frames are impaired
// (stack/impair), by the clock of the machine. Beside what befalls the rails it plays the part of
// whoever drives an endpoint, as sim::World does: it gives turns, and tells who lives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/messages/world.hpp"
#include "stack/address_book.hpp"
#include "stack/impair/impaired_fabric.hpp"
#include "stack/reliable/endpoint.hpp"
#include "tests/messages/lives.hpp"
#include "tests/messages/real/faulty_port.hpp"
#include "tests/messages/real/real_rail.hpp"
#include "tests/messages/scenario.hpp"
#include "tests/swarm/dice.hpp"

namespace holdfast::messages {

class RealWorld final : public Lives, public AddressBook {
 public:
  // `scenario`, whose times are of the machine's clock, and `program` must outlive it. Of each of
  // its rails the kind; else a rail has the frames and the impairments that it is to have.
  RealWorld(const Scenario& scenario, const std::vector<RealKind>& kinds, sim::Program& program);
  ~RealWorld() override;
  RealWorld(const RealWorld&) = delete;
  RealWorld& operator=(const RealWorld&) = delete;

  // What is due happens, and everybody who runs takes a turn.
  void round();

  Time now() const override { return now_; }
  bool is_calm() const override;
  const reliable::Endpoint* endpoint(ProcessId process) const override {
    return processes_[process.value].endpoint.get();
  }
  Incarnation incarnation(ProcessId process) const override {
    return first_incarnation_of_boot(processes_[process.value].boots);
  }
  std::optional<Incarnation> believes(ProcessId process, ProcessId other) const override {
    return believed_[process.value * scenario_.world.processes + other.value];
  }

  // Of its latest life.
  Address address(std::size_t rail, ProcessId process) const override {
    return addresses_[rail * scenario_.world.processes + process.value];
  }

  // Over all processes and lives.
  std::uint64_t frames() const;
  std::uint64_t fragments_resent() const;
  std::uint64_t frames_spoilt() const;
  std::uint64_t faults_begun() const { return faults_begun_; }
  // Of these, such as were to wait until something is sent again.
  std::uint64_t faults_in_recovery() const { return faults_in_recovery_; }

 private:
  struct Process {
    std::vector<std::unique_ptr<Fabric>> real;
    std::vector<std::unique_ptr<FaultyPort>> ports;
    std::vector<std::unique_ptr<ImpairedFabric>> impaired;
    std::vector<Fabric*> rails;                    // the outermost of each
    std::unique_ptr<reliable::Endpoint> endpoint;  // null while down; goes before its rails
    std::uint32_t boots = 0;
    std::uint32_t pauses = 0;
    std::uint64_t resent = 0;
  };
  enum class FaultState : std::uint8_t { waits, armed, on, over };
  struct Fault {
    FaultState state = FaultState::waits;
    Time next;  // when it begins, may be armed, or is mended
  };
  struct News {
    Time at;
    ProcessId to;
    ProcessId of;
    Incarnation life;
    bool over = false;
  };

  ProcessId process_at(std::size_t rail, const Address& at) const;

  // real_world.cpp: processes.
  void open_rails(ProcessId id);
  void boot(ProcessId id);
  void crash(ProcessId id);
  void take_turn(ProcessId id);
  void keep_counts_of(const Process& process);
  void tell_of_all(ProcessId id);
  void tell_others(ProcessId of, Incarnation life, bool over);
  void tell(const News& news);
  void tell_what_is_due();

  // real_faults.cpp: what befalls them.
  void begin_and_mend_what_is_due();
  void begin(std::size_t fault);
  void look_for_recovery(Process& process);
  void play(const sim::WorldFault& fault, bool begins);
  // As far as it is of the ports of this process.
  void afflict(ProcessId id, const sim::WorldFault& fault, bool begins);
  std::vector<ProcessId> meant(ProcessId process) const;

  const Scenario& scenario_;
  std::vector<RealKind> kinds_;
  sim::Program& program_;
  std::string name_;  // that no other world on this machine has
  Time now_;
  std::vector<Process> processes_;
  std::vector<Address> addresses_;                    // by rail * processes + process
  std::vector<std::optional<Incarnation>> believed_;  // by process * processes + other
  std::vector<Time> told_at_;                         // the last of all news, likewise
  std::vector<News> news_;
  std::vector<Fault> faults_;  // those of the scenario
  swarm::Dice delays_;
  std::uint64_t faults_begun_ = 0;
  std::uint64_t faults_in_recovery_ = 0;
  std::uint64_t frames_of_ended_lives_ = 0;
  std::uint64_t resent_in_ended_lives_ = 0;
  FrameFaultCounts spoilt_in_ended_lives_;
};

}  // namespace holdfast::messages
