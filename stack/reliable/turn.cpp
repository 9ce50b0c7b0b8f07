// A turn: what the rails bring, then deadlines, then what may be sent and what is owed.
#include <algorithm>
#include <utility>

#include "stack/reliable/parts.hpp"

namespace holdfast::reliable {

namespace {
// Events, and bytes, that a turn handles before it sends again, so that nobody's flood keeps the
// others waiting. Deadlines fire only when nothing waits any more; but not even a flood without end
// keeps them longer than its patience. That is more than fits in buffers: the answer that a rail's
// silence is held against comes before the next time.
constexpr std::size_t kEventsOfATurn = 4096, kBytesOfATurn = 64 << 20;
constexpr Duration kFloodPatience = milliseconds(10);
constexpr std::size_t kEventsUntilUrgent = 64;
// What may wait until the turn ends does not wait for others' floods.
constexpr std::size_t kEventsUntilAll = 2 * kEventsUntilUrgent;
// So many frames to a peer may be under way, and another message goes by itself: more are a stream,
// and go together in the next turn.
constexpr std::uint32_t kFewUnderWay = 4;
}  // namespace

Time Endpoint::Parts::turn(Time told) {
  Time now = not_before_latest(told);
  acknowledging.begin_turn();
  handle_deferred();
  core.is_changed = core.is_changed || core.has_to_look_next();
  core.is_changed_for_next = false;
  core.owing = kNone;
  if (core.is_changed && core.has_just_looked(now)) send_commands(now);
  const bool emptied = poll(now);
  now = latest;
  if (emptied) core.emptied_at = now;
  // What is said after a deadline has passed may lie unread before who is flooded.
  const bool looks = emptied || now - deadlines_at >= kFloodPatience;
  if (looks) deadlines_at = now;
  if (core.is_changed || core.due <= now) {
    handle_deferred();  // no deadline passes while an acknowledgement lies here
    core.due = look_after_all(emptied, looks, now);
  }
  return emptied && !core.has_to_look_next() && !deferred ? core.due : now;
}

// Deadlines fire if it `looks`. Returns when it is due again.
Time Endpoint::Parts::look_after_all(bool emptied, bool looks, Time now) {
  core.is_changed = core.is_changed_for_next = false;
  core.owing = kNone;
  if (emptied) watch_completions(now);
  // Whoever was first is last in the next turn: slots may be few. Connections that are activated
  // meanwhile come next time.
  const std::size_t count = core.active.size();
  if (count > 1) std::rotate(core.active.begin(), core.active.begin() + 1, core.active.end());
  for (std::size_t i = 0; i < count; ++i) {
    Connection& connection = core.connections[core.active[i]];
    if (!connection.is_live) continue;
    if (looks) expire(connection, now);
    if (!connection.is_live) continue;
    if (looks) follow_orders(connection, now);
    receiving.send_waiting_grants(connection, now);
    sending.send(connection, now);
    acknowledging.send(connection, now);
  }
  core.flush(now);
  return finish_turn(now);
}

// So few that another message is posted when it is sent, and not in the next turn.
bool Endpoint::Parts::has_few_under_way(const Connection& connection) {
  std::uint32_t under_way = 0;
  for (const OutboundRail& rail : connection.outbound->rails) under_way += rail.packets_under_way;
  return under_way < kFewUnderWay;
}

// An answer of the program need not wait until the rails have been looked at in vain. Its
// acknowledgement comes after it, and after that look: it says what has been heard.
void Endpoint::Parts::send_commands(Time now) {
  bool any = false;
  for (const std::uint32_t i : core.active) {
    Connection& connection = core.connections[i];
    if (!connection.sends_something() || connection.outbound->starting.empty()) continue;
    sending.send(connection, now);
    any = true;
  }
  if (any) core.flush(now);
}

// False: there is more.
bool Endpoint::Parts::poll(Time now) {
  for (Port& port : core.ports) port.begin_turn();
  std::size_t bytes = 0;
  for (std::size_t handled = 1;; ++handled) {
    const std::size_t from = rail_of_oldest();
    if (from == kNoRail) return true;
    const Event& event = *core.ports[from].oldest();
    // Whoever polls may not have read the clock for some turns.
    now = not_before_latest(event.at);
    bytes += event.size;
    handle(from, event, now);
    core.ports[from].next();
    if (core.pressing != kNone) acknowledge_pressing(now);
    if (handled % kEventsUntilAll == 0) {
      acknowledge_urgent(Owed::When::turn_ends, now);
    } else if (handled % kEventsUntilUrgent == 0) {
      acknowledge_urgent(Owed::When::now, now);
    }
    if (handled == kEventsOfATurn || bytes >= kBytesOfATurn) return false;
  }
}

// kNoRail: nothing has come.
std::size_t Endpoint::Parts::rail_of_oldest() {
  if (core.ports.size() == 1) return core.ports[0].oldest() == nullptr ? kNoRail : 0;
  std::size_t from = kNoRail;
  Time at;
  for (std::size_t r = 0; r < core.ports.size(); ++r) {
    const Event* const event = core.ports[r].oldest();
    if (event == nullptr || (from != kNoRail && event->at >= at)) continue;
    from = r;
    at = event->at;
  }
  return from;
}

void Endpoint::Parts::handle(std::size_t r, const Event& event, Time now) {
  Port& port = core.ports[r];
  handle_deferred();  // in their order
  if (event.kind == EventKind::received) {
    std::span<const std::byte> left = port.frame(event);
    if (event.placed != nullptr) {
      handle_frame(r, left, {{event.placed, event.size - left.size()}, true}, event.at, now);
      return;
    }
    const std::uint32_t done = core.requests.done();
    do {
      const std::span<const std::byte> frame = first_message_frame(left);
      left = left.subspan(frame.size());
      if (may_defer(r, frame, left)) {
        defer(r, frame, now);
        continue;
      }
      const std::size_t beginning = std::min(frame.size(), kMessageHeaderBytes);
      handle_frame(r, frame.first(beginning), {frame.subspan(beginning), false}, event.at, now);
    } while (!left.empty());
    if (core.requests.done() == done) handle_deferred();  // nobody waited for what is behind it
    return;
  }
  core.is_changed = true;  // there may be room for what waits
  switch (event.kind) {
    case EventKind::received:
      break;
    case EventKind::sent:
      handle_sent(r, event, now);
      break;
    case EventKind::writable:
      port.set_writable(now);
      break;
    case EventKind::peer_down:
      for (Connection& connection : core.connections) {
        if (!connection.is_live || connection.rails[r].peer != event.peer) continue;
        connection.ways->handle(r, RailEvent::failed_here, now);
        core.activate(connection);
      }
      break;
    case EventKind::port_down:
      port.set_down(true);
      tell_all(r, RailEvent::failed_here, now);
      break;
    case EventKind::port_up:
      port.set_down(false);
      tell_all(r, RailEvent::port_up, now);
      break;
    case EventKind::attached:
    case EventKind::path_migrated:
    case EventKind::path_migration_failed:
      break;  // of connections, which are not used
  }
}

void Endpoint::Parts::tell_all(std::size_t r, RailEvent event, Time now) {
  for (Connection& connection : core.connections) {
    if (!connection.is_live) continue;
    connection.ways->handle(r, event, now);
    core.activate(connection);
  }
}

void Endpoint::Parts::handle_sent(std::size_t r, const Event& event, Time now) {
  const std::uint32_t slot = Port::slot_of(event.cookie);
  if (slot == kNone) {
    handle_inline_failure(r, event, now);
    return;
  }
  const SendSlot state = core.send_slots.states()[slot];
  core.ports[r].sent(slot, now);
  if (event.completion == Completion::ok || event.completion == Completion::flushed) return;
  Connection& connection = core.connections[state.connection];
  if (!connection.is_live || connection.life != state.life) return;
  connection.ways->handle(r, RailEvent::failed_here, now);
  core.activate(connection);
}

// The frame had no way to its peer, and none after it has one for now. Without another rail that is
// a loss as any other: to hold the rail down would only make an outage longer.
void Endpoint::Parts::handle_inline_failure(std::size_t r, const Event& event, Time now) {
  const std::uint32_t i = Port::connection_of(event.cookie);
  if (event.completion != Completion::local_error || i >= core.connections.size()) return;
  Connection& connection = core.connections[i];
  const bool is_its = connection.is_live && Port::is_of(event.cookie, i, connection.life);
  if (!is_its || connection.rails.size() == 1) return;
  connection.ways->handle(r, RailEvent::failed_here, now);
  core.activate(connection);
}

std::byte* Endpoint::Parts::place(std::span<const std::byte> beginning, std::uint32_t frame_bytes) {
  const ProcessId sender = sender_of_message_frame(beginning);
  Connection* const connection = sender == kNoProcess ? nullptr : core.find(sender);
  if (connection == nullptr || !connection->is_live) return nullptr;
  if (!has_payload(type_of_message_frame(beginning))) return nullptr;
  const std::size_t payload_bytes = frame_bytes - kMessageHeaderBytes;
  MessageHeader header;
  const MessageDecodeStatus status =
      decode_message_header(beginning, payload_bytes, connection->in, false, header);
  if (status != MessageDecodeStatus::ok) return nullptr;
  return receiving.place(*connection, header, payload_bytes, latest);
}

void Endpoint::Parts::handle_frame(std::size_t r, std::span<const std::byte> beginning,
                                   const ArrivedPayload& payload, Time at, Time now) {
  const ProcessId sender = sender_of_message_frame(beginning);
  if (sender == kNoProcess) {
    ++core.counts.malformed;
    return;
  }
  Connection* const connection = core.find(sender);
  if (connection == nullptr || !(connection->is_live || connection->is_given_up)) {
    ++core.counts.unverified;
    return;
  }
  const bool sealed = core.seal != nullptr && has_seal(type_of_message_frame(beginning));
  if (sealed && (!payload.bytes.empty() || !core.seal->matches(connection->key_in, beginning))) {
    ++core.counts.unverified;
    return;
  }
  MessageHeader header;
  const MessageDecodeStatus status =
      decode_message_header(beginning, payload.bytes.size(), connection->in, sealed, header);
  if (status != MessageDecodeStatus::ok) {
    ++(status == MessageDecodeStatus::bad_checksum ? core.counts.unverified
                                                   : core.counts.malformed);
    return;
  }
  if (!connection->is_live) {
    refuse(*connection, r, header, now);
    return;
  }
  connection->ways->heard(r, now);
  handle_verified(*connection, r, header, payload, at, now);
}

void Endpoint::Parts::handle_verified(Connection& connection, std::size_t r,
                                      const MessageHeader& header, const ArrivedPayload& payload,
                                      Time at, Time now) {
  if (!has_seal(header.type)) {
    receiving.handle(connection, header, payload, r, at, now);
    return;
  }
  if (core.options.timers != Timers::paper) connection.ways->peer_hears(header.heard, now);
  if (header.type == MessageFrameType::acknowledgement) {
    if (sending.handle_acknowledgement(connection, header, now)) return;
    // What nothing waits for need not hold up whoever waits for what came with it.
    if (connection.has_to_send()) {
      core.activate(connection);
    } else {
      core.activate_for_next(connection);
    }
    return;
  }
  core.activate(connection);
  acknowledging.note(connection, r, header, kMessageHeaderBytes, at);
  switch (header.type) {
    case MessageFrameType::grant:
      if (header.is_refusal()) {
        end(connection, Outcome::unreachable, now);
      } else {
        sending.handle_grant(connection, header);
      }
      break;
    case MessageFrameType::probe:
      if (core.options.timers != Timers::paper) {
        // Of the rail on which it came it is known that it works.
        const auto failed = static_cast<std::uint8_t>(header.failed & ~(1u << r));
        connection.ways->peer_left({header.left, failed, header.leavings},
                                   Time{static_cast<std::int64_t>(header.stamp)}, now);
      }
      answer_probe(connection, r, header, now);
      break;
    case MessageFrameType::answer:
      if (header.rail >= connection.rails.size()) {
        ++core.counts.out_of_place;
        break;
      }
      handle_answer(connection, header.rail, Time{static_cast<std::int64_t>(header.stamp)}, now);
      break;
    default:
      break;
  }
}

// The same answer comes on two rails; one that is known, or to what was never asked, says nothing.
void Endpoint::Parts::handle_answer(Connection& connection, std::size_t r, Time stamp, Time now) {
  if (!connection.ways->answered(r, stamp, now)) return;
  sending.handle_answer(connection, r, stamp, now);
  receiving.handle_answer(connection, r, stamp, now);
}

// A peer that has been given up, and speaks: it believes that the connection goes on, and would
// wait for ever. It asks whoever does not answer, so its probes alone are refused.
void Endpoint::Parts::refuse(Connection& connection, std::size_t r, const MessageHeader& header,
                             Time now) {
  if (header.type != MessageFrameType::probe || connection.rails[r].peer == kNoPeer) return;
  MessageHeader refusal;
  refusal.type = MessageFrameType::grant;
  refusal.sender = core.options.self;
  refusal.packet = connection.rails[r].next_packet;
  refusal.final = true;
  if (core.post_control(connection, r, refusal, now)) ++connection.rails[r].next_packet;
  core.is_changed = true;  // it is to leave, though nobody is looked after
}

// The answer goes back on two rails, should one of them be dead in that direction; before it an
// acknowledgement, so that who asked knows what of the rail's has not arrived.
void Endpoint::Parts::answer_probe(Connection& connection, std::size_t r,
                                   const MessageHeader& probe, Time now) {
  const std::uint8_t rails = connection.ways->answer_on(r);
  acknowledging.owe(connection, Owed::When::now);
  acknowledging.owe_on(connection, rails);
  acknowledging.send_urgent(connection, now);
  for (std::size_t k = 0; k < connection.rails.size(); ++k) {
    if ((rails >> k & 1) == 0 || connection.rails[k].peer == kNoPeer) continue;
    MessageHeader answer;
    answer.type = MessageFrameType::answer;
    answer.sender = core.options.self;
    answer.packet = connection.rails[k].next_packet;
    answer.stamp = probe.stamp;
    answer.rail = static_cast<std::uint8_t>(r);
    answer.heard = core.heard_lately(connection, now);
    if (core.post_control(connection, k, answer, now)) ++connection.rails[k].next_packet;
  }
}

// As in the paper: linearly longer with each time that it has passed.
Duration Endpoint::Parts::completion_patience(const Port& port) const {
  if (core.options.timers != Timers::paper) return core.options.local_completion_max;
  return core.options.paper.local_completion * (1 + std::int64_t{port.restarts()});
}

// An adapter that does not say "sent", or takes nothing for so long, is no better than one that
// fails.
void Endpoint::Parts::watch_completions(Time now) {
  const bool as_in_paper = core.options.timers == Timers::paper;
  const PaperTimers& paper = core.options.paper;
  for (std::size_t r = 0; r < core.ports.size(); ++r) {
    Port& port = core.ports[r];
    const Time since = port.waiting_since();
    if (since == Time::never() || now - since < completion_patience(port)) continue;
    port.restart_waiting(now);
    if (as_in_paper && port.restarts() < paper.local_completions_missed) continue;
    const RailEvent event = as_in_paper ? RailEvent::failed_here : RailEvent::not_completed;
    if (port.is_full()) {
      // Nothing goes out, to whomever.
      tell_all(r, event, now);
      continue;
    }
    const SendSlot& slot = core.send_slots.states()[port.oldest_posted()];
    Connection& connection = core.connections[slot.connection];
    if (!connection.is_live || connection.life != slot.life) continue;
    connection.ways->handle(r, event, now);
    core.activate(connection);
  }
}

void Endpoint::Parts::expire(Connection& connection, Time now) {
  sending.expire(connection, now);
  receiving.expire(connection, now);
  const Time since = connection.ways->unreachable_since();
  if (since == Time::never() || now - since < core.options.unreachable_max) return;
  end(connection, Outcome::unreachable, now);
}

void Endpoint::Parts::follow_orders(Connection& connection, Time now) {
  RailOrders orders = connection.ways->poll(now);
  const bool is_busy = connection.sends_something() || !connection.incoming.empty() ||
                       acknowledging.owes(connection);
  if (is_busy) orders.probe |= connection.ways->take_news();
  if ((orders.resend | orders.repeat | orders.probe) == 0) return;
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    if ((orders.resend >> r & 1) != 0) sending.abandon(connection, r);
    if ((orders.repeat >> r & 1) != 0) receiving.repeat_grants(connection, r, now);
    const bool probes = core.options.timers != Timers::paper;
    if (probes && (orders.probe >> r & 1) != 0) send_probe(connection, r, now);
  }
}

