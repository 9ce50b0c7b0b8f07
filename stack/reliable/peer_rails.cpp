// From silence to evidence: what is pending, what proves it, and who is probed.
#include "stack/reliable/peer_rails.hpp"

#include <algorithm>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::reliable {
namespace {

constexpr Time kBefore{-(std::int64_t{1} << 62)};
// One frame may be lost; of so many in a part of heard_within one would have been heard.
constexpr std::uint32_t kFramesToBeHeard = 3;
constexpr std::uint8_t kInVainMost = 40;  // doubled so often, every wait is above every limit

std::uint8_t bit(std::size_t rail) {
  return static_cast<std::uint8_t>(1u << rail);
}

// What speaks for sending elsewhere, and proves nothing about the port itself.
bool is_suspicion(RailEvent event) {
  switch (event) {
    case RailEvent::timed_out:
    case RailEvent::overtaken:
    case RailEvent::probe_lost:
    case RailEvent::not_completed:
    case RailEvent::unheard:
    case RailEvent::outrun:
    case RailEvent::failed_there:
      return true;
    case RailEvent::delivered:
    case RailEvent::answered:
    case RailEvent::failed_here:
    case RailEvent::port_up:
      return false;
  }
  return false;
}

}  // namespace

PeerRails::Rail::Rail(const RailSettings& settings, const RoundTripLimits& limits, Time now)
    : state(settings, now),
      round_trip(limits),
      proven(kBefore),
      probe_sent(kBefore),
      answered(kBefore),
      heard(kBefore) {
  sendings.since = sendings.since_before = kBefore;
}

PeerRails::PeerRails(std::size_t rails, const RailSettings& settings, const RoundTripLimits& limits,
                     Time now)
    : settings_(&settings), peer_said_(kBefore) {
  HOLDFAST_ASSERT(rails >= 1 && rails <= kPeerRailsMax);
  rails_.reserve(rails);
  for (std::size_t i = 0; i < rails; ++i) {
    rails_.emplace_back(settings, limits, now);
  }
}

void PeerRails::sent(std::size_t rail, Time now) {
  Sendings& sendings = rails_[rail].sendings;
  if (now - sendings.since >= settings_->heard_within / 3) {
    sendings = {now, sendings.since, 0, sendings.frames};
  }
  ++sendings.frames;
}

// All frames of the part before were sent early enough to have been heard by what the peer now
// says, and late enough to count as lately.
bool PeerRails::sent_unheard(const Rail& rail, Time now) const {
  const Sendings& sendings = rail.sendings;
  return sendings.frames_before >= kFramesToBeHeard &&
         now - sendings.since_before <= settings_->heard_within &&
         now - sendings.since >= rail.round_trip.retransmission_timeout();
}

void PeerRails::peer_hears(std::uint8_t rails, Time now) {
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    if ((rails & bit(i)) == 0 && sent_unheard(rails_[i], now)) apply(i, RailEvent::unheard, now);
  }
}

void PeerRails::peer_left(const RailsLeft& left, Time stamp, Time now) {
  if (stamp <= peer_said_) return;
  peer_said_ = stamp;
  if (std::exchange(peer_leavings_, left.count) == left.count) return;
  repeat_ |= left.rails;
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    if ((left.failed & bit(i)) != 0) apply(i, RailEvent::failed_there, now);
  }
}

void PeerRails::delivered(std::size_t rail, Time sent, Time now) {
  Rail& of = rails_[rail];
  if (of.state.carries_data()) of.data = of.probe = {};
  apply(rail, RailEvent::delivered, now);
  prove(rail, sent, now);
}

void PeerRails::timed_out(std::size_t rail, Time oldest, unsigned packets, Time now) {
  Rail& of = rails_[rail];
  if (!of.state.carries_data()) return;
  if (!of.data.pending()) {
    of.data.proof_from = there_by(of, oldest);
    of.many = packets >= settings_->overtaken_packets;
    settle(of, proven_elsewhere(rail), now);
  }
  of.wanted = true;
  if (!of.data.unproven()) return;
  silent_since_ = std::min(silent_since_, oldest);
  want_witnesses(rail);
}

