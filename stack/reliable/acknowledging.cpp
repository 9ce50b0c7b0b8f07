// When an acknowledgement is due, what it says, and on which rail it goes.
#include "stack/reliable/acknowledging.hpp"

#include <algorithm>

namespace holdfast::reliable {

namespace {
// A rail on which nothing has come for so long while others brought something is not trusted with
// an acknowledgement. Shorter than the time-outs of whoever waits for it with a queue before it.
constexpr Duration kSilentBeside = milliseconds(1);
}  // namespace

void Acknowledging::note(Connection& connection, std::size_t r, const MessageHeader& header,
                         std::uint32_t bytes, Time at) {
  ConnectionRail& rail = connection.rails[r];
  Owed& owed = connection.owed;
  if (is_before(rail.packet_received, header.packet)) {
    // Something was lost, or is late.
    const bool is_gap = header.packet != rail.packet_received + 1;
    if (is_gap && !is_as_in_paper()) owe(connection, Owed::When::now);
    rail.packet_received = header.packet;
    rail.received_at = at;
    rail.has_received = true;
    owed.latest_rail = static_cast<std::uint8_t>(r);
  }
  owed.bytes += bytes;
  // Whether a fragment is the last one of its message, and need not be acknowledged at once, is
  // known to Receiving.
  const bool is_fragment =
      header.type == MessageFrameType::data || header.type == MessageFrameType::fragment;
  if (!is_fragment) owe(connection, due_for_bytes(connection));
  // Who may have no more than a few under way waits for these before the rail has been emptied.
  if (has_seal(header.type) || is_as_in_paper()) return;
  if (++owed.frames >= core_.ports[r].frames_under_way_max() / 4) {
    owe(connection, Owed::When::now);
    core_.pressing = core_.index_of(connection);
  }
}

void Acknowledging::owe(Connection& connection, Owed::When when) {
  Owed& owed = connection.owed;
  if (when <= owed.when) return;
  owed.when = when;
  owed.turn = turn_;
  if (when == Owed::When::next_turn) {
    core_.activate_to_pay(connection);
  } else {
    core_.activate(connection);
  }
}

void Acknowledging::owe(Connection& connection, const Touched& touched, Owed::When when, Time now) {
  Owed& owed = connection.owed;
  if (owed.when == Owed::When::nothing) owed.since = now;
  if (owed.fragments == nullptr) owed.fragments = &core_.owed_fragments.take();
  OwedFragments& of = *owed.fragments;
  std::size_t i = 0;
  while (i < of.touched_count && of.touched[i].virtual_fragment != touched.virtual_fragment) ++i;
  if (i == OwedFragments::kTouchedMax) {
    send_all(connection, now);
    // There was no slot: one of them is told with the next duplicate.
    of.touched_count = std::min<std::uint8_t>(of.touched_count, OwedFragments::kTouchedMax - 1);
    i = of.touched_count;
  }
  // A late copy of an eager frame does not know how long its virtual fragment is.
  const bool says_more = i == of.touched_count || of.touched[i].bytes < touched.bytes;
  if (says_more) of.touched[i] = touched;
  of.touched_count = std::max(of.touched_count, static_cast<std::uint8_t>(i + 1));
  owe(connection, when);
}

void Acknowledging::forget(Connection& connection, std::uint32_t message) {
  if (connection.owed.fragments == nullptr) return;
  OwedFragments& of = *connection.owed.fragments;
  const bool by_number = !core_.incoming[message].is_rendezvous;
  const auto forget_in = [&](std::span<Touched> some, std::uint8_t& count) {
    for (std::size_t i = 0; i < count;) {
      if (some[i].message != message) {
        ++i;
      } else if (by_number) {
        some[i] = some[--count];
      } else {
        some[i++].message = kNone;
      }
    }
  };
  forget_in(of.touched, of.touched_count);
  forget_in(of.told, of.told_count);
}

void Acknowledging::rest(Connection& connection) {
  OwedFragments* const of = connection.owed.fragments;
  if (of == nullptr || !of->may_rest()) return;
  *of = {};
  core_.owed_fragments.give(*of);
  connection.owed.fragments = nullptr;
}

void Acknowledging::end(Connection& connection) {
  if (connection.owed.fragments != nullptr) *connection.owed.fragments = {};
  rest(connection);
  connection.owed = {};
}

bool Acknowledging::is_due(const Connection& connection, Time now) const {
  const Owed& owed = connection.owed;
  switch (owed.when) {
    case Owed::When::nothing:
      return false;
    case Owed::When::later:
      return is_as_in_paper() ? false : now >= owed.since + patience();
    case Owed::When::next_turn:
      return turn_ != owed.turn;
    case Owed::When::turn_ends:
    case Owed::When::now:
      return true;
  }
  return false;
}

void Acknowledging::send(Connection& connection, Time now) {
  if (is_due(connection, now)) send_all(connection, now);
}

void Acknowledging::send_urgent(Connection& connection, Time now, Owed::When least) {
  if (connection.owed.when >= least) send_all(connection, now);
}

void Acknowledging::send_early(Connection& connection, Time now) {
  if (connection.owed.when >= Owed::When::next_turn) send_all(connection, now);
}

Time Acknowledging::next_deadline(const Connection& connection, Time now) const {
  const Owed& owed = connection.owed;
  // What found no room waits for the event that says that there is some, not for a moment.
  if (owed.when == Owed::When::nothing || owed.is_refused) return Time::never();
  if (owed.when == Owed::When::later) {
    return is_as_in_paper() ? Time::never() : owed.since + patience();
  }
  return now;
}

bool Acknowledging::is_all_before(const Touched& touched) const {
  if (touched.message == kNone) return true;
  const IncomingMessage& message = core_.incoming[touched.message];
  return message.ranges.has_begun() && message.ranges.prefix(core_.range_blocks) >= touched.offset;
}

// A request's is full once it is known, and so are those of a message that has arrived whole.
std::uint64_t Acknowledging::mask_of(const Touched& touched) const {
  if (touched.message == kNone || touched.fragment_bytes == 0) return ~std::uint64_t{0};
  const IncomingMessage& message = core_.incoming[touched.message];
  if (!message.ranges.has_begun()) return 0;
  std::uint64_t mask = 0;
  std::uint64_t from = touched.offset;
  const std::uint64_t end = touched.offset + touched.bytes;
  if (touched.bytes > 0 && message.ranges.prefix(core_.range_blocks) >= end) {  // mostly
    const std::uint32_t count = (touched.bytes - 1) / touched.fragment_bytes + 1;
    return ~std::uint64_t{0} >> (kFragmentsMax - std::min(count, kFragmentsMax));
  }
  for (unsigned i = 0; i < kFragmentsMax && from < end; ++i) {
    const std::uint64_t to = std::min(from + touched.fragment_bytes, end);
    if (message.ranges.overlap(core_.range_blocks, from, to) == ReceivedRanges::Overlap::all) {
      mask |= std::uint64_t{1} << i;
    }
    from = to;
  }
  return mask;
}

// One for each virtual fragment, which also says up to where all messages have arrived; if there is
// none, or messages have arrived beyond, one of messages. What is not sent stays owed.
void Acknowledging::send_all(Connection& connection, Time now) {
  Owed& owed = connection.owed;
  owed.is_refused = true;
  MessageHeader header;
  header.type = MessageFrameType::acknowledgement;
  header.sender = core_.options.self;
  header.all_before = connection.received.all_before();
  header.credit = static_cast<std::uint16_t>(connection.credit_given);
  header.heard = core_.heard_lately(connection, now);
  header.rail = owed.latest_rail;
  const ConnectionRail& rail = connection.rails[owed.latest_rail];
  header.packet = rail.packet_received;
  const std::int64_t kept = rail.has_received ? (now - rail.received_at).ns / 1000 : 0;
  header.delay_us = static_cast<std::uint16_t>(std::clamp<std::int64_t>(kept, 0, 0xffff));

  const bool says = owed.fragments != nullptr && !owed.fragments->is_empty();
  if (says && !post_touched(connection, header, now)) return;
  if (!says || connection.received.beyond() > 0) {
    if (!post_messages(connection, header, now)) return;
  }
  core_.pay(connection);
  owed.is_refused = false;
  owed.when = Owed::When::nothing;
  owed.on_rails = 0;
  owed.bytes = owed.frames = 0;
  connection.credit_told = connection.credit_given;
}

// First once more what the one before it told, unless this one tells as much; that one may have
// been lost.
bool Acknowledging::post_touched(Connection& connection, MessageHeader& header, Time now) {
  OwedFragments& of = *connection.owed.fragments;
  const auto end = std::remove_if(of.told.begin(), of.told.begin() + of.told_count,
                                  [&](const Touched& told) { return makes_up_for(of, told); });
  of.told_count = static_cast<std::uint8_t>(end - of.told.begin());
  if (of.told_count > 0) begin_datagram(connection);
  for (; of.told_count > 0; --of.told_count) {
    if (!post_fragments(connection, header, of.told[of.told_count - 1u], now)) return false;
  }
  while (of.touched_count > 0) {
    const Touched touched = of.touched[of.touched_count - 1u];
    if (!post_fragments(connection, header, touched, now)) return false;
    if (touched.bytes > 0) of.told[of.told_count++] = touched;
    --of.touched_count;
  }
  return true;
}

// One that waits until its rail is flushed may be lost with all that it tells.
void Acknowledging::begin_datagram(const Connection& connection) {
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    core_.ports[r].end_acknowledgements(connection.rails[r].peer);
  }
}

