// Delivery rates by a maximum over two periods, and the choice of a rail in whole numbers.
#include "stack/reliable/striping.hpp"

#include <algorithm>
#include <limits>

#include "stack/base/assert.hpp"

namespace holdfast::reliable {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kNanoseconds = 1'000'000'000;  // of a second
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kRounds = 10;  // of a period, as BBR's filter

// One division of 64 bits as long as it fits, which is below 18 GB.
std::uint64_t per_second(std::uint64_t bytes, Duration time) {
  const auto ns = static_cast<std::uint64_t>(time.ns);
  if (bytes <= kMost / kNanoseconds) return std::max<std::uint64_t>(bytes * kNanoseconds / ns, 1);
  const Wide rate = Wide{bytes} * kNanoseconds / ns;
  return static_cast<std::uint64_t>(std::clamp(rate, Wide{1}, Wide{kMost}));
}

// Nanoseconds; likewise.
Wide time_for(Wide bytes, std::uint64_t rate) {
  if (bytes <= kMost / kNanoseconds) return static_cast<std::uint64_t>(bytes) * kNanoseconds / rate;
  return bytes * kNanoseconds / rate;
}

}  // namespace

DeliveryRate::DeliveryRate(std::uint64_t initial, std::uint64_t before)
    : initial_(initial), earlier_greatest_(before) {
  HOLDFAST_ASSERT(initial > 0);
}

void DeliveryRate::deliver(const Stamp& stamp, std::uint32_t bytes, Time now) {
  delivered_ += bytes;
  delivered_at_ = now;
  first_sent_ = std::max(first_sent_, stamp.sent);
  from_idle_ = false;
  largest_ = std::max(largest_, bytes);
  least_ = std::clamp(now - stamp.sent, nanoseconds(1), least_);

  std::uint64_t sample_bytes = delivered_ - stamp.delivered;
  Duration time = std::max({now - stamp.at, stamp.sent - stamp.first_sent, nanoseconds(1)});
  const std::uint64_t all_bytes = sample_bytes;
  if (stamp.from_idle) {
    // The first packet took a round trip, and the others followed at the rail's rate. The least
    // round trip may be that of a packet as long as any.
    if (sample_bytes <= largest_) return;
    sample_bytes -= largest_;
    time = std::max(time - least_, time / 2);
    time = std::max(time, nanoseconds(1));
  }
  const std::uint64_t sample = per_second(sample_bytes, time);
  const auto fills = [&] {
    return time_for(all_bytes, bytes_per_second()) >= static_cast<std::uint64_t>(least_.ns);
  };
  if (sample <= bytes_per_second() && stamp.limited && !fills()) return;
  greatest_ = std::max(greatest_, sample);
  if (stamp.delivered < round_ends_) return;
  round_ends_ = delivered_;
  if (++rounds_ < kRounds) return;
  rounds_ = 0;
  earlier_greatest_ = greatest_;
  greatest_ = 0;
}

std::uint64_t DeliveryRate::bytes_per_second() const {
  return measured() > 0 ? measured() : initial_;
}

namespace {

bool has_room(const RailLoad& rail, std::uint32_t bytes) {
  return rail.usable && rail.under_way <= rail.window && bytes <= rail.window - rail.under_way;
}

// Nanoseconds until they are there.
Wide arrives_after(const RailLoad& rail, std::uint32_t bytes) {
  return time_for(Wide{rail.under_way} + bytes, rail.bytes_per_second) +
         static_cast<std::uint64_t>(rail.latency.ns);
}

}  // namespace

std::size_t choose_rail(std::span<const RailLoad> rails, std::uint32_t bytes) {
  std::size_t best = kNoRail;
  Wide best_time = 0;
  for (std::size_t i = 0; i < rails.size(); ++i) {
    if (!has_room(rails[i], bytes)) continue;
    const Wide time = arrives_after(rails[i], bytes);
    if (best != kNoRail && time >= best_time) continue;
    best = i;
    best_time = time;
  }
  return best;
}

RailChoice choose_rail_or_wait(std::span<const RailLoad> rails, std::uint32_t bytes) {
  const std::size_t best = choose_rail(rails, bytes);
  if (best == kNoRail) return {};
  const Wide time = arrives_after(rails[best], bytes);
  Wide longest = 0;
  for (const RailLoad& rail : rails) {
    if ((!rail.usable && !rail.is_full) || has_room(rail, bytes)) continue;
    const Wide its = arrives_after(rail, bytes) + static_cast<std::uint64_t>(rail.stalled.ns);
    if (its < time) longest = std::max(longest, time - its);
  }
  if (longest == 0) return {best, {}};
  constexpr Wide kMostWait = static_cast<std::uint64_t>(seconds(1).ns);
  return {kNoRail, Duration{static_cast<std::int64_t>(std::min(longest, kMostWait))}};
}

std::uint64_t share_of(std::span<const RailLoad> rails, std::size_t rail, std::uint64_t bytes) {
  Wide all = 0;
  for (const RailLoad& other : rails) {
    if (other.usable || other.is_full) all += other.bytes_per_second;
  }
  return all == 0 ? bytes
                  : static_cast<std::uint64_t>(Wide{bytes} * rails[rail].bytes_per_second / all);
}

}  // namespace holdfast::reliable
