// What goes next, and on which rail.
#include "stack/reliable/sending.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

namespace holdfast::reliable {

namespace {
constexpr std::uint64_t kFrameful = std::numeric_limits<std::uint64_t>::max();  // as much as fits
}  // namespace

Sending::Loads Sending::loads(const Connection& connection, Time now) const {
  Loads loads;
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    const OutboundRail& rail = connection.outbound->rails[r];
    const Port& port = core_.ports[r];
    const bool carries = connection.may_carry(r) && !port.is_down();
    loads[r].usable = carries && !port.is_full() && has_fair_share(connection, r);
    loads[r].is_full = carries && !loads[r].usable;
    loads[r].bytes_per_second = std::max<std::uint64_t>(rail.rate.bytes_per_second(), 1);
    loads[r].under_way = rail.bytes_under_way;
    loads[r].payload_max = port.payload_max();
    // At least one frame.
    loads[r].window =
        std::max<std::uint64_t>(rail.window.bytes(), port.payload_max() + kMessageHeaderBytes);
    loads[r].latency = connection.ways->round_trip(r).least() / 2;
    loads[r].stalled = now - moved_at(connection, r);
  }
  return loads;
}

// Nobody has more slots and copies under way than are left, so a peer that does not turn, or an
// adapter that completes nothing, leaves some to the others (Choudhury and Hahne's threshold). Nor
// more than the peer has room for: short frames are many before they are a window.
bool Sending::has_fair_share(const Connection& connection, std::size_t r) const {
  if (core_.ports.size() > 1 && core_.ports[r].slots_in_use() >= core_.send_slots.left()) {
    return false;
  }
  std::uint32_t most = core_.sent.left();
  // With the timers of the paper none runs before all of a virtual fragment has been scheduled.
  if (!is_as_in_paper()) most = std::min(most, core_.ports[r].frames_under_way_max());
  return connection.outbound->rails[r].packets_under_way < most;
}

// When the rail did something last that makes room: a packet was acknowledged, its port took
// frames, or, before that, something was sent.
Time Sending::moved_at(const Connection& connection, std::size_t r) const {
  const OutboundRail& rail = connection.outbound->rails[r];
  const Time moved = std::max(rail.progress, core_.ports[r].ready_since());
  if (rail.under_way.empty()) return moved;
  return std::max(moved, core_.sent[rail.under_way.first].sent());
}

// A rail for a frame with `bytes` of payload, whose fragments are `width` long. One that owes an
// answer carries nothing while another one, which does not, could: what it has is perhaps lost, and
// what follows would be late at best.
std::size_t Sending::choose(Connection& connection, const Loads& loads, std::uint32_t width,
                            std::uint64_t bytes, Time now) {
  const std::size_t count = connection.rails.size();
  const auto frame_on = [&](const RailLoad& rail) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, rail.payload_max) +
                                      kMessageHeaderBytes);
  };
  if (count == 1) {
    const RailLoad& only = loads[0];
    const bool has_room = only.under_way + frame_on(only) <= only.window;
    return only.usable && only.payload_max >= width && has_room ? 0 : kNoRail;
  }
  Loads fitting = loads;
  bool one_is_well = false;
  std::uint32_t frame = 0;
  for (std::size_t r = 0; r < count; ++r) {
    if (fitting[r].payload_max < width) fitting[r].usable = fitting[r].is_full = false;
    one_is_well = one_is_well || (fitting[r].usable && connection.outbound->rails[r].attempts == 0);
    frame = std::max(frame, frame_on(fitting[r]));
  }
  for (std::size_t r = 0; r < count; ++r) {
    if (one_is_well && connection.outbound->rails[r].attempts > 0) {
      fitting[r].usable = fitting[r].is_full = false;
    }
    // When equally many bytes would be there is compared; what a rail needs room for is a frame of
    // its own.
    fitting[r].window += frame - frame_on(fitting[r]);
  }
  const RailChoice choice = choose_rail_or_wait(std::span(fitting).first(count), frame);
  if (choice.wait > Duration{}) {
    connection.outbound->waits_until =
        std::min(connection.outbound->waits_until, now + choice.wait);
  }
  return choice.rail;
}

