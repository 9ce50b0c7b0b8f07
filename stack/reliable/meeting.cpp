// Messages meet receives: in the order of their sending, whatever order they arrive in.
#include <algorithm>
#include <utility>

#include "stack/reliable/receiving.hpp"

namespace holdfast::reliable {

bool Receiving::post(std::uint32_t request, Time now) {
  std::uint32_t message = kNone;
  ++changes_;
  switch (core_.matching.post(core_.requests[request].pattern, request, message)) {
    case Matching::Posted::full:
      return false;
    case Matching::Posted::waits:
      expect(core_.requests[request].pattern.source, now);
      if (has_unplaced()) take_unplaced(core_.requests[request].pattern, now);
      return true;
    case Matching::Posted::matched:
      meet(message, request, now);
      return true;
  }
  return false;
}

// Whoever only receives, or has met a part of a message and waits for the rest, sends nothing, so a
// peer that has given it up would have nothing to refuse.
void Receiving::expect(ProcessId source, Time now) {
  if (!core_.gives_up()) return;
  Connection* const connection = core_.find(source);
  if (connection == nullptr || !connection->is_live || connection->ask_at != Time::never()) return;
  connection->ask_at = now + core_.options.unreachable_max / 4;
  core_.activate(*connection);
}

void Receiving::ask(Connection& connection, Time now) {
  connection.ask_at = Time::never();
  if (!waits_for(connection)) return;
  for (std::size_t r = 0; r < connection.rails.size(); ++r) connection.ways->ask(r);
  expect(connection.peer, now);
}

// For nobody else: one of its messages that is not whole has met a receive, whomever that was for,
// or a receive from it alone has met none.
bool Receiving::waits_for(const Connection& connection) const {
  for (std::uint32_t i = connection.incoming.first; i != kNone;
       i = core_.incoming[i].of_connection.after) {
    if (core_.incoming[i].receive != kNone) return true;
  }
  for (std::uint32_t i = 0; i < core_.requests.size(); ++i) {
    const RequestState& state = core_.requests[i];
    if (state.kind == RequestState::Kind::receive && state.object == kNone &&
        state.pattern.source == connection.peer) {
      return true;
    }
  }
  return false;
}

bool Receiving::cancel(std::uint32_t request) {
  if (core_.requests[request].kind != RequestState::Kind::receive) return false;
  if (!core_.matching.cancel_receive(request)) return false;
  const Pattern& pattern = core_.requests[request].pattern;
  core_.requests.complete(request, Outcome::cancelled,
                          {pattern.source, pattern.context, pattern.tag}, 0);
  return true;
}

bool Receiving::probe(const Pattern& pattern, Waiting& waiting) const {
  const std::optional<Matching::Ticket> found = core_.matching.probe(pattern);
  const std::uint32_t i = found ? *found : find_unplaced(pattern);
  if (i == kNone) return false;
  waiting = {core_.incoming[i].envelope, core_.incoming[i].bytes};
  return true;
}

void Receiving::meet(std::uint32_t i, std::uint32_t request, Time now) {
  IncomingMessage& message = core_.incoming[i];
  RequestState& state = core_.requests[request];
  message.receive = request;
  message.room = std::min(message.bytes, state.size);
  state.object = i;
  if (message.is_kept) {
    // What is missing of it is written where it belongs from now on.
    copy(state.memory, message.memory, message.room);
    forget_kept(message);
  }
  if (message.sender != kNone) {
    copy(state.memory, message.memory, message.room);
    message.is_whole = true;
  }
  message.memory = state.memory;
  if (message.is_whole) return deliver(i);
  expect(core_.connections[message.connection].peer, now);
  if (message.is_rendezvous) {
    // At least a byte, also if there is no room for it: that it comes says that the grant has.
    message.wanted = std::max<std::uint64_t>(message.room, 1);
    grant(core_.connections[message.connection], i, now);
  }
}

void Receiving::grant(Connection& connection, std::uint32_t i, Time now) {
  Grants::append(core_.incoming, connection.grants, i);
  send_grant(connection, i, acknowledging_.best_rail(connection), now);
}

// One that finds no slot waits for one: its patience is for an answer, and may be long by now.
void Receiving::send_grant(Connection& connection, std::uint32_t i, std::size_t rail, Time now) {
  core_.activate(connection);
  IncomingMessage& message = core_.incoming[i];
  Duration wait = core_.options.round_trip.wait_min;
  message.grant_waits = false;
  if (rail != kNoRail) {
    MessageHeader header;
    header.type = MessageFrameType::grant;
    header.sender = core_.options.self;
    header.packet = connection.rails[rail].next_packet;
    header.message = message.number;
    header.upto = message.wanted;
    header.final = true;
    header.heard = core_.heard_lately(connection, now);
    if (!core_.send_slots.has_any()) core_.flush(now);
    message.grant_waits = !core_.post_control(connection, rail, header, now);
    if (message.grant_waits) {
      connection.grants_wait = true;
    } else {
      ++connection.rails[rail].next_packet;
    }
    message.grant_rail = static_cast<std::uint8_t>(rail);
    wait = grant_patience(connection, message);
  }
  message.grant_sent = now;
  message.grant_at = now + wait;
  connection.grant_at = std::min(connection.grant_at, message.grant_at);
}

// As data they leave some slots to acknowledgements and answers, without which rails look dead.
void Receiving::send_waiting_grants(Connection& connection, Time now) {
  if (!std::exchange(connection.grants_wait, false)) return;
  for (std::uint32_t i = connection.grants.first; i != kNone && !connection.grants_wait;
       i = Grants::after(core_.incoming, i)) {
    const IncomingMessage& message = core_.incoming[i];
    if (!message.grant_waits) continue;
    if (!core_.send_slots.has_for_data()) core_.flush(now);
    if (!core_.send_slots.has_for_data()) {
      connection.grants_wait = true;
      return;
    }
    // On the one that was chosen: that of the grant before may be dead.
    const std::size_t chosen = message.grant_rail;
    const bool carries = connection.may_carry(chosen) && core_.ports[chosen].takes_frames();
    send_grant(connection, i, carries ? chosen : acknowledging_.best_rail(connection), now);
  }
}

Duration Receiving::grant_patience(const Connection& connection, const IncomingMessage& message) {
  return connection.ways->round_trip(message.grant_rail).backed_off(message.grant_attempts);
}

// The next one that carries data, after that on which the grant went that nothing has come of: it
// may be dead in this direction only.
std::size_t Receiving::other_rail(const Connection& connection, std::size_t rail) const {
  const std::size_t count = connection.rails.size();
  for (std::size_t k = 1; k < count; ++k) {
    const std::size_t r = (rail + k) % count;
    const bool carries = connection.may_carry(r) && core_.ports[r].takes_frames();
    if (carries) return r;
  }
  return acknowledging_.best_rail(connection);
}

// Of granted messages the earliest is served first. While data of an earlier one comes nothing is
// known of this one; its patience begins with the last of that data.
void Receiving::expire_grant(Connection& connection, std::uint32_t i, Time now) {
  IncomingMessage& message = core_.incoming[i];
  if (is_before(connection.data_message, message.number)) {
    const Time later = connection.data_at + grant_patience(connection, message);
    if (later > now) {
      message.grant_at = later;
      return;
    }
  }
  if (!message.grant_waits) {
    if (message.grant_attempts < 255) ++message.grant_attempts;
    connection.ways->ask(message.grant_rail);
  }
  send_grant(connection, i, other_rail(connection, message.grant_rail), now);
}

void Receiving::repeat_grants(Connection& connection, std::size_t rail, Time now) {
  for (std::uint32_t i = connection.grants.first; i != kNone;
       i = Grants::after(core_.incoming, i)) {
    if (core_.incoming[i].grant_rail != rail) continue;
    send_grant(connection, i, acknowledging_.best_rail(connection), now);
  }
}

// A probe has come through, and a grant that was repeated before it has not, as it seems: an outage
// is over, and nobody need wait as long for the grant as it has lasted.
void Receiving::handle_answer(Connection& connection, std::size_t rail, Time stamp, Time now) {
  for (std::uint32_t i = connection.grants.first; i != kNone;
       i = Grants::after(core_.incoming, i)) {
    IncomingMessage& message = core_.incoming[i];
    const bool went_there = message.grant_rail == rail || !connection.may_carry(message.grant_rail);
    if (message.grant_attempts == 0 || message.grant_sent >= stamp || !went_there) continue;
    message.grant_attempts = 0;
    send_grant(connection, i, acknowledging_.best_rail(connection), now);
  }
}

void Receiving::expire(Connection& connection, Time now) {
  if (has_unpresented(connection) && connection.shown_at != changes_) {
    present(connection, connection.unplaced, now);
  }
  if (connection.ask_at <= now) ask(connection, now);
  if (connection.grants.empty() || connection.grant_at > now) return;
  connection.grant_at = Time::never();
  for (std::uint32_t i = connection.grants.first; i != kNone;
       i = Grants::after(core_.incoming, i)) {
    if (core_.incoming[i].grant_at <= now) expire_grant(connection, i, now);
    connection.grant_at = std::min(connection.grant_at, core_.incoming[i].grant_at);
  }
}

Time Receiving::next_deadline(const Connection& connection) const {
  return std::min(connection.ask_at,
                  connection.grants.empty() ? Time::never() : connection.grant_at);
}

// All that is wanted of it has arrived; what comes from now on are duplicates.
void Receiving::become_whole(Connection& connection, std::uint32_t i) {
  IncomingMessage& message = core_.incoming[i];
  message.is_whole = true;
  if (!message.is_rendezvous) connection.received.add(message.number);
  acknowledging_.forget(connection, i);
  message.ranges.end(core_.range_blocks);
  if (message.is_presented) Incoming::remove(core_.incoming, connection.incoming, i);
  if (message.receive != kNone) deliver(i);
}

void Receiving::deliver(std::uint32_t i) {
  const IncomingMessage& message = core_.incoming[i];
  const bool fits = message.bytes <= core_.requests[message.receive].size;
  core_.requests.complete(message.receive, fits ? Outcome::delivered : Outcome::truncated,
                          message.envelope, message.bytes);
  if (message.sender != kNone) {
    core_.requests.complete(message.sender, Outcome::delivered, message.envelope, message.bytes);
  }
  release(i);
}

void Receiving::release(std::uint32_t i) {
  IncomingMessage& message = core_.incoming[i];
  if (message.connection == kNone) {
    core_.kept_of_self -= message.charge;
  } else if (message.charge > 0 && !is_left(message)) {
    give_credit(core_.connections[message.connection], message.charge);
  }
  forget_kept(message);
  message.ranges.end(core_.range_blocks);
  if (message.is_early) --core_.early;
  core_.incoming.give(i);
}

// The sender is told with the next acknowledgement; by itself when it may be short of credit.
void Receiving::give_credit(Connection& connection, std::uint32_t charge) {
  connection.credit_given += charge;
  const std::uint32_t quarter = core_.options.limits.unexpected_bytes / kCreditUnit / 4;
  if (connection.credit_given - connection.credit_told >= quarter) {
    acknowledging_.owe(connection, Owed::When::next_turn);
  }
}

bool Receiving::send_to_self(std::uint32_t request, const Envelope& envelope,
                             const MessageMemory& memory, std::uint64_t bytes, Time now) {
  // Its request has one, and others leave it free.
  HOLDFAST_ASSERT(core_.incoming.left() > core_.missing);
  const std::uint32_t i = core_.incoming.take();
  IncomingMessage& message = core_.incoming[i];
  message.envelope = envelope;
  message.bytes = bytes;
  message.is_opened = message.is_presented = true;
  std::uint32_t receive = kNone;
  const Matching::Posted posted = core_.matching.arrive(envelope, i, receive);
  if (posted == Matching::Posted::full) {
    core_.incoming.give(i);
    core_.refusal = Refusal::waiting;
    return false;
  }
  const bool waits = posted == Matching::Posted::waits;
  if (waits && keep_of_self(message)) {
    // As eager messages to others: the sender's memory is its own again.
    copy(message.memory, memory, bytes);
    message.is_whole = true;
    core_.requests.complete(request, Outcome::delivered, envelope, bytes);
    return true;
  }
  message.sender = request;
  message.memory = memory;  // where the bytes come from, until they are met
  if (!waits) meet(i, receive, now);
  return true;
}

void Receiving::fail(std::uint32_t i, Outcome outcome) {
  IncomingMessage& message = core_.incoming[i];
  if (message.receive != kNone) {
    core_.requests.complete(message.receive, outcome, message.envelope, 0);
  } else if (message.is_presented) {
    const bool waited = core_.matching.cancel_message(i);
    HOLDFAST_ASSERT(waited);
    ++changes_;
  }
  release(i);
}

// Those of that connection, from this number on, which wait whole in matching.
void Receiving::lose_behind(const Connection& connection, std::uint32_t number) {
  const std::uint32_t of = core_.index_of(connection);
  for (std::uint32_t i = 0; i < core_.incoming.size(); ++i) {
    const IncomingMessage& message = core_.incoming[i];
    const bool is_behind = message.connection == of && message.life == connection.life &&
                           message.is_whole && !is_before(message.number, number);
    if (is_behind && core_.matching.cancel_message(i)) release(i);
  }
  ++changes_;
}

void Receiving::end(Connection& connection, Outcome outcome, Time now) {
  std::uint32_t lost = connection.incoming.first;
  while (lost != kNone && core_.incoming[lost].is_whole) {
    lost = Incoming::after(core_.incoming, lost);
  }
  if (lost != kNone) lose_behind(connection, core_.incoming[lost].number);
  leave_unplaced(connection, now);
  for (std::uint32_t i = connection.incoming.first; i != kNone;) {
    const std::uint32_t next = Incoming::after(core_.incoming, i);
    fail(i, outcome);
    i = next;
  }
  connection.incoming = connection.grants = {};
  connection.grants_wait = false;
  core_.missing -= std::exchange(connection.missing, 0);
  lose_latest_left();
  for (std::uint32_t i = 0; i < core_.requests.size(); ++i) {
    const RequestState& state = core_.requests[i];
    if (state.kind != RequestState::Kind::receive || state.object != kNone ||
        state.pattern.source != connection.peer || !core_.matching.cancel_receive(i)) {
      continue;
    }
    core_.requests.complete(i, outcome, {connection.peer, state.pattern.context, state.pattern.tag},
                            0);
  }
}

}  // namespace holdfast::reliable
