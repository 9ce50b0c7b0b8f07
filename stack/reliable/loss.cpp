// What counts as lost: by time and later deliveries on the same rail (RACK, RFC 8985, section 6.2),
// by silence, or because its rail does not work. It is sent again on the best rail there is.
#include <algorithm>
#include <bit>

#include "stack/reliable/sending.hpp"

namespace holdfast::reliable {

namespace {
// So long after the first acknowledgement of a peer that has slept come the others.
constexpr Duration kWakes = milliseconds(1);
}  // namespace

// The copy is no more; whoever calls sees to the fragment's masks.
void Sending::forget_packet(Connection& connection, std::uint32_t i) {
  const SentPacket& packet = core_.sent[i];
  OutboundRail& rail = connection.outbound->rails[packet.rail];
  rail.bytes_under_way -= packet.bytes;
  --rail.packets_under_way;
  UnderWay::remove(core_.sent, rail.under_way, i);
  core_.sent.give(i);
}

void Sending::give_up(Connection& connection, std::uint32_t i) {
  if (core_.sent[i].fragment == kNone) unfold(connection);
  const SentPacket packet = core_.sent[i];
  VirtualFragment& fragment = core_.fragments[packet.fragment];
  forget_packet(connection, i);
  connection.outbound->rails[packet.rail].window.lose(packet.bytes);
  ++core_.given_up[packet.rail];
  fragment.under_way &= ~(std::uint64_t{1} << packet.index);
  fragment.waiting |= std::uint64_t{1} << packet.index;
  fragment.lost_rail = packet.rail;
  fragment.lost_sent = packet.sent();
  enqueue(connection, packet.fragment, SendQueue::again);
}

void Sending::abandon(Connection& connection, std::size_t r) {
  if (connection.outbound == nullptr) return;
  OutboundRail& rail = connection.outbound->rails[r];
  while (!rail.under_way.empty()) give_up(connection, rail.under_way.first);
  rail.attempts = 0;
}

// When the oldest packet counts as lost, of which later ones have been delivered: packets may
// overtake each other by a reordering window. That it has not been delivered is known from a mask
// of its virtual fragment, or from the second acknowledgement that is of others: the one that was
// of it may be lost, and the next one tells again.
Time Sending::loss_deadline(const Connection& connection, std::size_t r) const {
  const OutboundRail& rail = connection.outbound->rails[r];
  if (!rail.has_latest || rail.under_way.empty()) return Time::never();
  const SentPacket& oldest = core_.sent[rail.under_way.first];
  const std::uint32_t told = oldest.missed ? rail.latest_packet : rail.sure_packet;
  if (!is_before(oldest.packet, told)) return Time::never();
  return oldest.sent() + rail.latest_round_trip +
         connection.ways->round_trip(r).reordering_window();
}

void Sending::find_losses(Connection& connection, std::size_t r, Time now) {
  while (loss_deadline(connection, r) <= now) {
    give_up(connection, connection.outbound->rails[r].under_way.first);
  }
}

// Whether another rail has delivered what it was given at a time when what this one has should long
// have been acknowledged. As a window at most doubles with each round trip, so does the queue of
// our own that a packet finds; what others do to it is in the variation.
bool Sending::is_outrun(const Connection& connection, std::size_t r) const {
  const OutboundRail& rail = connection.outbound->rails[r];
  const bool many = rail.packets_under_way >= core_.options.rails.overtaken_packets;
  if (!many || !rail.has_latest || core_.ports[r].is_full()) return false;
  const Time since =
      std::max(core_.sent[rail.under_way.first].sent(), core_.ports[r].ready_since());
  const RoundTrip& round_trip = connection.ways->round_trip(r);
  const Duration usual = round_trip.smoothed() + round_trip.variation() * 2;
  const Time late =
      since + std::max({round_trip.smoothed() * 2, rail.latest_round_trip * 2, usual});
  const auto& rails = connection.outbound->rails;
  return std::any_of(rails.begin(), rails.end(), [&](const OutboundRail& other) {
    return &other != &rail && other.has_latest && other.latest_sent >= late;
  });
}

// One acknowledgement may be of one rail, and the next of the other.
void Sending::find_outrun(Connection& connection, std::size_t r, Time now) {
  OutboundRail& rail = connection.outbound->rails[r];
  if (!is_outrun(connection, r)) {
    rail.outrun_at = Time::never();
  } else if (rail.outrun_at == Time::never()) {
    rail.outrun_at = now;
  } else if (now - rail.outrun_at >= kWakes) {
    connection.ways->handle(r, RailEvent::outrun, now);
    rail.outrun_at = Time::never();
  }
}

// When the rail has been silent for too long. What the fabric has not taken yet is not silence.
Time Sending::silence_deadline(const Connection& connection, std::size_t r) const {
  const OutboundRail& rail = connection.outbound->rails[r];
  if (rail.under_way.empty() || core_.ports[r].is_full()) return Time::never();
  const Time since = std::max(
      {core_.sent[rail.under_way.first].sent(), rail.progress, core_.ports[r].ready_since()});
  return since + connection.ways->round_trip(r).backed_off(rail.attempts);
}

// The oldest fragment is sent again, perhaps elsewhere: its acknowledgement says who is silent, the
// rail or the peer.
void Sending::time_out(Connection& connection, std::size_t r, Time now) {
  OutboundRail& rail = connection.outbound->rails[r];
  connection.ways->timed_out(r, core_.sent[rail.under_way.first].sent(), rail.packets_under_way,
                             now);
  if (rail.attempts < 255) ++rail.attempts;
  rail.progress = now;
  give_up(connection, rail.under_way.first);
}

void Sending::handle_answer(Connection& connection, std::size_t r, Time stamp, Time now) {
  if (connection.outbound == nullptr) return;
  OutboundRail& rail = connection.outbound->rails[r];
  const Time before{stamp.ns - connection.ways->round_trip(r).reordering_window().ns};
  while (!rail.under_way.empty() && core_.sent[rail.under_way.first].sent() < before) {
    give_up(connection, rail.under_way.first);
  }
  rail.attempts = 0;
  rail.progress = now;
}

void Sending::expire(Connection& connection, Time now) {
  if (!connection.sends_something()) return;
  if (is_as_in_paper()) {
    expire_as_in_paper(connection, now);
    return;
  }
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    OutboundRail& rail = connection.outbound->rails[r];
    if (rail.under_way.empty()) {
      rail.outrun_at = Time::never();
      continue;
    }
    find_losses(connection, r, now);
    find_outrun(connection, r, now);
    if (silence_deadline(connection, r) <= now) time_out(connection, r, now);
  }
}

Time Sending::next_deadline(const Connection& connection) const {
  if (!connection.sends_something()) return Time::never();
  Time next = connection.outbound->waits_until;
  if (is_as_in_paper()) return std::min(next, next_deadline_as_in_paper(connection));
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    if (connection.outbound->rails[r].under_way.empty()) continue;
    next = std::min({next, loss_deadline(connection, r), silence_deadline(connection, r)});
    const Time outrun = connection.outbound->rails[r].outrun_at;
    if (outrun != Time::never()) next = std::min(next, outrun + kWakes);
  }
  return next;
}

}  // namespace holdfast::reliable
