// What stands between the frames of processes and the packets of a wire: at packet fidelity every
// frame between nodes is a packet, and the background traffic is on the same wire.
//
// At one instant come first the packets that arrive, then the traffic, then the processes, and last
// what the ports do: step() while precedes() the time of the next outside event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sim/packet/packet_counts.hpp"
#include "sim/packet/packet_wire.hpp"
#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/forwarding.hpp"
#include "sim/topology/sim_time.hpp"
#include "sim/traffic/traffic.hpp"
#include "stack/base/ids.hpp"

namespace holdfast::sim {

struct PacketCarrierOptions {
  PacketWireOptions wire;
  std::uint8_t service_level = 0;       // of the frames
  std::vector<TrafficOptions> traffic;  // beside them
};

// A frame that the wire is done with.
struct CarriedFrame {
  ProcessId to;
  std::uint32_t frame = 0;  // in the pool of the network
  NodeId from_node;
  SimTime at;
  PacketFate fate = PacketFate::delivered;
};

class PacketCarrier {
 public:
  // Host n of the graph is node n. `graph` is copied from, `forwarding` must outlive the carrier or
  // its next one.
  PacketCarrier(const PacketCarrierOptions& options, const FabricGraph& graph,
                const Forwarding& forwarding, std::uint64_t seed);

  // A frame with so many bytes goes on the wire; from != to_node.
  void carry(SimTime now, NodeId from, NodeId to_node, std::uint32_t bytes, ProcessId to,
             std::uint32_t frame);

  // See PacketWire.
  void prefetch_beginning(NodeId from) const { wire_.prefetch_beginning(from); }
  void prefetch_way(NodeId from) const { wire_.prefetch_way(from, service_level_); }

  bool precedes(SimTime outside) {
    if (!wire_.reports().empty()) return true;  // of what was lost when the world outside acted
    return wire_.precedes(std::min(outside, next_traffic_)) || next_traffic_ <= outside;
  }
  void step();
  // Since they were cleared last. A delivery may be answered at its instant.
  std::span<const CarriedFrame> done() const { return done_; }
  void clear_done() { done_.clear(); }

  // For faults of the fabric; see PacketWire.
  PacketWire& wire() { return wire_; }
  const PacketWire& wire() const { return wire_; }

  // Of the job's frames between nodes; none is skipped.
  const PacketCounts& frames() const { return frames_; }
  // What the frames did since their counts were `before`, they do so many times more.
  void repeat_since(const PacketCounts& before, std::uint64_t times) {
    frames_.repeat_since(before, times);
  }
  // Of the background packets over all kinds of traffic, and of the victims of incasts.
  PacketCounts traffic() const;
  PacketCounts victims() const;
  bool has_traffic() const { return !traffic_.empty(); }

 private:
  struct Sent {
    NodeId from;
    SimTime at;
  };

  void send_traffic();
  void sort_out(const PacketReport& report);

  std::uint8_t service_level_;
  PacketWire wire_;
  std::deque<Traffic> traffic_;  // they stay where they are
  SimTime next_traffic_ = SimTime::never();
  std::vector<CarriedFrame> done_;
  std::vector<Sent> sent_;  // by frame
  PacketCounts frames_;
};

}  // namespace holdfast::sim
