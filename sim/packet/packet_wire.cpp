// Ports and links of the fabric, and the first phase of an instant: what arrives. The second is in
// service.cpp.
#include "sim/packet/packet_wire.hpp"

#include <algorithm>

#include "sim/topology/path_times.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {

namespace {

constexpr std::uint64_t kCorruptionStream = 0x636f7272;  // and the port

}  // namespace

PacketWire::PacketWire(const FabricGraph& graph, const Forwarding& forwarding,
                       const PacketWireOptions& options, std::uint64_t seed)
    : forwarding_(&forwarding),
      options_(options),
      arbiter_(options_.lanes),
      lane_count_(static_cast<std::uint32_t>(options.lanes.size())),
      buffer_blocks_(options.buffer_bytes / kBlockBytes),
      credits_(options.flow_control == FlowControl::credits),
      switch_latency_(to_sim_time(options.switch_latency)),
      head_lifetime_(to_sim_time(options.head_lifetime)),
      seed_(seed),
      routes_(graph.host_count()) {
  HOLDFAST_ASSERT(buffer_blocks_ > 0 && buffer_blocks_ <= 0xffff);
  HOLDFAST_ASSERT(switch_latency_ >= SimTime{} && head_lifetime_ >= SimTime{});
  for (const std::uint8_t lane : options.lane_of_service_level) {
    HOLDFAST_ASSERT(lane < lane_count_);
  }
  for (const LaneOptions& lane : options.lanes) HOLDFAST_ASSERT(lane.weight > 0);
  add_ports(graph);
  add_links(graph);
}

void PacketWire::add_ports(const FabricGraph& graph) {
  std::uint32_t count = 0;
  first_port_.reserve(graph.devices().size());
  for (const Device& device : graph.devices()) {
    first_port_.push_back(count);
    count += static_cast<std::uint32_t>(device.ports.size()) - 1;
  }
  ports_.resize(count);
  reservations_.resize(count);
  lanes_.resize(std::size_t{count} * lane_count_);
  for (OutputPort& port : ports_) {
    port.turns = arbiter_.fresh();
    port.times_down = 1;  // until a link is found
  }
}

void PacketWire::add_links(const FabricGraph& graph) {
  link_ports_.reserve(graph.links().size());
  for (const Link& link : graph.links()) {
    const std::uint16_t link_kind = add_link_kind(link);
    std::array<std::uint32_t, 2> both{};
    for (std::size_t side = 0; side < 2; ++side) {
      const LinkEnd& end = link.ends[side];
      const LinkEnd& far = link.ends[1 - side];
      const Device& far_device = graph.device(far.device);
      both[side] = port_index(end.device, end.port);
      OutputPort& port = ports_[both[side]];
      port.link_kind = link_kind;
      port.far_is_switch = far_device.kind == DeviceKind::switch_chip;
      if (port.far_is_switch) port.far = far.device;
      if (far_device.kind == DeviceKind::adapter) port.far = far_device.host.value;
      port.of_switch = graph.device(end.device).kind == DeviceKind::switch_chip;
      port.times_down = 0;
      for (std::uint32_t i = 0; i < lane_count_; ++i) {
        lane(both[side], i).credits = with_credits(port) ? buffer_blocks_ : 0;
      }
    }
    link_ports_.push_back(both);
  }
  const Parts parts = serialisation_.parts_per_unit();
  free_parts_.resize(ports_.size(), parts);
  free_parts_before_.resize(ports_.size(), parts);
  pool_.keep_parts(parts);
  find_host_ports(graph);
}

std::uint16_t PacketWire::add_link_kind(const Link& link) {
  if (link.latency.ns == 0) options_.collapse = false;
  const LinkKind kind{to_sim_time(link.latency), serialisation_.add_rate(link.bits_per_second)};
  std::size_t i = 0;
  while (i < link_kinds_.size() &&
         (link_kinds_[i].latency != kind.latency || link_kinds_[i].rate != kind.rate)) {
    ++i;
  }
  if (i == link_kinds_.size()) link_kinds_.push_back(kind);
  HOLDFAST_ASSERT(i <= 0xffff);
  return static_cast<std::uint16_t>(i);
}

