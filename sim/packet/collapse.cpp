// The collapse: a packet through ports that are and stay idle becomes one event.
//
// A packet that finds every port of its way idle is not sent hop by hop. Its times are computed, as
// on an idle fabric; each port on the way is told when it will be busy, and until when credits will
// be out; and one event remains, the arrival. Until then nobody may look at any of these ports. If
// somebody does (another packet comes to it, the link goes up or down, tables change), the packet
// is taken apart first: the ports that it has left by then keep what it did to them, the others
// forget it, and it goes on hop by hop from where it is. Whoever looks thus sees what they would
// have seen without the collapse.
//
// That is exact also for what happens at one instant, because nothing depends on the order within a
// phase. A packet whose start at a port is the present instant has not started: starts belong to
// the second phase, and whoever looks does so before it. It joins the newcomers of its port, which
// are sorted by injection whoever put them there. One thing must hold for this: an instant has its
// two phases once, because whatever leaves a port in the second comes to the next one later. In a
// fabric that has a link without any latency nothing collapses.
//
// Taking apart costs more than the collapse saves. Where it happens more often than not, ever fewer
// packets try: in a loaded fabric it costs next to nothing, and what it does there is as exact.
//
// After its arrival the packet is gone, and what a port has been told has become true: it was busy
// until then, and the credits that are still out will be back when it was said.
#include <algorithm>

#include "sim/engine/prefetch.hpp"
#include "sim/packet/packet_wire.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {

namespace {

constexpr std::uint32_t kReluctanceMax = 8;

}  // namespace

// By the tables in force.
void PacketWire::look_up_route(const Packet& packet, Route& route) const {
  std::size_t count = 0;
  for (std::uint32_t port = route.first; count < Route::kPortsMax;) {
    route.ports[count++] = port;
    const OutputPort& here = ports_[port];
    if (!here.far_is_switch) {
      if (here.far == route.to) route.count = static_cast<std::uint8_t>(count);
      return;
    }
    port = output_towards(packet, here.far);
    if (port == kNoPort) return;
  }
}

// Fills legs_ with the packet's way through an idle fabric; false if it has no way to its end.
bool PacketWire::plan(std::uint32_t index) {
  const Packet& packet = pool_[index];
  const Route& route = routes_.find(packet.port, packet.to, packet.path,
                                    [&](Route& made) { look_up_route(packet, made); });
  legs_.clear();
  if (route.count == 0) return false;
  const auto ports = std::span(route.ports).first(route.count);
  for (const std::uint32_t port : ports) prefetch_for_collapse(port, packet.lane);
  Instant start = pool_.ready(index);
  for (const std::uint32_t port : ports) {
    const OutputPort& here = ports_[port];
    if (!legs_.empty()) {
      Leg& before = legs_.back();
      const std::uint16_t in = ports_[before.port].link_kind;
      const Instant& come =
          options_.switching == Switching::cut_through ? before.start : before.end;
      before.looked_up = come + link_kinds_[in].latency + switch_latency_;
      start = ready_for(before.looked_up, packet.wire_bytes, in, here.link_kind);
    }
    const std::uint32_t rate = link_kinds_[here.link_kind].rate;
    legs_.push_back({port, start, serialisation_.end(start, packet.wire_bytes, rate), {}});
  }
  return true;
}

void PacketWire::prefetch_beginning(NodeId from) const {
  const std::uint32_t port = host_port_[from.value];
  if (port == kNoPort) return;
  prefetch_line(&ports_[port]);
  prefetch_line(&routes_.place_of(port));
}

void PacketWire::prefetch_way(NodeId from, std::uint8_t service_level) const {
  const std::uint32_t first = host_port_[from.value];
  if (first == kNoPort) return;
  const Route& route = routes_.place_of(first);
  if (route.first != first) return;
  const std::uint32_t lane = options_.lane_of_service_level[service_level];
  for (std::size_t i = 0; i < route.count; ++i) prefetch_for_collapse(route.ports[i], lane);
}

void PacketWire::prefetch_for_collapse(std::uint32_t port, std::uint32_t lane_number) const {
  prefetch_line(&ports_[port]);
  prefetch_line(&reservations_[port]);
  prefetch_line(&lanes_[std::size_t{port} * lane_count_ + lane_number]);
}

bool PacketWire::stays_idle(const Leg& leg, const Packet& packet) {
  const OutputPort& port = ports_[leg.port];
  if (port.times_down > 0 || port.impaired || port.waiting > 0 || port.dirty) return false;
  if (port.reserved) {
    const Reservation& reservation = reservations_[leg.port];
    if (pool_[reservation.packet].generation == reservation.generation) return false;
    free_of_reservation(leg.port);
  }
  if (free_at(leg.port) > leg.start) return false;
  return !with_credits(port) || lane(leg.port, packet.lane).credits >= blocks(packet);
}

