// One process's end of a pipe network: seam 1.
//
// As merciless about buffers as the other simulated fabrics: a send is read when its last bit
// leaves, which may be long after its post, and a slot that is handed over is overwritten at its
// beginning.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/packet/exact_time.hpp"
#include "sim/pipe/processor.hpp"
#include "stack/base/ids.hpp"
#include "stack/fabric.hpp"

namespace holdfast::sim {

class PipeNetwork;
enum class PortState : std::uint8_t;

class PipeFabric final : public Fabric {
 public:
  PipeFabric(PipeNetwork& network, ProcessId self);

  const Caps& caps() const override { return caps_; }
  Address local_address() const override;
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override { reset(peer); }
  void reset(Peer peer) override;
  Region register_memory(std::span<std::byte>) override { return {}; }
  std::size_t post(std::span<const Operation> operations) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  std::size_t poll(std::span<Event> events) override;
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override;

 private:
  friend class PipeNetwork;

  // Waits for the cable, or is on it if it is the first.
  struct Posted {
    Operation operation;
    Completion completion = Completion::ok;
    std::uint32_t frame = 0;  // in the network, of an inline operation
    SimTime handled{};        // may leave from then on
  };

  bool room() const { return posted_.size() + happened_.size() < caps_.send_depth; }
  void take(const Operation& operation);
  void start_first();
  bool depart();
  void end(const Posted& posted);
  bool set_state(PortState state);
  bool has_room() const;
  void clear();

  PipeNetwork& network_;
  ProcessId self_;
  Caps caps_;
  PortState state_;
  bool up_ = true;
  bool held_ = false;     // the first would have left, but the port was stuck
  bool refused_ = false;  // post took fewer than offered: `writable` is owed
  std::uint32_t lives_ = 0;
  Instant free_at_;     // of the cable out
  Instant in_free_at_;  // of the cable in, and what waits before it
  std::uint32_t in_queue_bytes_ = 0;
  std::uint32_t in_hands_ = 0;  // frames that have come and are being handled
  Processor processor_;
  std::deque<Posted> posted_;
  std::vector<Event> happened_;        // oldest first
  std::vector<ReceiveSlot> slots_;     // the last one offered is the next one filled
  std::deque<std::uint32_t> arrived_;  // frames that wait for a slot or a poll
};

}  // namespace holdfast::sim