void PacketWire::find_host_ports(const FabricGraph& graph) {
  for (std::uint32_t host = 0; host < graph.host_count(); ++host) {
    const std::uint32_t link = graph.endpoint_link({host});
    std::uint32_t port = kNoPort;
    if (link != kNone) {
      for (const LinkEnd& end : graph.links()[link].ends) {
        const Device& device = graph.device(end.device);
        if (device.kind == DeviceKind::adapter && device.host.value == host) {
          port = port_index(end.device, end.port);
        }
      }
    }
    host_port_.push_back(port);
  }
}

void PacketWire::meet(SimTime now) {
  HOLDFAST_ASSERT(now >= instant_ && now > settled_);
  HOLDFAST_ASSERT(dirty_.empty() || now == instant_);
  instant_ = now;
}

void PacketWire::inject(SimTime now, const Shipment& shipment) {
  meet(now);
  HOLDFAST_ASSERT(shipment.from != shipment.to);
  HOLDFAST_ASSERT(shipment.service_level < kServiceLevels && shipment.path < forwarding_->paths());
  const std::uint32_t index = pool_.take();
  Packet& packet = pool_[index];
  packet.serial = next_serial_++;
  packet.token = shipment.token;
  pool_.set_ready(index, {now.value, 0});
  packet.to = shipment.to.value;
  packet.wire_bytes = shipment.bytes + kPacketOverheadBytes;
  packet.path = shipment.path & 0x7f;
  packet.lane = options_.lane_of_service_level[shipment.service_level] & 0xf;
  HOLDFAST_ASSERT(blocks(packet) <= buffer_blocks_);
  packet.port = host_port_[shipment.from.value];
  if (packet.port == kNoPort) {
    lose(index, PacketFate::no_route);
    return;
  }
  if (worth_trying() && try_collapse(index)) return;
  come_to(index, packet.port);
}

void PacketWire::step() {
  if (!dirty_.empty() && next_event() > instant_.value) {
    settle();
  } else {
    HOLDFAST_ASSERT(!queue_.empty());
    instant_ = {queue_.next_time()};
    do {
      ++events_;
      const QueuedEvent event = queue_.pop();
      prefetch_upcoming();
      handle(event);
    } while (next_event() == instant_.value);
  }
  sort_reports();
}

// A large fabric does not fit into a cache, but the queue knows what is next: first the packet or
// port itself, then, when that is there, what it leads to.
void PacketWire::prefetch_upcoming() const {
  if (const QueuedEvent* far = queue_.upcoming(3)) {
    if (is_of_packet(*far)) {
      pool_.prefetch(far->target);
    } else {
      __builtin_prefetch(&lanes_[std::size_t{far->target} * lane_count_]);
    }
  }
  if (const QueuedEvent* near = queue_.upcoming(1)) {
    std::uint32_t port = near->target;
    if (is_of_packet(*near)) {
      const Packet& packet = pool_[near->target];
      if (static_cast<Kind>(near->payload >> 29) != Kind::looked_up) return;
      port = output_towards(packet, packet.far);
      if (port == kNoPort) return;
      __builtin_prefetch(&lanes_[std::size_t{port} * lane_count_]);
    }
    __builtin_prefetch(&ports_[port]);
  }
}

