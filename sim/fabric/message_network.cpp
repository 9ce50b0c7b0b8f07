// Frames become events, and endings do.
#include "sim/fabric/message_network.hpp"

#include <algorithm>

#include "sim/fabric/message_fabric.hpp"
#include "sim/fabric/packet_carrier.hpp"
#include "sim/fabric/sim_event.hpp"
#include "sim/faults/fabric_damage.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::sim {

MessageNetwork::MessageNetwork(const MessageNetworkOptions& options, const PathTimes& paths,
                               EventQueue& queue)
    : options_(options),
      nodes_(options.nodes),
      per_node_(options.per_node),
      paths_(paths),
      queue_(queue),
      processes_(options.nodes * options.per_node),
      fabrics_(processes_, [this](std::size_t) { return MessageFabric(*this); }) {
  static_assert(sizeof(MessageFabric) == kFabricBytes);
  HOLDFAST_ASSERT(processes_ > 0 && processes_ <= kSimEventNumberMask);
}

MessageNetwork::~MessageNetwork() = default;

Fabric& MessageNetwork::fabric(ProcessId process) {
  return fabrics_[process.value];
}

Address MessageNetwork::address(ProcessId process) {
  Address address;
  store_le<std::uint32_t>(address.bytes.data(), process.value);
  address.size = sizeof(std::uint32_t);
  return address;
}

ProcessId MessageNetwork::process_at(const Address& address) {
  if (address.size != sizeof(std::uint32_t)) return kNoProcess;
  return {load_le<std::uint32_t>(address.bytes.data())};
}

void MessageNetwork::flush_posted(ProcessId process) {
  fabrics_[process.value].flush();
}

void MessageNetwork::put_on_wire(ProcessId from, ProcessId to, const std::byte* data,
                                 std::uint32_t size) {
  posted_by_ = from;
  posted_to_ = to;
  const NodeId from_node = node_of(from);
  const NodeId to_node = node_of(to);
  if (damage_ != nullptr && from_node != to_node &&
      damage_->loses(from_node, to_node, size, now_)) {
    return;
  }
  if (carrier_ != nullptr && from_node != to_node) {
    carry(from_node, to_node, to, data, size);
    return;
  }
  const SimTime takes =
      from_node == to_node ? options_.local_latency : paths_.one_way(from_node, to_node, size);
  if (takes == SimTime::never()) return;  // no path: the frame is lost
  SimTime arrival = now_ + takes;
  if (from == last_sender_ && to == last_receiver_) arrival = std::max(arrival, last_arrival_);
  last_sender_ = from;
  last_receiver_ = to;
  last_arrival_ = arrival;
  const std::uint32_t index = pool_.put(data, size);
  HOLDFAST_ASSERT(index <= kSimEventNumberMask);
  queue_.push(arrival.value, to.value, sim_payload(SimEventKind::deliver, index));
}

void MessageNetwork::carry(NodeId from_node, NodeId to_node, ProcessId to, const std::byte* data,
                           std::uint32_t size) {
  carrier_->carry(now_, from_node, to_node, size, to, pool_.put(data, size));
}

bool MessageNetwork::deliver(const CarriedFrame& carried) {
  if (carried.fate != PacketFate::delivered) {
    pool_.give(carried.frame);
    return false;
  }
  return deliver(carried.to, carried.frame);
}

bool MessageNetwork::deliver(ProcessId to, std::uint32_t frame) {
  MessageFabric& fabric = fabrics_[to.value];
  if (!fabric.up_ || fabric.waiting_ >= options_.frames_waiting_max) {
    if (fabric.up_) ++overflows_;
    pool_.give(frame);
    return false;
  }
  fabric.enqueue(pool_.unpacked(frame), pool_, clock_);
  ++waiting_;
  return true;
}

bool MessageNetwork::tell_ended(ProcessId watcher, ProcessId ended) {
  --endings_;
  return fabrics_[watcher.value].watched_ended(ended);
}

void MessageNetwork::stop(ProcessId process) {
  MessageFabric& stopped = fabrics_[process.value];
  HOLDFAST_ASSERT(stopped.up_);
  stopped.clear();
  stopped.up_ = false;
  const NodeId node = node_of(process);
  for (std::uint32_t i = 0; i < options_.per_node; ++i) {
    const std::uint32_t other =
        options_.by_slot ? node.value * options_.per_node + i : node.value + i * options_.nodes;
    if (fabrics_[other].watched_ends(process)) tell_soon({other}, process);
  }
}

void MessageNetwork::tell_soon(ProcessId watcher, ProcessId ended) {
  queue_.push((now_ + options_.local_latency).value, watcher.value,
              sim_payload(SimEventKind::ended, ended.value));
  ++endings_;
}

void MessageNetwork::restart(ProcessId process) {
  MessageFabric& fabric = fabrics_[process.value];
  HOLDFAST_ASSERT(!fabric.up_);
  fabric.up_ = true;
}

}  // namespace holdfast::sim
