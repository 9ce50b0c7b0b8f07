// Which rail carries the next bytes: the one that would have them there first, by its measured
// bandwidth and what is already under way on it; so unlike rails carry shares by their bandwidth,
// and a short message takes the quicker way whole. A rail without room keeps its turn as long as it
// is expected to deliver first all the same: what does not fit on a fast rail for a moment must not
// go to a slow one, which would have it there last and hold back the message that it is of.
// (Shipman et al. choose rails round robin, one for a whole virtual fragment, with counts by
// bandwidth.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/base/time.hpp"

namespace holdfast::reliable {

// What one rail delivers, in bytes per second, measured from acknowledgements. Each packet gives a
// sample: the bytes that were delivered since it was sent, over the time in which they were
// delivered or that in which they were sent, whichever is longer, since acknowledgements may come
// in bursts (Cheng et al., Delivery Rate Estimation, IETF draft; Cardwell et al., BBR). The rate is
// the greatest sample of the last ten to twenty round trips.
//
// A rail delivers no more than it is asked to. A sample that was limited so counts only if it is
// greater than the rate, or if its bytes, at this rate, would have taken as long as the least round
// trip: then waiting, and not the asking, made it small. So a stream of small messages does not
// make a rail slow, and single large ones measure it. In a flight that began on an idle rail the
// first packet's round trip is no part of the rate, and is taken off.
class DeliveryRate {
 public:
  // `initial` bytes per second until something has been measured; > 0. Best a guess from below, as
  // what is greater is believed at once. `before`: what had been measured() when the rail was idle
  // for the last time; it goes on from there.
  explicit DeliveryRate(std::uint64_t initial, std::uint64_t before = 0);

  struct Stamp {
    std::uint64_t delivered = 0;  // bytes by then
    Time at;                      // of the last delivery by then, or of sending on an idle rail
    Time first_sent;              // when what was last delivered by then had been sent
    Time sent;
    bool from_idle = false;  // nothing has been delivered since the rail was idle
    bool limited = false;    // there was less to send than the rail could have taken
  };
  // A packet goes out while `under_way` bytes, without it, are unacknowledged on the rail. Its
  // stamp is written where it stays: to copy one that was just made takes longer than to make it.
  void send(std::uint64_t under_way, Time now, Stamp& stamp) {
    if (under_way == 0) {
      delivered_at_ = now;
      first_sent_ = now;
      from_idle_ = true;
    }
    stamp.delivered = delivered_;
    stamp.at = delivered_at_;
    stamp.first_sent = first_sent_;
    stamp.sent = now;
    stamp.from_idle = from_idle_;
    stamp.limited = from_idle_ || delivered_ < limited_until_;
  }
  // At the end of a turn: there is room in the window and nothing that may be sent, with so many
  // bytes under way.
  void limit(std::uint64_t under_way) { limited_until_ = delivered_ + under_way + 1; }
  // The packet with this stamp, of `bytes`, was acknowledged. Several that one frame acknowledges
  // are told in the order of their sending.
  void deliver(const Stamp& stamp, std::uint32_t bytes, Time now);

  std::uint64_t bytes_per_second() const;  // > 0
  // Likewise; 0 until something has been measured.
  std::uint64_t measured() const { return std::max(greatest_, earlier_greatest_); }

 private:
  std::uint64_t initial_;
  std::uint64_t greatest_ = 0;          // of the samples of this period of ten round trips
  std::uint64_t earlier_greatest_ = 0;  // of the period before
  std::uint64_t delivered_ = 0;         // bytes since the beginning
  std::uint64_t limited_until_ = 0;     // what is sent before so much is delivered is limited
  std::uint64_t round_ends_ = 0;        // bytes delivered when the next round trip begins
  Time delivered_at_;
  Time first_sent_;
  Duration least_{std::int64_t{1} << 62};  // of the round trips
  std::uint32_t largest_ = 0;              // bytes of a packet
  std::uint32_t rounds_ = 0;               // of this period
  bool from_idle_ = true;
};

struct RailLoad {
  bool usable = false;
  std::uint64_t bytes_per_second = 1;  // > 0
  std::uint64_t under_way = 0;         // bytes posted and not acknowledged or lost
  std::uint64_t window = 0;            // bytes that may be under way
  std::uint32_t payload_max = 0;       // bytes of one fragment: for whoever cuts what is sent on it
  Duration latency;                    // one way, the best that was measured; >= 0
  bool is_full = false;                // not usable, but it will be, without anybody's doing
  Duration stalled{};                  // since it delivered, or took frames, last; >= 0
};

constexpr std::size_t kNoRail = static_cast<std::size_t>(-1);

// The rail on which `bytes` more would arrive first, or kNoRail if no usable rail has room for them
// in its window; ties go to the lower one. They arrive after (under_way + bytes) / bytes_per_second
// + latency, which is computed in whole nanoseconds, rounded down, exact for all values.
std::size_t choose_rail(std::span<const RailLoad> rails, std::uint32_t bytes);

struct RailChoice {
  std::size_t rail = kNoRail;
  // kNoRail, but a rail has room: another one, which has none, is waited for so long, unless
  // something happens on it before. 0: nothing is waited for.
  Duration wait;
};
// The same, but if a rail that is full, or whose window is, would have them there before the one
// that is chosen, nobody has them yet. Of such a rail it is assumed that it will take as much
// longer as it has been stalled, so nobody waits for one that has stopped.
RailChoice choose_rail_or_wait(std::span<const RailLoad> rails, std::uint32_t bytes);

// How many of `bytes`, of which all rails that are usable or full carry something, are `rail`'s:
// its part of their bandwidth, rounded down.
std::uint64_t share_of(std::span<const RailLoad> rails, std::size_t rail, std::uint64_t bytes);

}  // namespace holdfast::reliable