void PeerRails::probed(std::size_t rail, Time now) {
  Rail& of = rails_[rail];
  const Duration most = of.state.health() == RailHealth::down ? settings_->probe_interval_down
                                                              : settings_->probe_interval_silent;
  of.probe_sent = now;
  of.probe_ends = now + std::min(of.round_trip.retransmission_timeout(), most);
  of.wanted = false;
  of.state.probed(now);
  sent(rail, now);
}

bool PeerRails::answered(std::size_t rail, Time stamp, Time now) {
  Rail& of = rails_[rail];
  if (stamp <= of.answered || stamp > of.probe_sent) return false;
  of.answered = stamp;
  if (stamp == of.probe_sent) of.probe_ends = Time::never();
  of.probe = {};
  // The peer turns and the rail works. What was sent on it before may have been lost by chance, or
  // because it is large.
  if (of.data.proof_from <= stamp) {
    of.many = false;
    settle(of, stamp, now);
  }
  if (stamp >= of.state.since()) apply(rail, RailEvent::answered, now);
  prove(rail, stamp, now);
  of.wanted = is_waited_for(rail);
  return true;
}

void PeerRails::handle(std::size_t rail, RailEvent event, Time now) {
  apply(rail, event, now);
}

// When what was posted on the rail at `sent` should be with the peer. All of the round trip may be
// the way there: a queue of our own is. Before anything has been measured a guess, which is long.
Time PeerRails::there_by(const Rail& rail, Time sent) const {
  const RoundTrip& round_trip = rail.round_trip;
  return sent +
         (round_trip.measured() ? round_trip.smoothed() : round_trip.retransmission_timeout() / 2);
}

Time PeerRails::proven_elsewhere(std::size_t rail) const {
  Time latest = kBefore;
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    if (i != rail) latest = std::max(latest, rails_[i].proven);
  }
  return latest;
}

// The peer has turned since it got what was posted at `sent`.
void PeerRails::prove(std::size_t rail, Time sent, Time now) {
  if (sent >= silent_since_) silent_since_ = Time::never();
  rails_[rail].proven = std::max(rails_[rail].proven, sent);
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    rails_[i].in_vain = 0;
    if (i != rail) settle(rails_[i], sent, now);
  }
}

void PeerRails::settle(Rail& rail, Time proven, Time now) {
  for (Silence* silence : {&rail.data, &rail.probe}) {
    if (!silence->unproven() || silence->proof_from > proven) continue;
    silence->counts_at = now + rail.round_trip.retransmission_timeout() / 2;
  }
}

// Whether a later answer on this rail would settle the silence of another one, or help to, once the
// probe that is under way there is lost.
bool PeerRails::is_waited_for(std::size_t rail) const {
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    const Rail& other = rails_[i];
    if (i == rail || other.state.health() == RailHealth::down) continue;
    if (other.data.unproven() || other.probe.unproven()) return true;
    const bool in_question = other.data.pending() || other.state.silences() > 0;
    if (in_question && other.probe_ends != Time::never() &&
        proven_elsewhere(i) < there_by(other, other.probe_sent)) {
      return true;
    }
  }
  return false;
}

void PeerRails::want_witnesses(std::size_t rail) {
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    if (i != rail && rails_[i].state.carries_data()) rails_[i].wanted = true;
  }
}

void PeerRails::lose_probe(std::size_t rail, Time now) {
  Rail& of = rails_[rail];
  of.probe_ends = Time::never();
  if (of.in_vain < kInVainMost) ++of.in_vain;
  // That a rail which is down loses one more probe is nobody's question.
  if (of.state.health() == RailHealth::down) return;
  if (!of.probe.pending()) {
    of.probe.proof_from = there_by(of, of.probe_sent);
    settle(of, proven_elsewhere(rail), now);
  }
  if (!of.probe.unproven()) return;
  of.wanted = true;
  want_witnesses(rail);
}

void PeerRails::count_silence(std::size_t rail, Time now) {
  Rail& of = rails_[rail];
  if (of.data.counts_at <= now) {
    of.data = {};
    apply(rail, of.many ? RailEvent::overtaken : RailEvent::timed_out, now);
  }
  if (of.probe.counts_at <= now) {
    of.probe = {};
    of.wanted = true;
    apply(rail, RailEvent::probe_lost, now);
  }
}

