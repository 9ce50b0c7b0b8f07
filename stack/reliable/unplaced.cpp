// Messages whose turn has come, and which find no place in matching to wait in.
#include <utility>

#include "stack/reliable/receiving.hpp"

namespace holdfast::reliable {

// Shows matching the messages whose turn has come, beginning with the next one. When there is no
// room for one to wait in, no receive is posted that takes it: one behind it that a receive has
// been posted for does not overtake it there, and would wait for ever if that receive is what the
// program waits for.
void Receiving::present(Connection& connection, std::uint32_t from, Time now) {
  place_left(now);
  std::uint32_t number = connection.next_presented;
  if (connection.unplaced != kNone) --held_up_;
  connection.unplaced = kNone;
  connection.shown_at = changes_;
  for (std::uint32_t i = from;;) {
    const auto is_known = [&] { return i != kNone && core_.incoming[i].number == number; };
    while (!is_known() && connection.received.contains(number)) ++number;  // shown, and whole
    if (connection.unplaced == kNone) connection.next_presented = number;
    if (!is_known() || !core_.incoming[i].is_opened) return;
    const std::uint32_t next = Incoming::after(core_.incoming, i);
    if (!core_.incoming[i].is_presented && !show(i, now) && connection.unplaced == kNone) {
      connection.unplaced = i;
      ++held_up_;
    }
    ++number;
    i = next;
  }
}

// False: there is no room for it.
bool Receiving::show(std::uint32_t i, Time now) {
  IncomingMessage& message = core_.incoming[i];
  std::uint32_t request = kNone;
  const Matching::Posted posted = core_.matching.arrive(message.envelope, i, request);
  if (posted == Matching::Posted::full) return false;
  message.is_presented = true;
  if (std::exchange(message.is_early, false)) --core_.early;
  if (message.is_whole) {
    List& connection = core_.connections[message.connection].incoming;
    Incoming::remove(core_.incoming, is_left(message) ? left_ : connection, i);
  }
  if (posted == Matching::Posted::matched) meet(i, request, now);
  return true;
}

// What is older finds its place before what is newer: a peer that has come back shall not overtake
// itself.
void Receiving::place_left(Time now) {
  while (!left_.empty() && show(left_.first, now)) {
  }
}

// What a probe says is there is received at once.
void Receiving::take_unplaced(const Pattern& pattern, Time now) {
  const std::uint32_t i = find_unplaced(pattern);
  if (i == kNone) return;
  if (is_left(core_.incoming[i])) {
    const bool is_taken = show(i, now);
    HOLDFAST_ASSERT(is_taken);
    return;
  }
  Connection& connection = core_.connections[core_.incoming[i].connection];
  present(connection, connection.unplaced, now);
}

bool Receiving::is_left(const IncomingMessage& message) const {
  const Connection& connection = core_.connections[message.connection];
  return message.life != connection.life || !connection.is_live;
}

// The connection ends. Those that have arrived whole, and all before them, need no place: they are
// looked for when a receive is posted. One that is posted already may have been for one of them
// which nobody has shown to matching yet.
void Receiving::leave_unplaced(Connection& connection, Time now) {
  place_left(now);
  std::uint32_t number = connection.next_presented;
  for (std::uint32_t i = connection.incoming.first; i != kNone;) {
    IncomingMessage& message = core_.incoming[i];
    const std::uint32_t next = Incoming::after(core_.incoming, i);
    while (message.number != number && connection.received.contains(number)) ++number;
    if (message.number != number++ || !message.is_opened || !message.is_whole) break;
    if (!show(i, now)) {
      Incoming::remove(core_.incoming, connection.incoming, i);
      Incoming::append(core_.incoming, left_, i);
      // The place of the next one of that peer is its next life's (lose_latest_left).
      if (!std::exchange(message.is_early, true)) ++core_.early;
    }
    i = next;
  }
  if (connection.unplaced != kNone) --held_up_;
  connection.unplaced = kNone;
}

// The first one that a connection leaves has become an early one. That may be one too many when all
// else of the connection has ended.
void Receiving::lose_latest_left() {
  if (core_.early + core_.missing <= core_.early_max) return;
  const std::uint32_t latest = left_.last;
  Incoming::remove(core_.incoming, left_, latest);
  release(latest);
}

// Of the messages that matching has no room for, the oldest that a receive with this pattern would
// be shown: those of who is gone are older.
std::uint32_t Receiving::find_unplaced(const Pattern& pattern) const {
  for (std::uint32_t i = left_.first; i != kNone; i = Incoming::after(core_.incoming, i)) {
    if (pattern.takes(core_.incoming[i].envelope)) return i;
  }
  if (held_up_ == 0) return kNone;
  for (const Connection& connection : core_.connections) {
    std::uint32_t number = connection.next_presented;
    for (std::uint32_t i = connection.unplaced; i != kNone;
         i = Incoming::after(core_.incoming, i)) {
      const IncomingMessage& message = core_.incoming[i];
      while (message.number != number && connection.received.contains(number)) ++number;
      if (message.number != number++ || !message.is_opened) break;
      if (!message.is_presented && pattern.takes(message.envelope)) return i;
    }
  }
  return kNone;
}

}  // namespace holdfast::reliable
