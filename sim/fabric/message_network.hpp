// The simulated network at message fidelity: each frame is one event at its receiver, after the
// time that the path takes while nothing contends. Exact for an idle fabric; it knows no queues.
// Only what one process sends to another in one go stays in order, though a short frame takes less
// time than a long one.
//
// The network belongs to one simulation and one thread. The simulation tells it what time it is
// before it lets a process act, and brings it the events that it has put into the queue.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/engine/huge_array.hpp"
#include "sim/fabric/frame_pool.hpp"
#include "sim/topology/path_times.hpp"
#include "sim/topology/sim_time.hpp"
#include "stack/base/divisor.hpp"
#include "stack/base/ids.hpp"
#include "stack/fabric.hpp"

namespace holdfast::sim {

struct MessageNetworkOptions {
  std::uint32_t nodes = 1;
  std::uint32_t per_node = 1;
  bool by_slot = true;                      // process r on node r / per_node; else r mod nodes
  SimTime local_latency{};                  // between processes of one node
  std::uint32_t frames_waiting_max = 4096;  // for a process without free slots; more are lost
};

class FabricDamage;
class MessageFabric;
class PacketCarrier;
struct CarriedFrame;

class MessageNetwork {
 public:
  // `paths` and `queue` must outlive the network. Host n of the paths is node n.
  MessageNetwork(const MessageNetworkOptions& options, const PathTimes& paths, EventQueue& queue);
  ~MessageNetwork();

  std::uint32_t processes() const { return processes_; }
  Fabric& fabric(ProcessId process);
  // Fetches what receiving a frame touches into the cache.
  void prefetch(ProcessId process) const {
    __builtin_prefetch(reinterpret_cast<const char*>(fabrics_.begin()) +
                       std::size_t{process.value} * kFabricBytes);
  }
  // Of a frame on the wire, what its arrival will read.
  void prefetch_frame(std::uint32_t frame) const { pool_.prefetch(frame); }
  // Of the last frame that was posted, whatever became of it.
  ProcessId posted_by() const { return posted_by_; }
  ProcessId posted_to() const { return posted_to_; }
  static Address address(ProcessId process);
  // kNoProcess: it is no address of this network.
  static ProcessId process_at(const Address& address);

  // The same moment on both clocks.
  void set_now(SimTime now, Time clock) {
    now_ = now;
    clock_ = clock;
  }
  // From now on frames between nodes are carried as packets; `carrier` must outlive the network.
  void set_carrier(PacketCarrier& carrier) { carrier_ = &carrier; }
  // From now on frames between nodes are lost as `damage` says, which must outlive the network.
  void set_damage(FabricDamage& damage) { damage_ = &damage; }

  // Puts what a process has posted during its turn on the wire.
  void flush(ProcessId process) {
    if (posted_ > 0) flush_posted(process);
  }
  // A frame event is due; false if there is nobody to receive it. The queue belongs to the
  // receiver.
  bool deliver(ProcessId to, std::uint32_t frame);
  // The same for a frame that the carrier is done with; false also if it was lost.
  bool deliver(const CarriedFrame& carried);
  // An `ended` event is due; false if there is nothing to tell: the watcher is down or does not
  // watch that process any more.
  bool tell_ended(ProcessId watcher, ProcessId ended);

  // The process ends: what waited for it is lost, its operating system tells those who watch it.
  void stop(ProcessId process);
  // It starts again, with an empty fabric.
  void restart(ProcessId process);

  std::uint32_t frames_under_way() const { return pool_.in_use() - waiting_; }
  // Frames that wait for a process that is stopped or slow.
  std::uint32_t frames_waiting() const { return waiting_; }
  std::uint32_t endings_under_way() const { return endings_; }
  // Frames that found a process without room.
  std::uint64_t overflows() const { return overflows_; }

 private:
  friend class MessageFabric;
  static constexpr std::size_t kFabricBytes = 64;  // one cache line

  NodeId node_of(ProcessId process) const {
    return {options_.by_slot ? per_node_.quotient(process.value) : nodes_.remainder(process.value)};
  }
  void flush_posted(ProcessId process);
  // Puts the end of a process, as its system will tell of it, into the queue.
  void tell_soon(ProcessId watcher, ProcessId ended);
  void put_on_wire(ProcessId from, ProcessId to, const std::byte* data, std::uint32_t size);
  void carry(NodeId from_node, NodeId to_node, ProcessId to, const std::byte* data,
             std::uint32_t size);

  MessageNetworkOptions options_;
  Divisor nodes_;
  Divisor per_node_;
  const PathTimes& paths_;
  EventQueue& queue_;
  std::uint32_t processes_;
  SimTime now_{};
  Time clock_;                      // the same on the stack's clock
  std::uint32_t posted_ = 0;        // frames that are not inline and not flushed
  FabricDamage* damage_ = nullptr;  // null: the fabric is whole for good
  // The last frame that was posted, whatever became of it.
  ProcessId posted_by_ = kNoProcess;
  ProcessId posted_to_{0};
  // The last frame on the wire: the next one to the same receiver must not overtake it.
  ProcessId last_sender_ = kNoProcess;
  ProcessId last_receiver_;
  SimTime last_arrival_{};
  PacketCarrier* carrier_ = nullptr;  // null: message fidelity
  FramePool pool_;
  std::uint32_t waiting_ = 0;
  std::uint32_t endings_ = 0;
  std::uint64_t overflows_ = 0;
  HugeArray<MessageFabric> fabrics_;
};

}  // namespace holdfast::sim
