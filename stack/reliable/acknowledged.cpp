// What acknowledgements and grants say, and what follows for each rail.
#include <algorithm>
#include <bit>

#include "stack/reliable/sending.hpp"

namespace holdfast::reliable {

struct Sending::News {
  const MessageHeader& header;
  Time now;
  std::array<LatestSent, kRailsMax> latest{};
};

// One that has been started; it sends something.
std::uint32_t Sending::find_message(const Connection& connection, std::uint32_t number) const {
  for (const List* const list : {&connection.outbound->heard, &connection.outbound->messages}) {
    for (std::uint32_t i = list->first; i != kNone; i = Messages::after(core_.outgoing, i)) {
      if (core_.outgoing[i].number == number) return core_.outgoing[i].started ? i : kNone;
      if (is_before(number, core_.outgoing[i].number)) break;
    }
  }
  return kNone;
}

bool Sending::handle_acknowledgement(Connection& connection, const MessageHeader& header,
                                     Time now) {
  // It cannot be about what has not been sent.
  const bool sends = connection.sends_something();
  const std::uint32_t end = !sends || connection.outbound->starting.empty()
                                ? connection.next_message
                                : core_.outgoing[connection.outbound->starting.first].number;
  if (is_before(end, header.all_before) || header.rail >= connection.rails.size()) {
    ++core_.counts.out_of_place;
    return false;
  }
  take_credit(connection, header);
  if (sends && acknowledge_alone(connection, header, now)) return !core_.has_many_busy();
  News news{header, now};
  while (sends && !connection.outbound->messages.empty()) {
    const std::uint32_t first = connection.outbound->messages.first;
    if (!is_before(core_.outgoing[first].number, header.all_before)) break;
    deliver_message(connection, first, news);
  }
  if (is_before(connection.known_before, header.all_before)) {
    connection.known_before = header.all_before;
  }
  if (sends) {
    if (header.of_fragments) {
      acknowledge_fragments(connection, header, news);
    } else {
      acknowledge_messages(connection, header, news);
    }
  }
  look_at_named(connection, header, news);
  if (sends) conclude(connection, news);
  return false;
}

// An eager message has arrived, or the request of another one.
void Sending::deliver_message(Connection& connection, std::uint32_t i, News& news) {
  const bool asked = core_.outgoing[i].asked;
  for (std::uint32_t k = core_.outgoing[i].fragments.first; k != kNone;) {
    const std::uint32_t next = MessageFragments::after(core_.fragments, k);
    deliver(connection, k, core_.fragments[k].all(), news);
    k = next;
  }
  if (asked) {
    set_heard(connection, i);
  } else {
    finish(connection, i, Outcome::delivered);
  }
}

// The receiver knows of the request; from now on it is its turn.
void Sending::set_heard(Connection& connection, std::uint32_t i) {
  OutgoingMessage& message = core_.outgoing[i];
  message.heard = true;
  Messages::remove(core_.outgoing, connection.outbound->messages, i);
  Messages::insert_by_number(core_.outgoing, connection.outbound->heard, i);
}

void Sending::acknowledge_messages(Connection& connection, const MessageHeader& header,
                                   News& news) {
  if (header.mask == 0) return;
  for (std::uint32_t i = connection.outbound->messages.first; i != kNone;) {
    const std::uint32_t next = Messages::after(core_.outgoing, i);
    const std::uint32_t bit = core_.outgoing[i].number - header.message;
    if (!core_.outgoing[i].started || (bit >= 64 && bit < 1u << 31)) break;
    if (bit < 64 && (header.mask >> bit & 1) != 0) deliver_message(connection, i, news);
    i = next;
  }
}

void Sending::acknowledge_fragments(Connection& connection, const MessageHeader& header,
                                    News& news) {
  // One that was kept on the way for so long is of another virtual fragment with the same 16 bits.
  if (is_before(header.packet, connection.rails[header.rail].packets_marked[1])) {
    ++core_.counts.out_of_place;
    return;
  }
  std::uint32_t i = connection.outbound->fragments.first;
  while (i != kNone && (core_.fragments[i].number & 0xffff) != header.virtual_fragment) {
    i = Fragments::after(core_.fragments, i);
  }
  if (i == kNone) return;  // it has been delivered
  const std::uint32_t message = core_.fragments[i].message;
  const std::uint64_t offset = core_.fragments[i].offset;
  const std::uint64_t replaced =
      header.mask & core_.fragments[i].replaced & ~core_.fragments[i].delivered;
  note_missed(core_.fragments[i], header);
  deliver(connection, i, header.mask, news);
  // What arrived of a virtual fragment that was cut anew need not be sent again.
  for (std::uint64_t left = replaced; left != 0; left &= left - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(left));
    const VirtualFragment& old = core_.fragments[i];
    deliver_bytes(connection, message, old.fragment_offset(k),
                  old.fragment_offset(k) + old.fragment_size(k), news);
  }
  if (header.before_it) deliver_bytes(connection, message, 0, offset, news);
  finish_if_delivered(connection, message);
}

