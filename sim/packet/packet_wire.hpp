// The fabric packet by packet: every packet through every port, at the rate and latency of each
// link, through queues, virtual lanes and flow control.
//
// A packet waits at an output port until it is its turn, occupies the port for as long as its bits
// take, and reaches the next device after the latency of the link. A switch looks the destination
// up `switch_latency` after the header (store and forward: the last bit) has come, with the tables
// of that moment, and the packet queues for the output found. With s the time that the bits take on
// a link, a packet that comes in more slowly than it could go out starts late enough not to run
// dry. On an idle fabric the time from end to end is that of PathTimes.
//
// A queue is first come, first served for each lane, whatever the input. What a packet holds of an
// input buffer it holds from the start on the link to the end on the next one; the credits are home
// the latency of the link later. So packets to a slow output fill the buffer that others of their
// lane need, and stop the link: head-of-line blocking as real switches have it.
//
// Nothing depends on the order in which events of one instant are handled. An instant has two
// phases: in the first everything that was under way arrives, is counted, and is reported; then the
// world outside acts; in the second the newcomers of all queues, in the order of their injection,
// join them, and every port that can sends. The caller keeps that order: step() while precedes()
// the outside event, then that event. This is what makes the collapse (collapse.cpp) exact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/packet/exact_time.hpp"
#include "sim/packet/lane_arbiter.hpp"
#include "sim/packet/packet_counts.hpp"
#include "sim/packet/packet_pool.hpp"
#include "sim/packet/packet_wire_options.hpp"
#include "sim/packet/port.hpp"
#include "sim/packet/route_cache.hpp"
#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/forwarding.hpp"
#include "sim/topology/link_quality.hpp"
#include "sim/topology/sim_time.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/random.hpp"

namespace holdfast::sim {

struct PacketReport {
  std::uint64_t token = 0;
  SimTime at;
  std::uint64_t serial = 0;  // injections before it
  PacketFate fate = PacketFate::delivered;
};

struct Shipment {
  NodeId from;  // differs from `to`
  NodeId to;
  std::uint32_t bytes = 0;  // of payload; with its headers it must fit into a buffer
  std::uint8_t service_level = 0;
  std::uint8_t path = 0;  // see Forwarding
  std::uint64_t token = 0;
};

class PacketWire {
 public:
  // `graph` is copied from; `forwarding` must outlive the wire or its next one. Lanes, weights and
  // the mapping of service levels are in range. `seed` is for what impaired links lose.
  PacketWire(const FabricGraph& graph, const Forwarding& forwarding,
             const PacketWireOptions& options, std::uint64_t seed = 0);
  PacketWire(const PacketWire&) = delete;
  PacketWire& operator=(const PacketWire&) = delete;

  // A host hands a packet to its adapter. Not before the last step's time, and not at an instant
  // whose second phase is over.
  void inject(SimTime now, const Shipment& shipment);
  // For a host that will inject a packet soon: fetches into the cache what that begins with, and,
  // when this is there, all that lies on the way that its last packet took.
  void prefetch_beginning(NodeId from) const;
  void prefetch_way(NodeId from, std::uint8_t service_level) const;

  // Whether the wire has something to do before an outside event at `outside` is handled.
  bool precedes(SimTime outside) {
    if (!dirty_.empty()) return instant_ < outside || next_event() <= instant_.value;
    return !queue_.empty() && queue_.next_time() <= outside.value;
  }
  // The time of the next step; never if there is none.
  SimTime next_time() { return !dirty_.empty() ? instant_ : SimTime{next_event()}; }
  // One phase of one instant; there is something to do.
  void step();
  // The instant of the last step, or of what the world outside did last.
  SimTime now() const { return instant_; }

  // What became of packets since they were cleared last, in the order of time and injection. A
  // delivery may be answered at its instant, a loss later only.
  std::span<const PacketReport> reports() const { return reports_; }
  void clear_reports() { reports_.clear(); }