void Endpoint::Parts::send_probe(Connection& connection, std::size_t r, Time now) {
  if (connection.rails[r].peer != kNoPeer) {
    MessageHeader probe;
    probe.type = MessageFrameType::probe;
    probe.sender = core.options.self;
    probe.packet = connection.rails[r].next_packet;
    probe.stamp = static_cast<std::uint64_t>(now.ns);
    probe.rail = static_cast<std::uint8_t>(r);
    probe.heard = core.heard_lately(connection, now);
    const RailsLeft left = connection.ways->left();
    probe.left = left.rails;
    probe.failed = left.failed;
    probe.leavings = left.count;
    // One that finds no room is as good as lost; the next one is due in its time.
    ConnectionRail& rail = connection.rails[r];
    if (core.post_control(connection, r, probe, now)) {
      if (!rail.has_probe) {
        rail.has_probe = true;
        rail.probe_packet = probe.packet;
        rail.probe_sent = now;
      }
      ++rail.next_packet;
    }
  }
  connection.ways->probed(r, now);
}

void Endpoint::Parts::acknowledge_pressing(Time now) {
  Connection& connection = core.connections[std::exchange(core.pressing, kNone)];
  if (!connection.is_live) return;
  acknowledging.send_urgent(connection, now);
  core.flush(now);
}