void Sending::send(Connection& connection, Time now) {
  if (!connection.sends_something()) return;
  Outbound& outbound = *connection.outbound;
  outbound.waits_until = Time::never();
  if (send_short(connection, now)) return;
  // In most turns all is sent, and acknowledgements are waited for.
  if (outbound.has_to_send()) {
    Loads now_loads = loads(connection, now);
    bool has_slots = true;
    do {
      if (!core_.send_slots.has_for_data()) core_.flush(now);
      has_slots = core_.send_slots.has_for_data() && core_.sent.has_left();
    } while (has_slots && send_next(connection, now_loads, now));
  }
  const bool has_more = outbound.has_to_send();
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    OutboundRail& rail = outbound.rails[r];
    if (!has_more) {
      rail.rate.limit(rail.bytes_under_way);
    } else if (rail.bytes_under_way + core_.ports[r].payload_max() >= rail.window.bytes()) {
      rail.window.hold_up();
    } else if (core_.ports[r].takes_frames()) {
      // What there is waits for another rail, or for its receiver to take short frames.
      rail.rate.limit(rail.bytes_under_way);
    }
  }
}

bool Sending::send_next(Connection& connection, Loads& loads, Time now) {
  return send_again(connection, loads, now) ||
         send_one(connection, connection.outbound->firsts.first, loads, now) ||
         send_first(connection, loads, now) || send_data(connection, loads, now);
}

bool Sending::send_one(Connection& connection, std::uint32_t i, Loads& loads, Time now) {
  if (i == kNone) return false;
  const std::size_t rail = choose_for(connection, core_.fragments[i], loads, now);
  if (rail == kNoRail) return false;
  send_fragments(connection, i, rail, loads, now);
  return true;
}

// With the timers of the paper: where the rest of it went, as long as that rail is there.
std::size_t Sending::choose_for(Connection& connection, const VirtualFragment& fragment,
                                const Loads& loads, Time now) {
  if (is_as_in_paper() && fragment.sent_before != 0 &&
      connection.ways->state(fragment.rail).carries_data()) {
    const RailLoad& load = loads[fragment.rail];
    return load.usable && load.under_way < load.window ? fragment.rail : kNoRail;
  }
  return choose(connection, loads, fragment.fragment_bytes, fragment.fragment_bytes, now);
}

// The first of a queue whose fragments some rail can carry.
std::uint32_t Sending::first_of(const List& queue, std::uint32_t widest) const {
  std::uint32_t i = queue.first;
  while (i != kNone && core_.fragments[i].fragment_bytes > widest)
    i = FragmentQueue::after(core_.fragments, i);
  return i;
}

bool Sending::send_again(Connection& connection, Loads& loads, Time now) {
  const Outbound& outbound = *connection.outbound;
  std::uint32_t widest = 0;
  // What no rail that is left can carry is cut anew, lost before or not.
  for (bool is_cut = true; is_cut;) {
    const List& queue = !outbound.again.empty()    ? outbound.again
                        : !outbound.firsts.empty() ? outbound.firsts
                                                   : outbound.data;
    if (queue.empty()) return false;
    if (widest == 0) widest = widest_up(connection);
    if (widest == 0) return false;
    is_cut = core_.fragments[queue.first].fragment_bytes > widest &&
             cut_anew(connection, queue.first, widest);
  }
  return send_one(connection, first_of(outbound.again, widest), loads, now);
}

bool Sending::takes_eagerly(Connection& connection, const OutgoingMessage& message,
                            std::uint32_t payload_max) {
  const EndpointLimits& limits = core_.options.limits;
  if (message.bytes > limits.eager_bytes_max ||
      message.bytes > std::uint64_t{payload_max} * kFragmentsMax) {
    return false;
  }
  const auto charge = credit_of(message.bytes);
  if (connection.credit_charged - connection.credit_returned + charge >
      limits.unexpected_bytes / kCreditUnit) {
    return false;
  }
  connection.credit_charged += charge;
  return true;
}

bool Sending::send_first(Connection& connection, Loads& loads, Time now) {
  const std::uint32_t i = connection.outbound->starting.first;
  if (i == kNone) return false;
  OutgoingMessage& message = core_.outgoing[i];
  // What the receiver can remember.
  if (message.number - connection.known_before >= NumberWindow::kWidth) return false;
  if (!has_number_left(connection)) return false;
  const std::size_t rail = choose(connection, loads, 0, message.bytes, now);
  if (rail == kNoRail) return false;
  MessageQueue::remove(core_.outgoing, connection.outbound->starting, i);
  message.started = true;
  const std::uint32_t width = loads[rail].payload_max;
  std::uint32_t fragment = kNone;
  if (takes_eagerly(connection, message, width)) {
    message.upto = message.cut = message.bytes;
    fragment = cut(connection, i, MessageFrameType::eager, 0, message.bytes, width);
  } else {
    message.asked = true;
    fragment = cut(connection, i, MessageFrameType::request, 0, 0, width);
  }
  enqueue(connection, fragment, SendQueue::firsts);
  send_fragment(connection, fragment, rail, loads, now);
  return true;
}

