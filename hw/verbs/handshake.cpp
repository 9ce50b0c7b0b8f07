// One frame in, events and an answer out.
#include "hw/verbs/handshake.hpp"

namespace holdfast::hw {

void Handshake::begin(const VerbsEndpoint& self, std::uint64_t attempt, std::uint64_t order,
                      const QueuePairFacts& own) {
  *this = {};
  self_ = self;
  attempt_ = attempt;
  order_ = order;
  own_ = own;
}

HandshakeFrame Handshake::say(Says says, std::uint64_t heard) const {
  return {says, self_, attempt_, order_, heard, own_};
}

HandshakeFrame Handshake::repeated(ConnectionState state) const {
  if (state == ConnectionState::linked) return say(Says::linked, peer_attempt_);
  if (state == ConnectionState::attached) return say(Says::ready, peer_attempt_);
  return say(Says::asking, heard_);
}

std::optional<HandshakeFrame> Handshake::farewell() const {
  if (peer_attempt_ == 0) return std::nullopt;
  return HandshakeFrame{Says::gone, self_, attempt_, order_, peer_attempt_, {}};
}

std::optional<HandshakeFrame> Handshake::to_stranger(const VerbsEndpoint& self,
                                                     const HandshakeFrame& frame) {
  if (frame.says == Says::gone || frame.says == Says::asking) return std::nullopt;
  return HandshakeFrame{Says::gone, self, frame.heard, 0, frame.attempt, {}};
}

Handshake::Reaction Handshake::handle(ConnectionState state, const HandshakeFrame& frame) {
  const bool attached = state == ConnectionState::attached;
  if (!(attached || state == ConnectionState::linked || state == ConnectionState::asking))
    return {};
  const bool is_peer = frame.attempt == peer_attempt_;
  const bool hears_us = frame.heard == attempt_;
  Reaction reaction;
  if (frame.says == Says::gone) {
    if (!hears_us || !is_peer) return {};
    reaction.first = attached ? ConnectionEvent::ends : ConnectionEvent::withdraws;
    peer_attempt_ = 0;
    return reaction;
  }
  if (!hears_us) {
    // Who does not know this attempt, or no longer does, is told it. It changes nothing here:
    // anybody can send such a frame.
    heard_ = frame.attempt;
    reaction.answer = is_peer ? repeated(state) : say(Says::asking, frame.attempt);
    return reaction;
  }
  if (!is_peer) {
    if (frame.order <= peer_order_) return {};  // a late frame of an attempt that is over
    if (attached) {
      reaction.first = ConnectionEvent::ends;
      return reaction;
    }
    peer_attempt_ = heard_ = frame.attempt;
    peer_order_ = frame.order;
    peer_ = frame.pair;
    reaction.first = ConnectionEvent::hears;
    state = ConnectionState::linked;
  }
  if (state == ConnectionState::linked && frame.says != Says::asking) {
    (reaction.first ? reaction.second : reaction.first) = ConnectionEvent::confirms;
    state = ConnectionState::attached;
  }
  if (frame.says != Says::ready) reaction.answer = repeated(state);
  return reaction;
}

}  // namespace holdfast::hw
