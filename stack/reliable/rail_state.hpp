// The health of one rail to one peer: up, suspect, down, probation (a declared table,
// rail_state.cpp). A suspect rail gets no new data, what is under way on it is sent elsewhere, and
// it is probed; a rail that is down comes back only after several probes in a row have been
// answered, and after a hold-down that doubles with each fall and is forgiven after a time without
// one, so that a flapping cable does not take messages with it. Beyond Shipman et al., who never
// take a rail back.
//
// Evidence comes as events; what to do about it is read from the state. No event is proof of a
// cause: a port that says "up" is only a reason to probe sooner. That a peer is silent because it
// computes must be known before an event is given here: that is the rule of PeerRails
// (peer_rails.hpp), which sees all rails of a peer.
//
// What is promised, with D the time at which a rail goes down for the n-th time without being
// forgiven, and round trips of R:
//   it is suspect      at the suspect_after-th of timeouts and lost probes in a row; at once when
//                      overtaken, unheard, or not completed; down at once when the network says so
//   it is up again     at the first answer while suspect
//   it is down         at the down_after-th probe in a row lost while suspect
//   it is held         until D + H(n), H(n) = min(hold_down_min × 2^(n-1), hold_down_max)
//   it is up again     if it is well from W on, at the latest at
//                      max(W + probe_interval_down, D + H(n)) + R +
//                      (probes_to_return - 1) × max(probe_interval, R)
#pragma once

#include <cstdint>

#include "stack/base/time.hpp"

namespace holdfast::reliable {

enum class RailHealth : std::uint8_t { up, suspect, down, probation };
inline constexpr unsigned kRailHealths = 4;

enum class RailEvent : std::uint8_t {
  delivered,   // the peer acknowledged a packet of this rail
  answered,    // it answered a probe of this rail that was sent since the health last changed
  timed_out,   // nothing was acknowledged for a retransmission timeout while packets were under way
  overtaken,   // packets of this rail are missing while later ones of others arrived
  probe_lost,  // a probe was not answered in time
  not_completed,  // the adapter has not said "sent" for longer than the local-completion timeout
  failed_here,    // an error of the network's own: completion, errno, peer_down, port down
  port_up,        // the network says that it is there again
  unheard,        // the peer says it hears nothing on it though we send: one way is dead
  outrun,         // another one delivers what it was given long after what waits on this one
  failed_there,   // the peer's network says to it what failed_here says to us
};
inline constexpr unsigned kRailEvents = 11;

// The defaults are for fabrics with round trips of microseconds to a few milliseconds. Counts are
// at most 255, lengths of time at most a year.
struct RailSettings {
  // Timeouts and lost probes in a row without a delivery, >= 1. One may be a single lost packet.
  unsigned suspect_after = 2;
  // As many packets under way on a silent rail, while others deliver, are no coincidence: suspect
  // at once, >= 1. (Losses of 1 % each: three in a row are one in a million.)
  unsigned overtaken_packets = 3;
  // So many suspicions that a probe's answer ended, with nothing delivered between them, are a
  // fall, >= 1: small frames pass and large ones do not. The first one is after a return.
  unsigned suspicions_to_fall = 3;
  // Probes lost in a row while suspect, >= 1. No hurry: a suspect rail carries nothing, and one
  // that is only late shall not be held down. 8 × 5 ms outlast a queue of 40 ms.
  unsigned down_after = 8;
  // Answered in a row on probation, >= 1. A rail that loses every other packet returns once in 32.
  unsigned probes_to_return = 5;
  // While suspect and on probation: a frame of 48 bytes in so long.
  Duration probe_interval = milliseconds(5);
  // While down, after the hold-down.
  Duration probe_interval_down = milliseconds(50);
  // While the peer answers on no rail: so few frames that a minute of them fits in the buffers of
  // one that computes and does not read, and yet all rails of a network that comes back carry
  // again within a quarter of a second.
  Duration probe_interval_silent = milliseconds(150);
  // Twenty times what a fall costs at most (5 ms with the default time-outs), and within the
  // quarter of a second in which a rail shall be back after its first fall.
  Duration hold_down_min = milliseconds(100);
  // Both make the worst flapping cable fall once in ten seconds: a gap of 10 ms is then 0.1 %.
  Duration hold_down_max = seconds(10);
  Duration forgiven_after = seconds(10);  // so long since its return: the next fall is a first one
  // A frame that came on a rail so long ago counts as heard lately.
  Duration heard_within = milliseconds(10);
};

class RailState {
 public:
  // Up. The settings must outlive it.
  RailState(const RailSettings& settings, Time now);

  // True if the health has changed. `now` does not go back.
  bool handle(RailEvent event, Time now);

  RailHealth health() const { return health_; }
  bool carries_data() const { return health_ == RailHealth::up; }
  // When a probe is due at the earliest; never() while up.
  Time next_probe() const;
  // One has been sent.
  void probed(Time now) { next_probe_ = now + probe_interval(); }
  unsigned silences() const { return silences_; }  // that count, while it is up
  // Since it was last forgiven, which is when it falls next.
  unsigned falls() const { return falls_; }
  Time held_until() const { return held_until_; }  // of the last fall
  Time since() const { return since_; }            // when the health last changed

 private:
  Duration probe_interval() const;
  void become(RailHealth health, Time now);
  void count_silence(Time now);
  void suspect(Time now);
  void doubt(Time now);
  void fall(Time now);
  void count_answer(Time now);

  const RailSettings* settings_;
  RailHealth health_ = RailHealth::up;
  std::uint8_t silences_ = 0;         // while up: timeouts and lost probes in a row
  std::uint8_t suspicions_ = 0;       // in a row with nothing delivered between them
  std::uint8_t probes_lost_ = 0;      // while suspect, in a row
  std::uint8_t probes_answered_ = 0;  // on probation, in a row
  std::uint8_t falls_ = 0;
  Time since_;
  Time next_probe_;
  Time held_until_;
  Time returned_;  // from probation, or the beginning
};

// How the table answers an event in a state, for documents and tests.
enum class RailAnswer : std::uint8_t {
  nothing,        // it says nothing new
  trust,          // silences and suspicions are forgotten
  count_silence,  // suspect at the suspect_after-th
  suspect,        // or down if it is the suspicions_to_fall-th
  doubt,          // suspect, which does not count
  clear,          // up
  count_lost,     // down at the down_after-th
  fall,           // down, held
  probe_now,      // but not before the hold-down has ended
  begin_return,   // if the hold-down has ended: probation, and an answer is counted
  count_answer,   // up at the probes_to_return-th
  end_return,     // down, but no fall: it carried nothing
};
RailAnswer rail_answer(RailEvent event, RailHealth health);

}  // namespace holdfast::reliable