// Where there is nothing to choose: one frame, one rail, and nothing else waits.
bool Sending::send_short(Connection& connection, Time now) {
  const std::uint32_t i = connection.outbound->starting.first;
  const bool is_alone = i != kNone && i == connection.outbound->starting.last &&
                        connection.outbound->again.empty() && connection.outbound->firsts.empty() &&
                        connection.outbound->data.empty() && connection.outbound->granted.empty();
  if (!is_alone || connection.rails.size() > 1) return false;
  OutgoingMessage& message = core_.outgoing[i];
  OutboundRail& rail = connection.outbound->rails[0];
  const Port& port = core_.ports[0];
  const bool is_usable = connection.may_carry(0) && port.takes_frames() &&
                         has_fair_share(connection, 0) && core_.send_slots.has_for_data() &&
                         core_.sent.has_left();
  if (!is_usable || message.bytes > port.payload_max() ||
      rail.bytes_under_way + message.bytes + kMessageHeaderBytes > rail.window.bytes() ||
      message.number - connection.known_before >= NumberWindow::kWidth ||
      !has_number_left(connection) || !takes_eagerly(connection, message, port.payload_max())) {
    return false;
  }
  MessageQueue::remove(core_.outgoing, connection.outbound->starting, i);
  message.started = true;
  message.upto = message.cut = message.bytes;
  const std::uint32_t fragment =
      cut(connection, i, MessageFrameType::eager, 0, message.bytes, port.payload_max());
  post(connection, fragment, 0, now);
  rail.rate.limit(rail.bytes_under_way);
  return true;
}

// One whose fragments fit `width` and fill at least half of it; else none.
std::uint32_t Sending::find_data(const Connection& connection, std::uint32_t width) const {
  for (std::uint32_t i = connection.outbound->data.first; i != kNone;
       i = FragmentQueue::after(core_.fragments, i)) {
    const VirtualFragment& fragment = core_.fragments[i];
    if (fragment.fragment_bytes <= width && fragment.fragment_bytes > width / 2) return i;
  }
  return kNone;
}

bool Sending::send_data(Connection& connection, Loads& loads, Time now) {
  if (connection.outbound->data.empty() && connection.outbound->granted.empty()) return false;
  if (is_as_in_paper() && !connection.outbound->data.empty()) {
    return send_one(connection, connection.outbound->data.first, loads, now);
  }
  std::optional<Loads> left;  // where some are out of the question
  for (;;) {
    const std::size_t rail = choose(connection, left ? *left : loads, 0, kFrameful, now);
    if (rail == kNoRail) return false;
    const std::uint32_t width = loads[rail].payload_max;
    std::uint32_t fragment = find_data(connection, width);
    if (fragment == kNone && !connection.outbound->granted.empty() &&
        has_fragment_left(connection)) {
      cut_data(connection, connection.outbound->granted.first, rail, loads);
      fragment = connection.outbound->data.last;
    }
    for (std::uint32_t i = connection.outbound->data.first; fragment == kNone && i != kNone;
         i = FragmentQueue::after(core_.fragments, i)) {
      if (core_.fragments[i].fragment_bytes <= width) fragment = i;
    }
    if (fragment != kNone) {
      send_fragments(connection, fragment, rail, loads, now);
      return true;
    }
    if (!left) left = loads;
    (*left)[rail].usable = (*left)[rail].is_full = false;  // all that waits is for wider ones
  }
}

MessageHeader Sending::header_of(const VirtualFragment& fragment, unsigned index) const {
  const OutgoingMessage& message = core_.outgoing[fragment.message];
  MessageHeader header;
  header.type = index == 0 ? fragment.type : fragment.next_type;
  header.sender = core_.options.self;
  header.message = message.number;
  header.virtual_fragment = fragment.number;
  if (header.type == MessageFrameType::eager || header.type == MessageFrameType::request) {
    header.context = message.context;
    header.tag = message.tag;
    header.bytes = message.bytes;
  } else {
    header.offset = fragment.offset;
    header.bytes = fragment.bytes;
    header.fragment_bytes = fragment.fragment_bytes;
    header.index = static_cast<std::uint8_t>(index);
  }
  return header;
}