// Whether what is owed tells as much: it is of the same one and knows as much of it, or of a later
// one of its message, and all of the message before that has arrived.
bool Acknowledging::makes_up_for(const OwedFragments& owed, const Touched& told) const {
  return std::any_of(owed.touched.begin(), owed.touched.begin() + owed.touched_count,
                     [&](const Touched& touched) {
                       if (touched.virtual_fragment == told.virtual_fragment) {
                         return touched.message == kNone || touched.bytes >= told.bytes;
                       }
                       return told.message != kNone && touched.message == told.message &&
                              touched.offset >= told.offset + told.bytes && is_all_before(touched);
                     });
}

bool Acknowledging::post_fragments(Connection& connection, MessageHeader& header,
                                   const Touched& touched, Time now) {
  header.of_fragments = true;
  header.virtual_fragment = touched.virtual_fragment;
  header.mask = mask_of(touched);
  header.before_it = is_all_before(touched);
  return post(connection, header, now);
}

// One for all of the messages beyond the first hole that a mask reaches, and for the next ones.
bool Acknowledging::post_messages(Connection& connection, MessageHeader& header, Time now) {
  header.of_fragments = header.before_it = false;
  std::uint32_t distance = 0;
  do {
    header.virtual_fragment = 0;
    header.message = header.all_before + distance;
    header.mask = connection.received.mask_from(distance);
    if (!post(connection, header, now)) return false;
    distance += kFragmentsMax;
  } while (distance < connection.received.beyond());
  return true;
}

