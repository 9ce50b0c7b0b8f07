// The states of a connection and what leads from one to another: one line an event. What is not in
// the table must not happen; an event that leads back to its own state is a repetition.
//
//   free        no handle
//   asking      attached by this process; the peer is asked, and has not heard of it yet
//   linked      the peer has heard of this attempt, and the queue pair is joined to its own
//   attached    the peer's queue pair is joined to this one, so that everything may be sent
//   failing     over; the operations that were under way are ending
//   down        over, and the process has been told
//   restarting  to be asked for anew when what was under way has ended
//   leaving     to be free then
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>

namespace holdfast::hw {

enum class ConnectionState : std::uint8_t {
  free,
  asking,
  linked,
  attached,
  failing,
  down,
  restarting,
  leaving,
};

enum class ConnectionEvent : std::uint8_t {
  attach,     // by the process
  hears,      // the peer has heard of this attempt
  confirms,   // the peer is linked to it too
  withdraws,  // the peer is gone before that
  ends,       // the peer is gone, has begun anew, or an operation failed
  breaks,     // the adapter refuses to join the queue pairs
  gives_up,   // the peer has not been heard of for too long
  drained,    // nothing is under way any more
  reset,      // by the process
  detach,     // by the process
};

struct ConnectionTransition {
  ConnectionEvent event;
  std::uint8_t from;  // bit n: state number n
  ConnectionState to;
};

constexpr std::uint8_t states(std::initializer_list<ConnectionState> some) {
  unsigned bits = 0;
  for (const ConnectionState state : some) bits |= 1u << static_cast<unsigned>(state);
  return static_cast<std::uint8_t>(bits);
}

inline constexpr auto kConnectionTransitions = [] {
  using enum ConnectionState;
  using Event = ConnectionEvent;
  return std::array{
      ConnectionTransition{Event::attach, states({free}), asking},
      ConnectionTransition{Event::hears, states({asking, linked}), linked},
      ConnectionTransition{Event::confirms, states({linked}), attached},
      ConnectionTransition{Event::withdraws, states({linked}), asking},
      ConnectionTransition{Event::ends, states({attached}), failing},
      ConnectionTransition{Event::breaks, states({asking, linked}), restarting},
      ConnectionTransition{Event::gives_up, states({asking, linked, restarting}), failing},
      ConnectionTransition{Event::drained, states({failing}), down},
      ConnectionTransition{Event::drained, states({restarting}), asking},
      ConnectionTransition{Event::drained, states({leaving}), free},
      ConnectionTransition{
          Event::reset, states({asking, linked, attached, failing, down, restarting}), restarting},
      ConnectionTransition{Event::detach,
                           states({asking, linked, attached, failing, down, restarting}), leaving},
  };
}();

// Absent if the event must not happen in that state.
constexpr std::optional<ConnectionState> after(ConnectionState state, ConnectionEvent event) {
  for (const ConnectionTransition& line : kConnectionTransitions) {
    if (line.event == event && (line.from & states({state})) != 0) return line.to;
  }
  return std::nullopt;
}

}  // namespace holdfast::hw