// What its mask lacks, of what was sent before the packet that it names.
void Sending::note_missed(const VirtualFragment& fragment, const MessageHeader& header) {
  for (std::uint64_t left = fragment.under_way & ~header.mask; left != 0; left &= left - 1) {
    SentPacket& packet = core_.sent[fragment.copy(left)];
    if (packet.rail == header.rail && is_before(packet.packet, header.packet)) packet.missed = true;
  }
}

// Those of a message's fragments that lie whole in [from, to) have arrived. Not so of what was cut
// anew while it is under way: its bytes may have come on another rail, before they were cut, and it
// takes room on its own one until that rail has told of it.
void Sending::deliver_bytes(Connection& connection, std::uint32_t message, std::uint64_t from,
                            std::uint64_t to, News& news) {
  for (std::uint32_t i = core_.outgoing[message].fragments.first; i != kNone;) {
    const VirtualFragment& fragment = core_.fragments[i];
    const std::uint32_t next = MessageFragments::after(core_.fragments, i);
    const std::uint64_t end = fragment.offset + fragment.bytes;
    if (!fragment.is_settled() && fragment.offset < to && end > from) {
      std::uint64_t mask = 0;
      for (unsigned k = 0; k < fragment.count; ++k) {
        const std::uint64_t begins = fragment.fragment_offset(k);
        if (begins >= from && begins + fragment.fragment_size(k) <= to)
          mask |= std::uint64_t{1} << k;
      }
      if (fragment.room == FragmentRoom::piece) mask &= ~fragment.under_way;
      deliver(connection, i, mask, news);
    }
    i = next;
  }
}

void Sending::deliver(Connection& connection, std::uint32_t i, std::uint64_t mask, News& news) {
  VirtualFragment& fragment = core_.fragments[i];
  const bool was_settled = fragment.is_settled();
  const std::uint64_t fresh = mask & fragment.all() & ~fragment.delivered;
  for (std::uint64_t left = fresh & fragment.under_way; left != 0; left &= left - 1) {
    deliver_packet(connection, fragment, fragment.copy(left), news);
  }
  fragment.under_way &= ~fresh;
  const bool ends_waiting = fragment.waiting != 0 && (fragment.waiting & ~fresh) == 0;
  fragment.waiting &= ~fresh;
  fragment.delivered |= fresh;
  if (ends_waiting) {
    enqueue(connection, i, SendQueue::none);
    if (is_as_in_paper()) schedule_as_in_paper(fragment, fragment.rail, news.now);
  }
  if (!was_settled && fragment.is_settled()) settle(connection, i);
}

// A fragment of which a copy is under way has arrived: was it this copy? Its own packet, or a later
// one of its rail, must have come, or else a round trip have passed.
void Sending::deliver_packet(Connection& connection, const VirtualFragment& fragment,
                             std::uint32_t copy, News& news) {
  const SentPacket packet = core_.sent[copy];
  OutboundRail& rail = connection.outbound->rails[packet.rail];
  RoundTrip& round_trip = connection.ways->round_trip(packet.rail);
  const bool same_rail = news.header.rail == packet.rail;
  const bool is_named = same_rail && news.header.packet == packet.packet;
  const bool is_this =
      !packet.again ||
      (same_rail ? !is_before(news.header.packet, packet.packet)
                 : round_trip.measured() && news.now - packet.sent() >= round_trip.least());
  forget_packet(connection, copy);
  if (!is_this) {
    note_late(connection, fragment.lost_rail, fragment.lost_sent, news.now);
    return;
  }
  rail.rate.deliver(packet.stamp, packet.bytes, news.now);
  rail.window.deliver(packet.bytes);
  if (is_named) measure(connection, packet.sent(), news.header, news.now);
  if (!packet.again && rail.has_latest && is_before(packet.packet, rail.latest_packet)) {
    note_late(connection, packet.rail, packet.sent(), news.now);
  }
  LatestSent& latest = news.latest[packet.rail];
  if (!latest.any || is_before(latest.packet, packet.packet)) {
    latest = {true, packet.packet, packet.sent()};
  }
}

