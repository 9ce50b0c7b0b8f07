// Frames and traffic on one wire.
#include "sim/fabric/packet_carrier.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"

namespace holdfast::sim {

PacketCarrier::PacketCarrier(const PacketCarrierOptions& options, const FabricGraph& graph,
                             const Forwarding& forwarding, std::uint64_t seed)
    : service_level_(options.service_level), wire_(graph, forwarding, options.wire, seed) {
  for (const TrafficOptions& kind : options.traffic) {
    const auto index = static_cast<std::uint32_t>(traffic_.size());
    traffic_.emplace_back(kind, seed, index, graph);
    next_traffic_ = std::min(next_traffic_, traffic_.back().next_time());
  }
}

void PacketCarrier::carry(SimTime now, NodeId from, NodeId to_node, std::uint32_t bytes,
                          ProcessId to, std::uint32_t frame) {
  if (frame >= sent_.size()) sent_.resize(frame + std::size_t{1});
  sent_[frame] = {from, now};
  ++frames_.sent;
  wire_.inject(now, {.from = from,
                     .to = to_node,
                     .bytes = bytes,
                     .service_level = service_level_,
                     .token = std::uint64_t{to.value} << 32 | frame});
}

void PacketCarrier::step() {
  if (wire_.reports().empty()) {
    if (wire_.precedes(next_traffic_)) {
      wire_.step();
    } else {
      send_traffic();
    }
  }
  for (const PacketReport& report : wire_.reports()) sort_out(report);
  wire_.clear_reports();
}

// Of those due at one time the first kind goes first.
void PacketCarrier::send_traffic() {
  const SimTime now = next_traffic_;
  next_traffic_ = SimTime::never();
  for (Traffic& kind : traffic_) {
    while (kind.next_time() == now) {
      if (const auto shipment = kind.take(wire_)) wire_.inject(now, *shipment);
    }
    next_traffic_ = std::min(next_traffic_, kind.next_time());
  }
}

void PacketCarrier::sort_out(const PacketReport& report) {
  for (Traffic& kind : traffic_) {
    if (!kind.owns(report.token)) continue;
    kind.account(report);
    return;
  }
  HOLDFAST_ASSERT((report.token & Traffic::kTokenBit) == 0);
  const auto frame = static_cast<std::uint32_t>(report.token);
  const Sent& sent = sent_[frame];
  frames_.finish(report.fate, {report.at.value - sent.at.value});
  done_.push_back({ProcessId{static_cast<std::uint32_t>(report.token >> 32)}, frame, sent.from,
                   report.at, report.fate});
}

PacketCounts PacketCarrier::traffic() const {
  PacketCounts sum;
  for (const Traffic& kind : traffic_) sum += kind.counts();
  return sum;
}

PacketCounts PacketCarrier::victims() const {
  PacketCounts sum;
  for (const Traffic& kind : traffic_) sum += kind.victim();
  return sum;
}

}  // namespace holdfast::sim
