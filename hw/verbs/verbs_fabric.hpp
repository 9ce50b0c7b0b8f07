// The verbs fabric: frames as unreliable datagrams of one queue pair, and connections
// (connections.hpp), each a queue pair of the reliable service.
//
// Datagrams are copied on both sides, into and out of memory that belongs to the fabric: a datagram
// is at most 4 KB, frames must be able to wait for a slot, and an adapter writes a header of its
// own before each. So an inline operation may be of any size. Its request is in the adapter's queue
// until a completion comes back, which nobody is told.
//
// An adapter ends all that a queue pair has posted when one operation fails, for instance because
// its port went down. Then the queue pair is brought back, with the same number, by the first poll
// after some 10 ms; what was on its way is lost, and operations that were not inline are `flushed`,
// as are those that come meanwhile. Completions bear no times: a frame has arrived when a poll
// found it. A frame that finds no free buffer is lost.
//
// The first attach to a host asks the kernel for the way there, which may wait some seconds for an
// answer of the neighbour. The way is kept as long as the fabric lives, so whoever cannot wait
// later attaches to every host once before the work begins. Where there was none, an attach does
// not wait again: the way is looked for beside, and a later attach has it. Nothing else waits, and
// nothing else allocates.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/fabric_queues.hpp"
#include "hw/fixed_queue.hpp"
#include "hw/verbs/connections.hpp"
#include "hw/verbs/datagram_queue.hpp"
#include "hw/verbs/regions.hpp"
#include "hw/verbs/verbs.hpp"
#include "hw/verbs/verbs_address.hpp"
#include "hw/write_losses.hpp"
#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

// What the fabric saw and nobody was told.
struct VerbsCounters {
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t send_errors = 0;         // frames that the adapter refused or flushed
  std::uint64_t malformed = 0;           // datagrams of an impossible length
  std::uint64_t truncated = 0;           // frames longer than their slot, lost
  std::uint64_t restarts = 0;            // of the queue pair, after an error
  std::uint64_t handshakes_refused = 0;  // that were none, or not of who sent them
};

class VerbsFabric final : public Fabric {
 public:
  static Status open(const VerbsOptions& options, std::unique_ptr<VerbsFabric>& opened);
  // As open_verbs_at.
  static Status open(const VerbsOptions& options, KeptQueue& kept,
                     std::unique_ptr<VerbsFabric>& opened);

  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return to_address(local_); }
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override;
  // Datagrams: nothing to flush, what is posted is the adapter's and has been copied.
  void reset(Peer peer) override;
  Region register_memory(std::span<std::byte> memory) override;
  RemoteMemory expose(Region region) override;
  std::size_t post(std::span<const Operation> operations) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  // Completions, those of each connection and of datagrams in the order of their posts; `writable`;
  // a change of the port; what happened to connections; then datagrams in order of arrival.
  std::size_t poll(std::span<Event> events) override;
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override;
  std::size_t losses(std::span<LostFrames> to) const override {
    return write_losses(to, {{"send_error", counters_.send_errors},
                             {"malformed", counters_.malformed},
                             {"truncated", counters_.truncated}});
  }

  VerbsCounters counters() const {
    VerbsCounters all = counters_;
    if (connections_) all.handshakes_refused = connections_->refused();
    return all;
  }

 private:
  static constexpr std::size_t kBatch = 32;

  struct Receiver {
    ibv_ah* way = nullptr;  // null: this handle is free
    std::uint32_t queue_pair = 0;
  };
  // An accepted operation; its number modulo the depth is its buffer's.
  struct Send {
    Operation operation;
    Receiver receiver;
    bool silent = false;  // nobody waits for its end
    bool ended = false;
    Completion completion = Completion::ok;
  };
  struct Arrival {
    std::uint32_t buffer = 0;
    std::uint32_t bytes = 0;
    Time at;
  };

  VerbsFabric(const VerbsOptions& options, std::shared_ptr<DatagramQueue> queue);

  bool is_attached(Peer peer) const;
  bool is_possible(const Operation& operation) const;
  void open_connections(const VerbsOptions& options);
  void take_handshake(std::span<const std::byte> bytes, std::uint32_t from);
  bool wakes_in_time();
  std::size_t sends_under_way() const { return static_cast<std::size_t>(next_ - oldest_); }
  bool has_room() const {
    return queues_.room() > sends_under_way() + (connections_ ? connections_->under_way() : 0);
  }
  Send& send_of(std::uint64_t number) { return sends_[number % sends_.size()]; }
  std::size_t accept(std::span<const Operation> operations);
  void submit(std::uint64_t first);
  void end(Send& send, Completion completion);

  void reap();
  void reap_sends();
  void reap_receives();
  void take_arrival(const ibv_wc& completion, Time now);
  void give_back(std::size_t buffer);
  void bring_back();
  void post_free_buffers();
  void look_at_port();
  void set_port_change(EventKind kind);
  std::size_t deliver(std::span<Event> events);

  Caps caps_;
  VerbsEndpoint local_;
  VerbsPort port_;
  std::shared_ptr<DatagramQueue> queue_;
  VerbsCounters counters_;
  bool failed_ = false;  // the queue pair has to be brought back

  std::vector<Receiver> receivers_;        // by handle
  std::vector<std::uint32_t> free_peers_;  // the last one is given out next
  FabricQueues queues_;
  std::vector<Send> sends_;
  std::uint64_t oldest_ = 0;  // numbers of operations: oldest_ … next_-1 are under way
  std::uint64_t next_ = 0;
  FixedQueue<Arrival> arrived_;
  std::vector<bool> is_free_;         // by receive buffer, while they are posted
  std::optional<Event> port_change_;  // the newest that nobody has heard of

  Regions regions_;
  Descriptor timer_;
  Time wakes_at_ = Time::never();  // by the timer
  std::unique_ptr<ConnectedQueues> connected_;
  std::optional<Connections> connections_;
};

}  // namespace holdfast::hw