void PeerRails::apply(std::size_t rail, RailEvent event, Time now) {
  if (rails_.size() == 1 && is_suspicion(event)) return;
  Rail& of = rails_[rail];
  const bool carried = of.state.carries_data();
  if (!of.state.handle(event, now)) return;
  of.data = of.probe = {};
  of.probe_ends = Time::never();
  of.in_vain = 0;
  of.wanted = false;
  if (of.state.carries_data()) failed_ &= static_cast<std::uint8_t>(~bit(rail));
  if (carried) {
    resend_ |= bit(rail);
    repeat_ |= bit(rail);
  }
  const bool failed = event == RailEvent::failed_here && (failed_ & bit(rail)) == 0;
  if (failed) failed_ |= bit(rail);
  if (carried || failed) {
    ++leavings_;
    has_news_ = true;
  }
  if (carry() != 0) {
    none_carries_since_ = Time::never();
  } else {
    none_carries_since_ = std::min(none_carries_since_, now);
  }
}

std::uint8_t PeerRails::take_news() {
  const std::uint8_t carries = carry();
  if (!has_news_ || carries == 0) return 0;
  has_news_ = false;
  return left().rails != 0 ? carries : std::uint8_t{0};
}

// While nobody proves that the peer turns, each probe in vain doubles the time to the next.
Time PeerRails::next_probe(const Rail& rail) const {
  const bool up = rail.state.carries_data();
  if (up && !rail.wanted) return Time::never();
  if (rail.probe_ends != Time::never()) return rail.probe_ends;
  Duration wait{0};
  if (rail.in_vain > 0) {
    wait = rail.round_trip.retransmission_timeout();
    for (unsigned i = 1; i < rail.in_vain && wait < settings_->probe_interval_silent; ++i) {
      wait = wait * 2;
    }
    wait = std::min(wait, settings_->probe_interval_silent);
  }
  const Time due = rail.probe_sent + wait;
  return up ? due : std::max(due, rail.state.next_probe());
}

RailOrders PeerRails::poll(Time now) {
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    if (rails_[i].probe_ends <= now) lose_probe(i, now);
    count_silence(i, now);
  }
  RailOrders orders;
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    if (next_probe(rails_[i]) <= now) orders.probe |= bit(i);
  }
  orders.carry = carry();
  orders.resend = std::exchange(resend_, std::uint8_t{0});
  orders.repeat = std::exchange(repeat_, std::uint8_t{0});
  return orders;
}

Time PeerRails::next_deadline() const {
  Time next = Time::never();
  for (const Rail& rail : rails_) {
    next = std::min(
        {next, rail.probe_ends, rail.data.counts_at, rail.probe.counts_at, next_probe(rail)});
  }
  return next;
}

std::uint8_t PeerRails::carry() const {
  std::uint8_t carries = 0;
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    if (rails_[i].state.carries_data()) carries |= bit(i);
  }
  return carries;
}

RailsLeft PeerRails::left() const {
  const unsigned all = (1u << rails_.size()) - 1;
  return {static_cast<std::uint8_t>(all & ~unsigned{carry()}), failed_, leavings_};
}

std::uint8_t PeerRails::heard_lately(Time now) const {
  std::uint8_t heard = 0;
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    if (now - rails_[i].heard <= settings_->heard_within) heard |= bit(i);
  }
  return heard;
}

std::uint8_t PeerRails::heard_with_others(Duration beside) const {
  Time latest = kBefore;
  for (const Rail& rail : rails_) latest = std::max(latest, rail.heard);
  std::uint8_t heard = 0;
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    if (latest - rails_[i].heard <= beside) heard |= bit(i);
  }
  return heard;
}

std::uint8_t PeerRails::answer_on(std::size_t rail) const {
  const auto others = static_cast<std::uint8_t>(carry() & ~bit(rail));
  return static_cast<std::uint8_t>(bit(rail) | (others & -others));
}

Time PeerRails::unreachable_since() const {
  return std::min(silent_since_, none_carries_since_);
}

}  // namespace holdfast::reliable