bool Acknowledging::post(Connection& connection, const MessageHeader& header, Time now) {
  unsigned rails = connection.owed.on_rails;
  if (rails == 0) {
    const std::size_t best = best_rail(connection);
    if (best == kNoRail) return false;
    rails = 1u << best;
  }
  bool posted = false;
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    if ((rails >> r & 1) == 0 || connection.rails[r].peer == kNoPeer) continue;
    if (!core_.post_control(connection, r, header, now)) continue;
    ++core_.counts.acknowledgements_sent;
    posted = true;
  }
  return posted;
}

// Of the rails on which the peer sends, the quickest: it may have left the others because they are
// dead, and acknowledgements that are lost there are not missed for a timeout.
std::size_t Acknowledging::best_rail(const Connection& connection) const {
  if (connection.rails.size() == 1) return connection.rails[0].peer != kNoPeer ? 0 : kNoRail;
  unsigned candidates = 0;
  bool any_measured = false;
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    if (!connection.ways->state(r).carries_data()) continue;
    any_measured = any_measured || connection.ways->round_trip(r).measured();
    const bool sends = connection.rails[r].peer != kNoPeer && core_.ports[r].takes_frames();
    if (sends) candidates |= 1u << r;
  }
  const unsigned heard = candidates & connection.ways->heard_with_others(kSilentBeside);
  if (heard != 0) candidates = heard;
  std::size_t best = kNoRail;
  Duration least{};
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    if ((candidates >> r & 1) == 0) continue;
    // If nothing was measured: the rail of what came last arrives in the other direction, at least.
    const RoundTrip& round_trip = connection.ways->round_trip(r);
    const Duration latency = round_trip.measured() ? round_trip.smoothed()
                             : !any_measured && r == connection.owed.latest_rail
                                 ? nanoseconds(1)
                                 : core_.options.round_trip.first;
    if (best != kNoRail && latency >= least) continue;
    best = r;
    least = latency;
  }
  if (best != kNoRail) return best;
  const std::size_t latest = connection.owed.latest_rail;
  return connection.rails[latest].peer != kNoPeer ? latest : kNoRail;
}

}  // namespace holdfast::reliable