void Endpoint::Parts::acknowledge_urgent(Owed::When least, Time now) {
  for (const std::uint32_t i : core.active) {
    if (core.connections[i].is_live) acknowledging.send_urgent(core.connections[i], now, least);
  }
  core.flush(now);
}

void Endpoint::Parts::acknowledge_early(Time now) {
  for (const std::uint32_t i : core.active) {
    if (core.connections[i].is_live) acknowledging.send_early(core.connections[i], now);
  }
  flush_early(now);
}

Debts Endpoint::Parts::debts() const {
  Debts debts;
  for (const std::uint32_t i : core.active) {
    const Connection& connection = core.connections[i];
    const Owed& owed = connection.owed;
    if (!connection.is_live || owed.when < Owed::When::next_turn) continue;
    ++debts.peers;
    debts.peer = connection.peer;
    debts.bytes += owed.bytes;
    if (owed.when >= Owed::When::turn_ends || owed.is_refused) debts.is_overdue = true;
  }
  return debts;
}

// Between turns, where nobody looks what a port that takes nothing more is waited for.
void Endpoint::Parts::flush_early(Time now) {
  core.flush(now);
  for (const Port& port : core.ports) {
    const Time since = port.waiting_since();
    if (since != Time::never()) core.due = std::min(core.due, since + completion_patience(port));
  }
}