// One, and where there is no other rail all of its virtual fragment that may go: nothing that would
// go before that comes meanwhile.
void Sending::send_fragments(Connection& connection, std::uint32_t i, std::size_t rail,
                             Loads& loads, Time now) {
  send_fragment(connection, i, rail, loads, now);
  if (connection.rails.size() > 1) return;
  const VirtualFragment& fragment = core_.fragments[i];
  while (fragment.waiting != 0 && core_.send_slots.has_for_data() && core_.sent.has_left() &&
         choose_for(connection, fragment, loads, now) != kNoRail) {
    send_fragment(connection, i, rail, loads, now);
  }
}

void Sending::send_fragment(Connection& connection, std::uint32_t i, std::size_t rail, Loads& loads,
                            Time now) {
  post(connection, i, rail, now);
  loads[rail].under_way = connection.outbound->rails[rail].bytes_under_way;
  if (!core_.ports[rail].takes_frames() || !has_fair_share(connection, rail)) {
    loads[rail].usable = false;
    loads[rail].is_full = true;
  }
}

// The first of its fragments that waits.
void Sending::post(Connection& connection, std::uint32_t i, std::size_t rail, Time now) {
  VirtualFragment& fragment = core_.fragments[i];
  const OutgoingMessage& message = core_.outgoing[fragment.message];
  const auto index = static_cast<unsigned>(std::countr_zero(fragment.waiting));
  const std::uint64_t bit = std::uint64_t{1} << index;
  const std::uint32_t slot = core_.send_slots.take();
  const std::uint32_t copy = core_.sent.take();
  HOLDFAST_ASSERT(slot != kNone && copy != kNone && index < fragment.count);

  MessageHeader header = header_of(fragment, index);
  header.packet = connection.rails[rail].next_packet++;
  const std::uint32_t size = fragment.fragment_size(index);
  std::byte* const frame = core_.send_slots.memory(slot, size + kMessageHeaderBytes);
  std::uint32_t apart = 0;  // bytes of payload that go from where they lie
  const std::byte* gathered = nullptr;
  if (has_payload(header.type)) {
    const Port& port = core_.ports[rail];
    const std::uint64_t offset = fragment.fragment_offset(index);
    const std::uint64_t seed = payload_seed(connection.out, message.number, offset);
    if (port.writes(size)) {
      apart = size;
      core_.send_slots.states()[slot].payload = {message.memory, offset, seed, connection.out};
    } else if (message.memory.list == nullptr && port.gathers(size)) {
      apart = size;
      gathered = message.memory.start + offset;
      header.payload_checksum = core_.payload_sum.of({gathered, size}, seed);
    } else {
      header.payload_checksum =
          core_.payload_sum.pack(frame + kMessageHeaderBytes, message.memory, offset, size, seed);
    }
  }
  encode_message_header(header, connection.out, frame);

  SentPacket& packet =
      put_under_way(connection, copy, header.packet,
                    size + static_cast<std::uint32_t>(kMessageHeaderBytes), rail, now);
  packet.fragment = i;
  packet.index = static_cast<std::uint8_t>(index);
  packet.again = (fragment.sent_before & bit) != 0;

  fragment.waiting &= ~bit;
  fragment.under_way |= bit;
  fragment.sent_before |= bit;
  fragment.packets[index] = static_cast<std::uint16_t>(copy);
  ++(packet.again ? core_.counts.fragments_resent : core_.counts.fragments_sent);
  core_.counts.payload_bytes_sent += size;
  if (fragment.waiting == 0) enqueue(connection, i, SendQueue::none);
  if (is_as_in_paper()) schedule_as_in_paper(fragment, rail, now);
  core_.post(connection, rail, slot, packet.bytes - apart, apart, gathered, now);
}

SentPacket& Sending::put_under_way(Connection& connection, std::uint32_t copy, std::uint32_t packet,
                                   std::uint32_t bytes, std::size_t rail, Time now) {
  OutboundRail& way = connection.outbound->rails[rail];
  SentPacket& sent = core_.sent[copy];
  sent.packet = packet;
  sent.bytes = bytes;
  sent.rail = static_cast<std::uint8_t>(rail);
  way.rate.send(way.bytes_under_way, now, sent.stamp);
  UnderWay::append(core_.sent, way.under_way, copy);
  ++way.packets_under_way;
  way.bytes_under_way += bytes;
  return sent;
}

}  // namespace holdfast::reliable
