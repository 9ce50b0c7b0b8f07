// How long a rail takes to a peer and back, measured from packets and their acknowledgements, and
// what follows from it: how long to wait before asking again, and how late a packet may be before
// it counts as lost. Times: RFC 6298's smoothing (gain 1/8 and 1/4) and RFC 8985's reordering
// window (RACK), without their lower bound of a second: the smallest wait is a setting, because a
// fabric's round trip is microseconds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "stack/base/time.hpp"

namespace holdfast::reliable {

// All above zero, and at most a year.
struct RoundTripLimits {
  Duration first;     // the wait before anything has been measured
  Duration wait_min;  // of retransmission_timeout()
  Duration wait_max;  // of backed_off()

  // How long a receiver may keep an acknowledgement, unless an answer of its program is likely
  // (specification, clause 14.9): all processes of a job have the same limits.
  Duration kept_max() const { return wait_min / 4; }
};

class RoundTrip {
 public:
  // The limits must outlive it.
  explicit RoundTrip(const RoundTripLimits& limits);

  // One packet took so long, what its receiver kept it for subtracted. Only of packets whose
  // acknowledgement cannot be that of an earlier copy, and whose receiver knows what it kept it
  // for: of one that did not turn for longer than the field in its acknowledgement holds, nothing
  // is learned. What is below a nanosecond or above wait_max counts as these.
  void measure(Duration sample, Time now);
  // A packet arrived after one that had been sent this much later: packets overtake each other
  // here, so the reordering window grows to a quarter more than that. It is halved when for 256
  // round trips nothing came later than half of it (RFC 8985, 6.2, keeps it for 16 recoveries): too
  // wide a window costs a loss a part of a round trip, one that is too narrow costs a packet sent
  // in vain.
  void overtaken(Duration by, Time now);

  bool measured() const { return smoothed_.ns > 0; }
  Duration smoothed() const { return smoothed_; }    // 0 until something has been measured
  Duration variation() const { return variation_; }  // mean deviation from it
  // The least of the last ten seconds; when it is older, the next sample takes its place.
  Duration least() const { return least_; }
  // After this long without an acknowledgement the peer is asked again: smoothed + 4 × variation +
  // what the peer may keep the acknowledgement for, as no sample has that in it (RFC 9002, 6.2.1),
  // within [wait_min, wait_max].
  Duration retransmission_timeout() const {
    const Duration wait =
        measured() ? smoothed_ + variation_ * 4 + limits_->kept_max() : limits_->first;
    return std::clamp(wait, limits_->wait_min, limits_->wait_max);
  }
  // The same after `attempts` in vain: doubled each time, up to wait_max.
  Duration backed_off(unsigned attempts) const {
    Duration wait = retransmission_timeout();
    for (; attempts > 0 && wait < limits_->wait_max; --attempts) wait = wait * 2;
    return std::min(wait, limits_->wait_max);
  }
  // A packet is lost when one that was sent this much later has arrived: a quarter of the least
  // round trip, or what packets have been seen to be overtaken by, at most a whole round trip.
  Duration reordering_window() const;

 private:
  void narrow(Time now);

  const RoundTripLimits* limits_;
  Duration smoothed_;
  Duration variation_;
  Duration least_;
  Time least_at_;
  Duration reordering_;  // what the greatest lateness seen lately asks for
  Time overtaken_at_;    // when one was at least half as late, or it was halved
};

}  // namespace holdfast::reliable