bool PacketWire::try_collapse(std::uint32_t index) {
  Packet& packet = pool_[index];
  // The first port is looked at before the way is: most of those that are busy are found there.
  const OutputPort& first = ports_[packet.port];
  if (first.waiting > 0 || first.dirty || first.free_units > instant_.value) return false;
  if (!plan(index)) return false;
  for (const Leg& leg : legs_) {
    if (!stays_idle(leg, packet)) return false;
  }
  for (std::size_t i = 0; i < legs_.size(); ++i) {
    const Leg& leg = legs_[i];
    OutputPort& port = ports_[leg.port];
    Reservation& reservation = reservations_[leg.port];
    reservation = {port.free_units, {}, index, packet.generation, 0, packet.lane};
    free_parts_before_.set(leg.port, free_parts_.get(leg.port));
    if (with_credits(port)) {
      reservation.blocks = static_cast<std::uint16_t>(blocks(packet));
      reservation.credits_back = round_up(legs_[i + 1].end + link_kinds_[port.link_kind].latency);
    }
    set_free_at(leg.port, leg.end);
    port.reserved = true;
  }
  const Leg& last = legs_.back();
  packet.collapsed = true;
  put_on_link(packet, last.port, last.end);
  queue_.push(packet.tail_at.value, index, payload(Kind::delivered, packet.generation));
  hops_ += legs_.size();
  ++collapsed_;
  return true;
}

// Somebody looks at a port: it must be what it would be without the collapse.
void PacketWire::free_of_reservation(std::uint32_t index) {
  if (!ports_[index].reserved) return;
  const Reservation reservation = reservations_[index];
  if (pool_[reservation.packet].generation == reservation.generation) {
    expand(reservation.packet);
    return;
  }
  ports_[index].reserved = false;
  keep_credits(index, reservation.lane, reservation.blocks, reservation.credits_back);
}

// Credits that are out until then, if that is still to come.
void PacketWire::keep_credits(std::uint32_t port, std::uint32_t lane_number, std::uint32_t count,
                              SimTime until) {
  if (count == 0 || until <= instant_) return;
  lane(port, lane_number).credits -= count;
  queue_.push(until.value, port, payload(Kind::credits, lane_number << 16 | count));
}

void PacketWire::expand(std::uint32_t index) {
  Packet& packet = pool_[index];
  const bool planned = plan(index);
  HOLDFAST_ASSERT(planned && packet.collapsed);
  std::size_t passed = 0;
  while (passed < legs_.size() && round_up(legs_[passed].start) < instant_) ++passed;
  for (std::size_t i = 0; i < legs_.size(); ++i) {
    OutputPort& port = ports_[legs_[i].port];
    const Reservation& reservation = reservations_[legs_[i].port];
    port.reserved = false;
    if (i >= passed) {
      set_free_at(legs_[i].port, {reservation.free_before, free_parts_before_.get(legs_[i].port)});
      continue;
    }
    port.sending = index;
    port.sending_generation = packet.generation;
    if (reservation.blocks == 0) continue;
    if (i + 1 < passed) {
      keep_credits(legs_[i].port, packet.lane, reservation.blocks, reservation.credits_back);
    } else {
      lane(legs_[i].port, packet.lane).credits -= reservation.blocks;
      packet.holds = true;
    }
  }
  packet.collapsed = false;
  hops_ -= legs_.size() - passed;
  ++expanded_;
  reluctance_ = std::min(reluctance_ + 1, kReluctanceMax);
  resume(index, passed);
}

// Goes on hop by hop behind the port that it has passed last, as in legs_.
void PacketWire::resume(std::uint32_t index, std::size_t passed) {
  Packet& packet = pool_[index];
  if (passed == legs_.size()) return;  // the arrival is as it was
  packet.port = legs_[passed].port;
  pool_.set_ready(index, legs_[passed].start);
  if (passed == 0) {
    packet.on = kNoPort;
    packet.tail_at = {};
    come_to(index, packet.port);
    return;
  }
  const Leg& left = legs_[passed - 1];
  put_on_link(packet, left.port, left.end);
  if (const SimTime looked_up = round_up(left.looked_up); looked_up > instant_) {
    pool_.set_ready(index, left.looked_up);
    queue_.push(looked_up.value, index, payload(Kind::looked_up, 0));
  } else if (const SimTime ready = round_up(legs_[passed].start); ready > instant_) {
    queue_.push(ready.value, index, payload(Kind::ready, 0));
  } else {
    come_to(index, packet.port);
  }
}

}  // namespace holdfast::sim
