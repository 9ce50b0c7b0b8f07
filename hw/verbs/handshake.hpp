// How two ends make one connection, without clock, adapter or memory of its own: PROTOCOL 11.
//
// Each end asks with a random number, its attempt, and says which attempt of the other it has
// heard. Nobody but who receives at an end's address can know that end's attempt, so only a frame
// that says it changes anything. An end that is heard joins its queue pair to the other's (linked)
// and says so; one that hears that from an end to which it is linked may send (attached).
#pragma once

#include <cstdint>
#include <optional>

#include "hw/verbs/connection_state.hpp"
#include "hw/verbs/handshake_frame.hpp"

namespace holdfast::hw {

class Handshake {
 public:
  // What a frame brings about: at most two events, in this order, and an answer.
  struct Reaction {
    std::optional<ConnectionEvent> first;
    std::optional<ConnectionEvent> second;
    std::optional<HandshakeFrame> answer;  // to be sent when the events have been handled
  };

  // A new attempt. `self` is this end's address, `attempt` is random and not 0, `order` greater
  // than that of the attempts before.
  void begin(const VerbsEndpoint& self, std::uint64_t attempt, std::uint64_t order,
             const QueuePairFacts& own);

  // A frame from the peer's address, in `state`.
  Reaction handle(ConnectionState state, const HandshakeFrame& frame);

  // What is said again and again while asking or linked.
  HandshakeFrame repeated(ConnectionState state) const;
  // What is said when an attempt is given up. Absent if this end is linked to none.
  std::optional<HandshakeFrame> farewell() const;
  // The answer to a frame that names an attempt of which there is nothing any more. Absent where
  // the sender is told by other means, or must wait.
  static std::optional<HandshakeFrame> to_stranger(const VerbsEndpoint& self,
                                                   const HandshakeFrame& frame);

  std::uint64_t attempt() const { return attempt_; }
  // Of the end to which this one is linked; 0: to none.
  std::uint64_t peer_attempt() const { return peer_attempt_; }
  const QueuePairFacts& own() const { return own_; }
  const QueuePairFacts& peer() const { return peer_; }

 private:
  HandshakeFrame say(Says says, std::uint64_t heard) const;

  VerbsEndpoint self_;
  std::uint64_t attempt_ = 0;
  std::uint64_t heard_ = 0;  // the last attempt that asked
  std::uint64_t order_ = 0;
  std::uint64_t peer_attempt_ = 0;
  std::uint64_t peer_order_ = 0;  // of the latest attempt that this one was linked to
  QueuePairFacts own_;
  QueuePairFacts peer_;
};

}  // namespace holdfast::hw
