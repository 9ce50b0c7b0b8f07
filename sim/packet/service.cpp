// The second phase of an instant: queues take in what has come, and ports send.
#include <algorithm>

#include "sim/packet/packet_wire.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {

void PacketWire::settle() {
  if (newcomers_.size() > 1) {
    std::sort(newcomers_.begin(), newcomers_.end(),
              [](const Newcomer& a, const Newcomer& b) { return a.serial < b.serial; });
  }
  for (const Newcomer& newcomer : newcomers_) enqueue(newcomer.packet);
  newcomers_.clear();
  for (const std::uint32_t port : dirty_) serve(port);
  dirty_.clear();
  settled_ = instant_;
}

void PacketWire::enqueue(std::uint32_t index) {
  Packet& packet = pool_[index];
  OutputPort& port = ports_[packet.port];
  Lane& queue = lane(packet.port, packet.lane);
  if (port.times_down > 0) {
    lose(index, PacketFate::port_down);
    return;
  }
  const bool limited = !credits_ && port.of_switch;
  if (limited && queue.waiting_blocks + blocks(packet) > buffer_blocks_) {
    lose(index, PacketFate::queue_full);
    return;
  }
  packet.next = kNoPacket;
  if (queue.first == kNoPacket) {
    queue.first = index;
    queue.head_since = instant_;
  } else {
    pool_[queue.last].next = index;
  }
  queue.last = index;
  queue.waiting_blocks += blocks(packet);
  ++port.waiting;
}

std::uint32_t PacketWire::dequeue(std::uint32_t port, std::uint32_t lane_number) {
  Lane& queue = lane(port, lane_number);
  const std::uint32_t index = queue.first;
  queue.first = pool_[index].next;
  queue.head_since = instant_;
  queue.waiting_blocks -= blocks(pool_[index]);
  if (--ports_[port].waiting == 0) ports_[port].turns = arbiter_.fresh();
  return index;
}

void PacketWire::serve(std::uint32_t index) {
  OutputPort& port = ports_[index];
  port.dirty = false;
  if (port.waiting > 0) {
    bool may_send = round_up(free_at(index)) <= instant_ && !send_one(index);
    while (discard_old(index) && may_send) may_send = !send_one(index);
  }
  if (port.waiting == 0) return;
  // A port that is free now waits for credits: they will wake it.
  if (const SimTime free = round_up(free_at(index)); free > instant_) wake(index, free);
  expect_old(index);
}

bool PacketWire::send_one(std::uint32_t index) {
  OutputPort& port = ports_[index];
  const std::uint32_t chosen = arbiter_.choose(port.turns, [&](std::uint32_t number) {
    const Lane& queue = lane(index, number);
    if (queue.first == kNoPacket) return 0u;
    const std::uint32_t wanted = blocks(pool_[queue.first]);
    return with_credits(port) && queue.credits < wanted ? 0u : wanted;
  });
  if (chosen == kNoLane) return false;
  send(index, chosen);
  return true;
}

void PacketWire::send(std::uint32_t index, std::uint32_t lane_number) {
  OutputPort& port = ports_[index];
  const std::uint32_t packet_index = dequeue(index, lane_number);
  Packet& packet = pool_[packet_index];
  // What made it wait besides the port, credits or an older head, ended now.
  Instant start = std::max(free_at(index), pool_.ready(packet_index));
  if (round_up(start) < instant_) start = {instant_.value, 0};
  const Instant end =
      serialisation_.end(start, packet.wire_bytes, link_kinds_[port.link_kind].rate);
  release(packet, end);
  set_free_at(index, end);
  port.sending = packet_index;
  port.sending_generation = packet.generation;
  put_on_link(packet, index, end);
  if (port.impaired && corrupts(index, packet)) packet.corrupted = true;
  ++hops_;
  if (!packet.to_switch) {
    // Never at the instant of the start: deliveries are reported in the first phase.
    packet.tail_at = std::max(packet.tail_at, instant_ + SimTime{1});
    queue_.push(packet.tail_at.value, packet_index, payload(Kind::delivered, packet.generation));
    return;
  }
  if (credits_) {
    lane(index, lane_number).credits -= blocks(packet);
    packet.holds = true;
  }
  const Instant& come = options_.switching == Switching::cut_through ? start : end;
  const Instant looked_up = come + link_kinds_[port.link_kind].latency + switch_latency_;
  pool_.set_ready(packet_index, looked_up);
  queue_.push(round_up(looked_up).value, packet_index, payload(Kind::looked_up, 0));
}

// True if any was discarded. Adapters have no limit: the host's memory blocks nobody else.
bool PacketWire::discard_old(std::uint32_t index) {
  if (!credits_ || head_lifetime_ == SimTime{} || !ports_[index].of_switch) return false;
  bool any = false;
  for (std::uint32_t i = 0; i < lane_count_; ++i) {
    const Lane& queue = lane(index, i);
    if (queue.first == kNoPacket || queue.head_since + head_lifetime_ > instant_) continue;
    lose(dequeue(index, i), PacketFate::too_old);
    any = true;
  }
  return any;
}

// Heads only become younger, so the event comes early rather than late, and looks again.
void PacketWire::expect_old(std::uint32_t index) {
  OutputPort& port = ports_[index];
  if (port.ageing || !credits_ || head_lifetime_ == SimTime{} || !ports_[index].of_switch) return;
  SimTime oldest = SimTime::never();
  for (std::uint32_t i = 0; i < lane_count_; ++i) {
    const Lane& queue = lane(index, i);
    if (queue.first != kNoPacket) oldest = std::min(oldest, queue.head_since);
  }
  port.ageing = true;
  queue_.push((oldest + head_lifetime_).value, index, payload(Kind::age, 0));
}

void PacketWire::mark_dirty(std::uint32_t index) {
  if (ports_[index].dirty) return;
  ports_[index].dirty = true;
  dirty_.push_back(index);
}

void PacketWire::wake(std::uint32_t index, SimTime at) {
  OutputPort& port = ports_[index];
  if (port.wake_at <= at) return;
  port.wake_at = at;
  queue_.push(at.value, index, payload(Kind::wake, 0));
}

}  // namespace holdfast::sim
