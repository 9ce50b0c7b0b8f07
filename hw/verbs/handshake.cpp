// One frame in, events and an answer out.
#include "hw/verbs/handshake.hpp"

#include <algorithm>

namespace holdfast::hw {

void Handshake::begin(const VerbsEndpoint& self, std::uint64_t attempt, const QueuePairFacts& own) {
  *this = {};
  self_ = self;
  attempt_ = attempt;
  own_ = own;
}

HandshakeFrame Handshake::say(Says says, std::uint64_t heard) const {
  return {says, self_, attempt_, heard, own_};
}

HandshakeFrame Handshake::repeated(ConnectionState state) const {
  if (state == ConnectionState::linked) return say(Says::linked, peer_attempt_);
  if (state == ConnectionState::attached) return say(Says::ready, peer_attempt_);
  return say(Says::asking, heard_);
}

HandshakeFrame Handshake::farewell() const {
  return {Says::gone, self_, attempt_, peer_attempt_, {}};
}

std::optional<HandshakeFrame> Handshake::to_stranger(const VerbsEndpoint& self,
                                                     const HandshakeFrame& frame) {
  if (frame.says == Says::gone || frame.says == Says::asking) return std::nullopt;
  return HandshakeFrame{Says::gone, self, frame.heard, frame.attempt, {}};
}

bool Handshake::is_former(std::uint64_t attempt) const {
  const auto end = former_.begin() + static_cast<std::ptrdiff_t>(former_count_);
  return std::find(former_.begin(), end, attempt) != end;
}

bool Handshake::forget_peer() {
  if (former_count_ == kFormerMax) return false;
  former_[former_count_++] = peer_attempt_;
  peer_attempt_ = 0;
  peer_ = {};
  return true;
}

Handshake::Reaction Handshake::handle(ConnectionState state, const HandshakeFrame& frame) {
  const bool linked = state == ConnectionState::linked;
  const bool attached = state == ConnectionState::attached;
  if (!(linked || attached || state == ConnectionState::asking) || is_former(frame.attempt))
    return {};
  const bool is_peer = frame.attempt == peer_attempt_;
  const bool hears_us = frame.heard == attempt_;
  Reaction reaction;
  if (frame.says == Says::gone) {
    if (!hears_us || !is_peer) return {};
    if (attached) {
      reaction.first = ConnectionEvent::ends;
    } else {
      reaction.first = forget_peer() ? ConnectionEvent::withdraws : ConnectionEvent::breaks;
    }
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
    if (attached) {
      reaction.first = ConnectionEvent::ends;
      return reaction;
    }
    if (linked && !forget_peer()) {
      reaction.first = ConnectionEvent::breaks;
      return reaction;
    }
    peer_attempt_ = heard_ = frame.attempt;
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
