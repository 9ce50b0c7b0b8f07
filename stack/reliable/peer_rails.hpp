// All rails to one peer, and what the silence of one of them means. What happened goes in, and what
// to do comes out as a value: which rails carry data, which are to be probed now, and what is to be
// sent elsewhere. Each end judges the direction in which it sends; the other direction is judged by
// the other end.
//
// A silent rail and a peer that computes look alike to who waits for an acknowledgement. So the
// rule: silence counts against a rail only if the peer has acknowledged something that was sent
// later, on any rail, when what the silent one carries should already have been there (a round trip
// of it after its sending, of which a queue of our own may be nearly all); and if nothing comes for
// half a retransmission timeout after both are known, as one who wakes acknowledges what came on
// one rail a moment before the other. Only our own clock is used. If there is no such proof, all
// rails that carry data are asked: a probe each, witnesses for one another. If nobody answers, the
// peer does not turn, or all rails are cut: no rail is blamed, however long it takes, and probes
// become rarer.
//
// Worst cases, from the cut of a rail with round trip R and retransmission timeout T while another
// one, with R', works, to its being suspect, which is when what was under way goes elsewhere. The
// last acknowledgement comes A after the cut: R, or somewhat more than R/2 + R' if it comes with
// those of the other rail; and a timeout T after that. With suspect_after = 2, R + 2 R' <= T, and
// n packets under way:
//   the network says so                                             0
//   n >= overtaken_packets, another rail delivers                   A + 3/2 T
//   n >= overtaken_packets, all others are idle                     A + R' + 3/2 T
//   n < overtaken_packets                                           A + 5/2 T
//   n >= overtaken_packets, another rail delivers all the time      U + R' + 1 ms
// and where R + 2 R' > T, as of loaded rails, later by what T lacks, at most R' or, of few packets,
// 2 R'. U is the greater of 2 R and R + twice its mean deviation: that is for who sends to find
// (Sending::find_outrun), without asking for a timeout, which is many R where round trips vary. And
// of a peer that does not turn no rail becomes suspect, however long. When all rails were cut
// and are well again the first answer comes after at most probe_interval_silent + R. A rail that is
// down while nothing else is sent to the peer is probed at that interval, too, so its return
// (rail_state.hpp) may take so much longer.
//
// A rail without another beside it is not suspected: there is nowhere else to send, and not to send
// would only make an outage longer. Only an error of its port takes it down.
//
// One-way failures. A rail that is dead towards the peer is silent here. One that is dead on the
// way back loses the peer's acknowledgements and answers: hence an answer goes back on two rails
// (answer_on) and acknowledgements go with it; and each end says on which rails it has heard
// something lately, so that the other stops sending on a rail that does not arrive, without waiting
// for an acknowledgement, which acknowledgements do not get: at most heard_within + R after the cut
// and the next frame that says so.
//
// Who leaves a rail knows more than the other end, of whose frames on it some are lost as well, if
// it is dead both ways: acknowledgements are made up for by later ones, grants by none. So it says
// so at once, if something is under way, by a probe on each rail that it still uses. That its own
// network took the rail makes the other end leave it, too, half a round trip later; that it
// suspects the rail does not, as that may be dead in one direction. Probes say it all again, and
// count, so that one which is lost or late takes nothing away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stack/base/time.hpp"
#include "stack/reliable/rail_state.hpp"
#include "stack/reliable/round_trip.hpp"

namespace holdfast::reliable {

inline constexpr std::size_t kPeerRailsMax = 8;

// Bit r of each: rail r.
struct RailOrders {
  std::uint8_t carry = 0;   // may take new data
  std::uint8_t probe = 0;   // to be probed now; then call probed(), or it stays due
  std::uint8_t resend = 0;  // no longer carries data since the last call: what is under way on it
                            // is to be sent on others, or if none carries, when one does
  std::uint8_t repeat = 0;  // since the last call the peer has left it, or this end has: grants
                            // that went on it may be lost, and nobody misses them yet
};

// What one end tells the other of the rails that carry none of its data. Bit r of each: rail r.
struct RailsLeft {
  std::uint8_t rails = 0;
  std::uint8_t failed = 0;  // of these: its own network took them
  std::uint8_t count = 0;   // of the times that one was left or failed, modulo 256
};

class PeerRails {
 public:
  // 1 … kPeerRailsMax rails, all up. Settings and limits must outlive it. Memory is allocated here
  // only.
  PeerRails(std::size_t rails, const RailSettings& settings, const RoundTripLimits& limits,
            Time now);

  // What happened. `now` is the turn's time and does not go back; times of sending are those of the
  // turn that posted. A turn tells all that came before it polls.