  // Both directions of a link. Calls nest: a link is up when it has been set up as often as down.
  // What has left a port arrives; the packet that is being sent is cut (in cut-through its head
  // goes on to its end, at full length, and is lost there); what waits for the port or comes later
  // is lost at once.
  void set_link_up(SimTime now, std::uint32_t link, bool up);
  // One direction of a link, that away from ends[direction] of the graph's link, lets pass from now
  // on what `quality` says. What it corrupts goes on to the next device that looks at all of it: in
  // store-and-forward the next switch, in cut-through its end.
  void set_quality(SimTime now, std::uint32_t link, std::uint32_t direction,
                   const LinkQuality& quality);
  // Switches look up in these tables from now on. What they have looked up already stays. Before
  // the old tables change or go, take_apart() at the same instant: the ways of collapsed packets
  // are known from them only.
  void take_apart(SimTime now);
  void set_forwarding(SimTime now, const Forwarding& forwarding);

  // Addresses of each host, by the tables in force.
  std::uint32_t paths() const { return forwarding_->paths(); }
  // Packets that wait for the link of a host.
  std::uint32_t waiting_at(NodeId host) const {
    const std::uint32_t port = host_port_[host.value];
    return port == kNoPort ? 0 : ports_[port].waiting;
  }
  std::uint32_t packets() const { return pool_.in_use(); }
  // Times that a packet has gone through a port, collapsed ones included.
  std::uint64_t hops() const { return hops_; }
  std::uint64_t count(PacketFate fate) const { return fates_[static_cast<std::size_t>(fate)]; }
  // Packets that became one event, and those of them that had to be taken apart.
  std::uint64_t collapsed() const { return collapsed_; }
  std::uint64_t expanded() const { return expanded_; }
  // Events handled, each of which is a step of one packet or port.
  std::uint64_t events() const { return events_; }
  // No packet waits or holds anything and all credits are home: an invariant to test when nothing
  // is under way any more.
  bool at_rest() const;
  std::size_t memory_bytes() const;

 private:
  // In the upper three bits of an event's payload. `target` is a port or packet.
  enum class Kind : std::uint32_t {
    looked_up,  // a packet's header is through the switch
    ready,      // a packet may be sent by its output
    delivered,  // payload: generation; stale if the packet is another, or arrives at another time
    wake,       // a port may send again; stale if it is not the port's wake_at
    credits,    // payload: lane, blocks
    age,        // heads of a port's queues may be too old
  };
  struct Newcomer {
    std::uint64_t serial;
    std::uint32_t packet;
  };
  // A packet's passage through a port while nothing is in its way.
  struct Leg {
    std::uint32_t port = kNoPort;
    Instant start;
    Instant end;
    Instant looked_up;  // by the switch behind it
  };

  struct ImpairedPort {
    std::uint32_t port;
    LinkQuality quality;
    Random random;  // goes on when the port is impaired again
  };

