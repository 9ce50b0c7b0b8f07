// One process's end of the simulated network: seam 1.
//
// Like a real adapter it is merciless about buffers: it reads the bytes of a send when they go on
// the wire, which is after the turn that posted them, and it overwrites the beginning of a receive
// slot that is handed back to it. Whoever touches a buffer that is not theirs fails in simulation.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/fabric/frame_pool.hpp"
#include "stack/base/ids.hpp"
#include "stack/fabric.hpp"

namespace holdfast::sim {

class MessageNetwork;

// On one cache line, because there are many: what most of them never need lies apart.
class alignas(64) MessageFabric final : public Fabric {
 public:
  // An element of the network's array of fabrics.
  explicit MessageFabric(MessageNetwork& network);

  const Caps& caps() const override;
  Address local_address() const override;
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override;
  void reset(Peer peer) override;
  Region register_memory(std::span<std::byte> memory) override;
  std::size_t post(std::span<const Operation> operations) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  // Nearly every turn that a deadline begins finds nothing: it must not pay for saving registers.
  std::size_t poll(std::span<Event> events) override {
    if (!eventful_ && first_waiting_ == FramePool::kNone) return 0;
    return poll_waiting(events);
  }
  bool set_path(Peer peer, PathChoice choice) override;
  Armed arm() override;

 private:
  friend class MessageNetwork;
  // Few, because there are many fabrics; frames without a slot wait in the network.
  static constexpr std::uint32_t kReceiveDepth = 4;

  // A frame sent without copying, between its post and the end of the turn.
  struct Posted {
    Operation operation;
    Completion completion = Completion::ok;
  };

  ProcessId self() const;
  // A life that is being watched has ended: true if it is, and the ending is to be told.
  bool watched_ends(ProcessId process);
  // It is time to tell. False if there is nothing to tell.
  bool watched_ended(ProcessId process);
  void flush();
  void forget_posted();
  // A frame of the pool has arrived.
  void enqueue(std::uint32_t index, FramePool& pool, Time at) {
    FramePool::Frame& frame = pool.at(index);
    frame.next = FramePool::kNone;
    frame.arrival_ns = at.ns;
    if (first_waiting_ == FramePool::kNone) {
      first_waiting_ = index;
    } else {
      pool.at(last_waiting_).next = index;
    }
    last_waiting_ = index;
    ++waiting_;
  }
  void report_ended(ProcessId process);
  void clear();
  void receive(Event& event);
  std::size_t poll_waiting(std::span<Event> events);
  std::size_t poll_happened(std::span<Event> events);

  // An offered slot, without what a simulated fabric does not need.
  struct Slot {
    std::byte* data;
    std::uint64_t cookie;
    std::uint32_t size;
  };

  // Of one life of a process: who starts again before its ending is told is watched by another.
  struct Watch {
    ProcessId process;
    bool ended = false;  // and not told yet
    friend bool operator==(const Watch&, const Watch&) = default;
  };

  // What a heartbeat does not need. There once it has been needed.
  struct Rest {
    std::array<Slot, kReceiveDepth - 1> below;  // of top_
    std::vector<Event> happened;                // completions and endings, oldest first
    std::vector<Posted> posted;
    std::vector<Watch> watched;
  };
  Rest& rest() {
    if (!rest_) rest_ = std::make_unique<Rest>();
    return *rest_;
  }

  MessageNetwork* network_;
  std::uint32_t first_waiting_ = FramePool::kNone;
  std::uint32_t last_waiting_ = FramePool::kNone;
  std::uint32_t waiting_ = 0;
  bool up_ = true;
  bool eventful_ = false;  // there may be something in `happened` or `posted`
  bool refused_ = false;   // post took fewer than offered: `writable` is owed
  std::uint8_t slot_count_ = 0;
  // The slots are a stack, its top always here: the last one offered is the next one filled.
  Slot top_{};
  std::unique_ptr<Rest> rest_;
};

}  // namespace holdfast::sim