  // Any frame went to the peer on this rail.
  void sent(std::size_t rail, Time now);
  // A frame of the peer came on it and verified.
  void heard(std::size_t rail, Time now) { rails_[rail].heard = now; }
  // The peer says on which rails it has heard something lately.
  void peer_hears(std::uint8_t rails, Time now);
  // It says so in a probe, with this stamp of its clock: news if the count is another one than in
  // its latest probe before. What overtakes a later one on the way says nothing.
  void peer_left(const RailsLeft& left, Time stamp, Time now);
  // The peer acknowledged a packet of this rail that was posted at `sent`: this packet, and not
  // what was in it, which may have been sent elsewhere since. Else a dead rail would be given the
  // credit for what another one delivered.
  void delivered(std::size_t rail, Time sent, Time now);
  // For one retransmission timeout, backed off or not, no packet of this rail was acknowledged,
  // while `packets` are under way on it, the oldest since `oldest`.
  void timed_out(std::size_t rail, Time oldest, unsigned packets, Time now);
  // Something that went there is not answered, for which there may be good reasons: a probe shall
  // tell whether it is the rail.
  void ask(std::size_t rail) { rails_[rail].wanted = rails_[rail].state.carries_data(); }
  // A probe was posted; its stamp is `now`.
  void probed(std::size_t rail, Time now);
  // The peer answered the probe with this stamp. The same answer may come on several rails. What
  // was posted on that rail a reordering window before the stamp, and has not been acknowledged, is
  // lost: an acknowledgement comes with the answer.
  // False: it is known, or nothing was asked then, and it says nothing.
  bool answered(std::size_t rail, Time stamp, Time now);
  // What the network says: not_completed, failed_here, port_up; or `overtaken`, if whoever sends
  // knows more than is seen here.
  void handle(std::size_t rail, RailEvent event, Time now);

  // What to do.
  RailOrders poll(Time now);
  // On which rails a probe is to tell the peer of others that were left since it was asked last, to
  // be called after poll() if something is under way to the peer or from it: of a job's peers most
  // are idle, and learn of it when that changes.
  std::uint8_t take_news();
  // When to call poll() if nothing happens before; after a poll whose probes were sent, later than
  // that poll.
  Time next_deadline() const;

  std::size_t rails() const { return rails_.size(); }
  // Of memory beside the object itself.
  static constexpr std::size_t bytes(std::size_t rails) { return rails * sizeof(Rail); }
  std::uint8_t carry() const;
  // The others: what a probe says.
  RailsLeft left() const;
  // The rails on which something came lately: to be said only when a turn has told of all that has
  // come, or one who has slept denies what still waits.
  std::uint8_t heard_lately(Time now) const;
  // The rails on which something came at most `beside` before the latest frame of all. One that is
  // not among them has perhaps died, in both directions, and who sends has left it.
  std::uint8_t heard_with_others(Duration beside) const;
  // The rails on which a probe that came on `rail` is answered: it, and the lowest other one that
  // carries data.
  std::uint8_t answer_on(std::size_t rail) const;
  // Since when no rail carries data, or the peer has acknowledged nothing of what was sent since;
  // never() if neither is so.
  Time unreachable_since() const;

  const RailState& state(std::size_t rail) const { return rails_[rail].state; }
  RoundTrip& round_trip(std::size_t rail) { return rails_[rail].round_trip; }
  const RoundTrip& round_trip(std::size_t rail) const { return rails_[rail].round_trip; }

 private:
  // Frames sent in the current part of heard_within, and in the one before.
  struct Sendings {
    Time since, since_before;
    std::uint32_t frames = 0, frames_before = 0;
  };
  // Something was not acknowledged in time.
  struct Silence {
    Time proof_from = Time::never();  // it counts if what was posted from then on is acknowledged
    Time counts_at = Time::never();   // proven: it counts unless something comes before
    bool pending() const { return proof_from != Time::never(); }
    bool unproven() const { return pending() && counts_at == Time::never(); }
  };
  struct Rail {
    Rail(const RailSettings& settings, const RoundTripLimits& limits, Time now);

    RailState state;
    RoundTrip round_trip;
    Time proven;  // when the latest packet or probe that the peer acknowledged had been posted
    Silence data;
    Silence probe;
    Time probe_sent;                  // the latest
    Time probe_ends = Time::never();  // when it counts as lost; never(): none is under way
    Time answered;                    // the stamp of the latest probe that was answered
    Time heard;                       // when the latest frame came on it
    Sendings sendings;
    std::uint8_t in_vain = 0;  // probes in a row without an answer or proof
    bool many = false;         // of packets under way when its data became silent
    bool wanted = false;       // a probe, although it carries data
  };

  Time there_by(const Rail& rail, Time sent) const;
  Time proven_elsewhere(std::size_t rail) const;
  void prove(std::size_t rail, Time sent, Time now);
  void settle(Rail& rail, Time proven, Time now);
  void lose_probe(std::size_t rail, Time now);
  void count_silence(std::size_t rail, Time now);
  bool is_waited_for(std::size_t rail) const;
  void want_witnesses(std::size_t rail);
  void apply(std::size_t rail, RailEvent event, Time now);
  Time next_probe(const Rail& rail) const;
  bool sent_unheard(const Rail& rail, Time now) const;

  const RailSettings* settings_;
  std::vector<Rail> rails_;
  std::uint8_t resend_ = 0;
  std::uint8_t repeat_ = 0;
  std::uint8_t failed_ = 0;
  std::uint8_t leavings_ = 0;
  bool has_news_ = false;
  std::uint8_t peer_leavings_ = 0;  // as the peer's latest probe said
  Time peer_said_;                  // its stamp
  Time silent_since_ = Time::never();
  Time none_carries_since_ = Time::never();
};

}  // namespace holdfast::reliable