  static constexpr std::uint32_t payload(Kind kind, std::uint32_t rest) {
    return static_cast<std::uint32_t>(kind) << 29 | (rest & 0x1fff'ffff);
  }
  std::int64_t next_event() { return queue_.empty() ? SimTime::never().value : queue_.next_time(); }
  std::uint32_t port_index(std::uint32_t device, std::uint32_t port) const {
    return first_port_[device] + port - 1;
  }
  Lane& lane(std::uint32_t port, std::uint32_t lane) { return lanes_[port * lane_count_ + lane]; }
  static std::uint32_t blocks(const Packet& packet) {
    return (packet.wire_bytes + kBlockBytes - 1) / kBlockBytes;
  }
  bool with_credits(const OutputPort& port) const { return credits_ && port.far_is_switch; }

  Instant free_at(std::uint32_t port) const {
    return {ports_[port].free_units, free_parts_.get(port)};
  }
  void set_free_at(std::uint32_t port, const Instant& instant) {
    ports_[port].free_units = instant.units;
    free_parts_.set(port, instant.parts);
  }

  void add_ports(const FabricGraph& graph);
  void add_links(const FabricGraph& graph);
  std::uint16_t add_link_kind(const Link& link);
  void find_host_ports(const FabricGraph& graph);
  // The world outside acts at `now`.
  void meet(SimTime now);

  static bool is_of_packet(const QueuedEvent& event) {
    return event.payload >> 29 <= static_cast<std::uint32_t>(Kind::delivered);
  }

  // First phase.
  void prefetch_upcoming() const;
  void handle(const QueuedEvent& event);
  static PacketFate fate_seen(const Packet& packet);
  void look_up(std::uint32_t packet);
  std::uint32_t output_towards(const Packet& packet, std::uint32_t device) const;
  // When an output may begin to send what a switch has looked up at `looked_up`, by kinds of links.
  Instant ready_for(const Instant& looked_up, std::uint32_t bytes, std::uint32_t in,
                    std::uint32_t out) const;
  void deliver(std::uint32_t packet);
  void come_to(std::uint32_t packet, std::uint32_t port);
  void return_credits(std::uint32_t port, std::uint32_t lane, std::uint32_t count);
  void release(Packet& packet, const Instant& tail_gone);
  void put_on_link(Packet& packet, std::uint32_t port, const Instant& end) const;
  void lose(std::uint32_t packet, PacketFate fate);
  void report(std::uint32_t packet, PacketFate fate);
  void sort_reports();

  // Second phase.
  void settle();
  void enqueue(std::uint32_t packet);
  std::uint32_t dequeue(std::uint32_t port, std::uint32_t lane);
  void serve(std::uint32_t port);
  bool send_one(std::uint32_t port);
  void send(std::uint32_t port, std::uint32_t lane);
  bool discard_old(std::uint32_t port);
  void expect_old(std::uint32_t port);
  void mark_dirty(std::uint32_t port);
  void wake(std::uint32_t port, SimTime at);

  // Collapse (collapse.cpp).
  bool worth_trying() const {
    return options_.collapse && next_serial_ % (std::uint64_t{1} << reluctance_) == 0;
  }
  bool try_collapse(std::uint32_t packet);
  bool plan(std::uint32_t packet);
  void look_up_route(const Packet& packet, Route& route) const;
  void prefetch_for_collapse(std::uint32_t port, std::uint32_t lane) const;
  bool stays_idle(const Leg& leg, const Packet& packet);
  void expand(std::uint32_t packet);
  void resume(std::uint32_t packet, std::size_t passed);
  void free_of_reservation(std::uint32_t port);
  void keep_credits(std::uint32_t port, std::uint32_t lane, std::uint32_t count, SimTime until);

  void set_port_up(std::uint32_t port, bool up);
  bool corrupts(std::uint32_t port, const Packet& packet);

  const Forwarding* forwarding_;
  PacketWireOptions options_;
  LaneArbiter arbiter_;
  std::uint32_t lane_count_;
  std::uint32_t buffer_blocks_;
  bool credits_;
  SimTime switch_latency_;
  SimTime head_lifetime_;

  EventQueue queue_;
  SimTime instant_;                        // of the last event
  SimTime settled_{-1};                    // the last instant whose second phase is over
  std::vector<std::uint32_t> first_port_;  // by device
  std::vector<std::uint32_t> host_port_;   // the endpoint's port by host
  std::vector<std::array<std::uint32_t, 2>> link_ports_;  // the two directions by link
  std::vector<OutputPort> ports_;                         // by port; so are those that follow
  PartsOf free_parts_;
  std::vector<Lane> lanes_;  // [port][lane]
  std::vector<Reservation> reservations_;
  PartsOf free_parts_before_;
  Serialisation serialisation_;
  std::vector<LinkKind> link_kinds_;
  PacketPool pool_;
  std::vector<ImpairedPort> impaired_;  // and those that have been
  std::uint64_t seed_;
  std::vector<Newcomer> newcomers_;
  std::vector<std::uint32_t> dirty_;  // ports to serve at the end of instant_
  std::vector<PacketReport> reports_;
  RouteCache routes_;
  std::vector<Leg> legs_;  // of the last plan
  std::uint64_t next_serial_ = 0;
  std::uint32_t reluctance_ = 0;  // one packet of 2^reluctance_ tries to collapse
  std::uint64_t hops_ = 0;
  std::uint64_t collapsed_ = 0;
  std::uint64_t expanded_ = 0;
  std::uint64_t events_ = 0;
  std::array<std::uint64_t, kPacketFates> fates_{};
};

}  // namespace holdfast::sim