// The packet that the acknowledgement names was sent then.
void Sending::measure(Connection& connection, Time sent, const MessageHeader& header, Time now) {
  if (header.delay_us == 0xffff) return;
  const Duration round_trip = now - sent - microseconds(header.delay_us);
  connection.ways->round_trip(header.rail).measure(std::max(round_trip, nanoseconds(1)), now);
}

// A packet has arrived although a later one had been acknowledged before. The window that would
// have waited for it (loss_deadline): many are posted at one time, so the times of sending do not
// tell.
void Sending::note_late(Connection& connection, std::size_t r, Time sent, Time now) {
  const Duration by = now - sent - connection.outbound->rails[r].latest_round_trip;
  if (by > Duration{}) connection.ways->round_trip(r).overtaken(by, now);
}

// The packet that the acknowledgement names has come. If its fragment is not among those that have
// arrived, it came corrupt, and is lost for certain; in an acknowledgement of messages it is one
// for which there was no room, and the rail is well.
void Sending::look_at_named(Connection& connection, const MessageHeader& header, News& news) {
  ConnectionRail& named = connection.rails[header.rail];
  if (named.has_probe && !is_before(header.packet, named.probe_packet)) {
    if (header.packet == named.probe_packet) {
      measure(connection, named.probe_sent, header, news.now);
    }
    named.has_probe = false;
  }
  if (!connection.sends_something()) return;
  const OutboundRail& rail = connection.outbound->rails[header.rail];
  for (std::uint32_t i = rail.under_way.first; i != kNone; i = UnderWay::after(core_.sent, i)) {
    const SentPacket& packet = core_.sent[i];
    if (is_before(packet.packet, header.packet)) continue;
    if (packet.packet != header.packet) return;
    LatestSent& latest = news.latest[header.rail];
    latest = {true, packet.packet, packet.sent()};
    const VirtualFragment& fragment = core_.fragments[packet.fragment];
    const bool is_its = (fragment.number & 0xffff) == header.virtual_fragment;
    if (header.of_fragments && is_its) give_up(connection, i);
    return;
  }
}

// Credit counts modulo 2^16 on the wire; more than has been charged cannot be given back, nor does
// an older acknowledgement take any away. What was said when the receiver knew of fewer messages
// may be a whole round of the count ago, and look like news. While it knows of the same, that takes
// a window full of messages of 128 KiB and more which do not ask, behind one with a hole; then what
// there is no room for is sent again.
void Sending::take_credit(Connection& connection, const MessageHeader& header) {
  if (is_before(header.all_before, connection.known_before)) return;
  const std::uint32_t more = static_cast<std::uint16_t>(header.credit - connection.credit_returned);
  if (more <= connection.credit_charged - connection.credit_returned) {
    connection.credit_returned += more;
  }
}

// The packets of a rail before this one have arrived, or the acknowledgement says that they have
// not: one of messages is silent about those that its mask does not reach.
std::uint32_t Sending::told_before(const OutboundRail& rail, std::uint32_t latest,
                                   const MessageHeader& header) const {
  if (header.of_fragments) return latest;
  for (std::uint32_t i = rail.under_way.first; i != kNone; i = UnderWay::after(core_.sent, i)) {
    const SentPacket& packet = core_.sent[i];
    if (!is_before(packet.packet, latest)) break;
    const std::uint32_t message = core_.fragments[packet.fragment].message;
    const std::uint32_t reached = header.message + kFragmentsMax;
    if (!is_before(core_.outgoing[message].number, reached)) return packet.packet;
  }
  return latest;
}

void Sending::conclude(Connection& connection, const News& news) {
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    if (news.latest[r].any) conclude(connection, r, news.latest[r], news.header, news.now);
  }
}