Time Endpoint::Parts::next_deadline(const Connection& connection, Time now) const {
  Time next = std::min({sending.next_deadline(connection), receiving.next_deadline(connection),
                        acknowledging.next_deadline(connection, now)});
  // With the timers of the paper no rail is asked whether it is well, and none comes back.
  // A probe that found no slot waits until one is free, which is an event.
  if (core.options.timers != Timers::paper && core.send_slots.has_any()) {
    next = std::min(next, connection.ways->next_deadline());
  }
  const Time since = connection.ways->unreachable_since();
  if (since != Time::never()) next = std::min(next, since + core.options.unreachable_max);
  return next;
}

// When the next turn is due; connections with nothing to do leave the list.
Time Endpoint::Parts::finish_turn(Time now) {
  Time next = Time::never();
  const bool many = core.has_many_busy();
  // Before something comes.
  const auto has_to_do = [&](const Connection& connection) {
    const Time due = next_deadline(connection, now);
    next = std::min(next, due);
    const bool owes = acknowledging.owes(connection);
    // There may be room without an event that says so.
    const bool is_refused = (owes && connection.owed.is_refused) || connection.grants_wait;
    if (connection.has_to_send() || is_refused) core.is_changed = true;
    return owes || due != Time::never() || connection.sends_something() ||
           receiving.has_unpresented(connection);
  };
  std::size_t stay = 0;
  for (const std::uint32_t i : core.active) {
    Connection& connection = core.connections[i];
    if (many) {
      sending.rest(connection);
      acknowledging.rest(connection);
    }
    connection.is_active = connection.is_live && has_to_do(connection);
    if (connection.is_active) core.active[stay++] = i;
  }
  core.active.resize(stay);
  for (const Port& port : core.ports) {
    const Time since = port.waiting_since();
    if (since != Time::never()) next = std::min(next, since + completion_patience(port));
  }
  return next;
}

}  // namespace holdfast::reliable