void PacketWire::handle(const QueuedEvent& event) {
  const std::uint32_t rest = event.payload & 0x1fff'ffff;
  switch (static_cast<Kind>(event.payload >> 29)) {
    case Kind::looked_up:
      look_up(event.target);
      break;
    case Kind::ready:
      come_to(event.target, pool_[event.target].port);
      break;
    case Kind::delivered: {
      const Packet& packet = pool_[event.target];
      if ((packet.generation & 0x1fff'ffff) != rest || packet.tail_at.value != event.time) break;
      // A packet that had to be taken apart may be anywhere at the time it was to be there.
      if (packet.on != kNoPort && !packet.to_switch) deliver(event.target);
      break;
    }
    case Kind::wake:
      if (ports_[event.target].wake_at.value != event.time) break;
      ports_[event.target].wake_at = SimTime::never();
      if (ports_[event.target].waiting > 0) mark_dirty(event.target);
      break;
    case Kind::credits:
      lane(event.target, rest >> 16).credits += rest & 0xffff;
      if (lane(event.target, rest >> 16).first != kNoPacket) mark_dirty(event.target);
      break;
    case Kind::age:
      ports_[event.target].ageing = false;
      if (ports_[event.target].waiting > 0) mark_dirty(event.target);
      break;
  }
}

// What a device sees that has all of the packet.
PacketFate PacketWire::fate_seen(const Packet& packet) {
  if (packet.broken) return PacketFate::cut;
  return packet.corrupted ? PacketFate::corrupted : PacketFate::delivered;
}

void PacketWire::look_up(std::uint32_t index) {
  Packet& packet = pool_[index];
  if (const PacketFate seen = fate_seen(packet);
      seen != PacketFate::delivered && options_.switching == Switching::store_and_forward) {
    lose(index, seen);
    return;
  }
  const std::uint32_t out = output_towards(packet, packet.far);
  if (out == kNoPort) {
    lose(index, PacketFate::no_route);
    return;
  }
  const Instant exactly =
      ready_for(pool_.ready(index), packet.wire_bytes, packet.link_kind, ports_[out].link_kind);
  pool_.set_ready(index, exactly);
  const SimTime ready = round_up(exactly);
  if (ready > instant_) {
    packet.port = out;
    queue_.push(ready.value, index, payload(Kind::ready, 0));
  } else {
    come_to(index, out);
  }
}

std::uint32_t PacketWire::output_towards(const Packet& packet, std::uint32_t device) const {
  const std::uint16_t port = forwarding_->port(device, NodeId{packet.to}, packet.path);
  return port == 0 ? kNoPort : port_index(device, port);
}

Instant PacketWire::ready_for(const Instant& looked_up, std::uint32_t bytes, std::uint32_t in,
                              std::uint32_t out) const {
  if (in == out || options_.switching == Switching::store_and_forward) return looked_up;
  return serialisation_.start_to_keep_up(looked_up, bytes, link_kinds_[in].rate,
                                         link_kinds_[out].rate);
}

void PacketWire::come_to(std::uint32_t index, std::uint32_t port) {
  free_of_reservation(port);
  Packet& packet = pool_[index];
  packet.port = port;
  newcomers_.push_back({packet.serial, index});
  mark_dirty(port);
}

void PacketWire::deliver(std::uint32_t index) {
  const Packet& packet = pool_[index];
  if (packet.collapsed && reluctance_ > 0) --reluctance_;
  if (const PacketFate seen = fate_seen(packet); seen != PacketFate::delivered) {
    lose(index, seen);
  } else if (packet.far != packet.to) {
    lose(index, PacketFate::no_route);
  } else {
    report(index, PacketFate::delivered);
    pool_.give(index);
  }
}

// The packet's last bit leaves the buffer that it holds at `tail_gone`.
void PacketWire::release(Packet& packet, const Instant& tail_gone) {
  if (!packet.holds) return;
  const SimTime home = round_up(tail_gone + link_kinds_[packet.link_kind].latency);
  queue_.push(home.value, packet.on,
              payload(Kind::credits, std::uint32_t{packet.lane} << 16 | blocks(packet)));
  packet.holds = false;
}

// The port has begun to send it and will have sent it at `end`.
void PacketWire::put_on_link(Packet& packet, std::uint32_t port, const Instant& end) const {
  packet.on = port;
  packet.far = ports_[port].far;
  packet.to_switch = ports_[port].far_is_switch;
  packet.link_kind = ports_[port].link_kind;
  packet.tail_at = round_up(end + link_kinds_[packet.link_kind].latency);
}

void PacketWire::lose(std::uint32_t index, PacketFate fate) {
  Packet& packet = pool_[index];
  release(packet, {std::max(instant_, packet.tail_at).value, 0});
  report(index, fate);
  pool_.give(index);
}

void PacketWire::report(std::uint32_t index, PacketFate fate) {
  const Packet& packet = pool_[index];
  ++fates_[static_cast<std::size_t>(fate)];
  reports_.push_back({packet.token, instant_, packet.serial, fate});
}

void PacketWire::sort_reports() {
  if (reports_.size() < 2) return;
  std::sort(reports_.begin(), reports_.end(), [](const PacketReport& a, const PacketReport& b) {
    return a.at != b.at ? a.at < b.at : a.serial < b.serial;
  });
}

void PacketWire::set_link_up(SimTime now, std::uint32_t link, bool up) {
  meet(now);
  for (const std::uint32_t port : link_ports_[link]) set_port_up(port, up);
  sort_reports();
}

void PacketWire::set_port_up(std::uint32_t index, bool up) {
  free_of_reservation(index);
  OutputPort& port = ports_[index];
  if (up) {
    HOLDFAST_ASSERT(port.times_down > 0);
    --port.times_down;
    return;
  }
  if (port.times_down++ > 0) return;
  if (round_up(free_at(index)) > instant_) {
    Packet& sent = pool_[port.sending];
    if (sent.generation == port.sending_generation) sent.broken = true;
    set_free_at(index, {instant_.value, 0});
  }
  for (std::uint32_t i = 0; i < lane_count_; ++i) {
    while (lane(index, i).first != kNoPacket) lose(dequeue(index, i), PacketFate::port_down);
  }
}

void PacketWire::set_quality(SimTime now, std::uint32_t link, std::uint32_t direction,
                             const LinkQuality& quality) {
  meet(now);
  const std::uint32_t port = link_ports_[link][direction];
  free_of_reservation(port);
  ports_[port].impaired = !quality.perfect();
  for (ImpairedPort& known : impaired_) {
    if (known.port != port) continue;
    known.quality = quality;
    return;
  }
  impaired_.push_back({port, quality, Random(seed_, kCorruptionStream, port)});
}

// Of a packet that the impaired port sends. Few ports are impaired.
bool PacketWire::corrupts(std::uint32_t port, const Packet& packet) {
  std::size_t i = 0;
  while (impaired_[i].port != port) ++i;
  return impaired_[i].random.unit() >= impaired_[i].quality.passes(packet.wire_bytes);
}

void PacketWire::take_apart(SimTime now) {
  meet(now);
  for (std::uint32_t i = 0; i < pool_.size(); ++i) {
    if (pool_[i].collapsed) expand(i);
  }
}

void PacketWire::set_forwarding(SimTime now, const Forwarding& forwarding) {
  take_apart(now);  // nothing, if what it looks into is gone
  forwarding_ = &forwarding;
  routes_.forget();
}

bool PacketWire::at_rest() const {
  if (pool_.in_use() > 0 || !dirty_.empty()) return false;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].waiting > 0) return false;
    for (std::uint32_t i = 0; i < lane_count_; ++i) {
      const Lane& lane = lanes_[std::size_t{port} * lane_count_ + i];
      if (lane.first != kNoPacket || lane.waiting_blocks > 0) return false;
      if (with_credits(ports_[port]) && lane.credits != buffer_blocks_) return false;
    }
  }
  return true;
}

std::size_t PacketWire::memory_bytes() const {
  return ports_.size() * (sizeof(OutputPort) + sizeof(Reservation)) + lanes_.size() * sizeof(Lane) +
         pool_.memory_bytes() + queue_.memory_bytes() + routes_.memory_bytes();
}

}  // namespace holdfast::sim