void Sending::conclude(Connection& connection, std::size_t r, const LatestSent& latest,
                       const MessageHeader& header, Time now) {
  OutboundRail& rail = connection.outbound->rails[r];
  rail.progress = now;
  rail.attempts = 0;
  rail.outrun_at = Time::never();
  const bool is_later = !rail.has_latest || is_before(rail.latest_packet, latest.packet);
  if (!rail.has_latest || !header.of_fragments) {
    const std::uint32_t sure = told_before(rail, latest.packet, header);
    if (!rail.has_latest || is_before(rail.sure_packet, sure)) rail.sure_packet = sure;
  } else if (is_later && rail.latest_at != now) {
    rail.sure_packet = rail.latest_packet;
  }
  if (is_later) {
    rail.latest_at = now;
    rail.has_latest = true;
    rail.latest_packet = latest.packet;
    rail.latest_sent = latest.sent;
    rail.latest_round_trip = now - latest.sent;
  }
  if (is_as_in_paper()) return;
  connection.ways->delivered(r, latest.sent, now);
  if (is_before(rail.latest_packet, rail.round_ends)) return;
  rail.window.end_round();
  rail.round_ends = connection.rails[r].next_packet;
}

void Sending::handle_grant(Connection& connection, const MessageHeader& header) {
  if (!connection.sends_something()) return;
  unfold(connection);
  const std::uint32_t i = find_message(connection, header.message);
  if (i == kNone) return;  // it is over, and this one late
  OutgoingMessage& message = core_.outgoing[i];
  if (!message.asked || header.upto > message.bytes || header.upto == 0) {
    ++core_.counts.out_of_place;
    return;
  }
  message.granted = true;
  if (!message.heard) {
    // The grant says so, too.
    for (std::uint32_t k = message.fragments.first; k != kNone;) {
      const std::uint32_t next = MessageFragments::after(core_.fragments, k);
      forget_fragment(connection, k);
      k = next;
    }
    message.unfinished = 0;
    set_heard(connection, i);
  }
  if (header.upto <= message.upto) return;
  // Not behind those whose grants were not lost: who receives in order waits for it.
  if (message.cut == message.upto)
    MessageQueue::insert_by_number(core_.outgoing, connection.outbound->granted, i);
  message.upto = header.upto;
}

void Sending::finish_if_delivered(Connection& connection, std::uint32_t i) {
  const OutgoingMessage& message = core_.outgoing[i];
  if (message.unfinished > 0 || message.cut < message.upto) return;
  if (message.asked && !message.granted) {
    if (!message.heard) set_heard(connection, i);
    return;
  }
  finish(connection, i, Outcome::delivered);
}

// Whatever of it is still under way.
void Sending::forget_fragment(Connection& connection, std::uint32_t i) {
  VirtualFragment& fragment = core_.fragments[i];
  for (std::uint64_t left = fragment.under_way; left != 0; left &= left - 1) {
    forget_packet(connection, fragment.copy(left));
  }
  fragment.under_way = 0;
  discard(connection, i);
}

void Sending::finish(Connection& connection, std::uint32_t i, Outcome outcome) {
  OutgoingMessage& message = core_.outgoing[i];
  for (std::uint32_t k = message.fragments.first; k != kNone;) {
    const std::uint32_t next = MessageFragments::after(core_.fragments, k);
    forget_fragment(connection, k);
    k = next;
  }
  if (!message.started) MessageQueue::remove(core_.outgoing, connection.outbound->starting, i);
  if (message.cut < message.upto) {
    MessageQueue::remove(core_.outgoing, connection.outbound->granted, i);
  }
  Messages::remove(core_.outgoing,
                   message.heard ? connection.outbound->heard : connection.outbound->messages, i);
  core_.requests.complete(message.request, outcome, {connection.peer, message.context, message.tag},
                          message.bytes);
  core_.outgoing.give(i);
}

void Sending::end(Connection& connection, Outcome outcome) {
  if (connection.outbound == nullptr) return;
  unfold(connection);
  for (List* const list : {&connection.outbound->heard, &connection.outbound->messages}) {
    while (!list->empty()) finish(connection, list->first, outcome);
  }
  rest(connection);
}

}  // namespace holdfast::reliable
