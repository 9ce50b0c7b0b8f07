// The table of a rail's health, and what its answers do.
#include "stack/reliable/rail_state.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "stack/base/assert.hpp"

namespace holdfast::reliable {
namespace {

// One line an event; one answer for each health. An answer does not speak for an up rail, as large
// frames may be lost where probes pass. While a rail carries nothing, what is said of data is of
// packets from before and says nothing new; a rail that is down cannot fall. To be outrun may be a
// queue of others, and a port that failed at the peer may be mended: an answered probe ends either,
// however often.
constexpr auto kTable = [] {
  using enum RailAnswer;
  using Line = std::array<RailAnswer, kRailHealths>;
  return std::array{
      // clang-format off
      //                        up             suspect     down          probation
      /* delivered     */ Line{trust,         nothing,    nothing,      nothing},
      /* answered      */ Line{nothing,       clear,      begin_return, count_answer},
      /* timed_out     */ Line{count_silence, nothing,    nothing,      nothing},
      /* overtaken     */ Line{suspect,       nothing,    nothing,      nothing},
      /* probe_lost    */ Line{count_silence, count_lost, nothing,      end_return},
      /* not_completed */ Line{suspect,       nothing,    nothing,      nothing},
      /* failed_here   */ Line{fall,          fall,       nothing,      end_return},
      /* port_up       */ Line{nothing,       probe_now,  probe_now,    probe_now},
      /* unheard       */ Line{suspect,       nothing,    nothing,      end_return},
      /* outrun        */ Line{doubt,         nothing,    nothing,      nothing},
      /* failed_there  */ Line{doubt,         nothing,    nothing,      end_return},
      // clang-format on
  };
}();
static_assert(kTable.size() == kRailEvents);

constexpr unsigned kCountMost = std::numeric_limits<std::uint8_t>::max();
constexpr Duration kLongest = seconds(366LL * 24 * 3600);

// Counts stop at their greatest value.
bool reaches(std::uint8_t& count, unsigned most) {
  if (count < kCountMost) ++count;
  return count >= most;
}

bool is_count(unsigned count) {
  return count >= 1 && count <= kCountMost;
}
bool is_length(Duration length) {
  return length.ns > 0 && length <= kLongest;
}

// The hold-down of the n-th fall.
Duration held_for(const RailSettings& settings, unsigned falls) {
  Duration held = settings.hold_down_min;
  for (unsigned n = 1; n < falls && held < settings.hold_down_max; ++n) held = held * 2;
  return std::min(held, settings.hold_down_max);
}

}  // namespace

RailAnswer rail_answer(RailEvent event, RailHealth health) {
  return kTable[static_cast<std::size_t>(event)][static_cast<std::size_t>(health)];
}

RailState::RailState(const RailSettings& settings, Time now)
    : settings_(&settings), since_(now), next_probe_(now), held_until_(now), returned_(now) {
  HOLDFAST_ASSERT(is_count(settings.suspect_after) && is_count(settings.overtaken_packets) &&
                  is_count(settings.suspicions_to_fall) && is_count(settings.down_after) &&
                  is_count(settings.probes_to_return));
  HOLDFAST_ASSERT(is_length(settings.probe_interval) && is_length(settings.probe_interval_down) &&
                  is_length(settings.probe_interval_silent) && is_length(settings.hold_down_min) &&
                  is_length(settings.hold_down_max) && is_length(settings.forgiven_after) &&
                  is_length(settings.heard_within) &&
                  settings.hold_down_min <= settings.hold_down_max);
}

bool RailState::handle(RailEvent event, Time now) {
  const RailHealth before = health_;
  switch (rail_answer(event, health_)) {
    case RailAnswer::nothing:
      break;
    case RailAnswer::trust:
      silences_ = 0;
      suspicions_ = 0;
      break;
    case RailAnswer::count_silence:
      count_silence(now);
      break;
    case RailAnswer::suspect:
      suspect(now);
      break;
    case RailAnswer::doubt:
      doubt(now);
      break;
    case RailAnswer::clear:
      become(RailHealth::up, now);
      break;
    case RailAnswer::count_lost:
      if (reaches(probes_lost_, settings_->down_after)) fall(now);
      break;
    case RailAnswer::fall:
      fall(now);
      break;
    case RailAnswer::probe_now:
      next_probe_ = std::max(now, held_until_);
      break;
    case RailAnswer::begin_return:
      if (now < held_until_) break;
      become(RailHealth::probation, now);
      next_probe_ = now;
      count_answer(now);
      break;
    case RailAnswer::count_answer:
      count_answer(now);
      break;
    case RailAnswer::end_return:
      become(RailHealth::down, now);
      next_probe_ = now + probe_interval();
      break;
  }
  return health_ != before;
}

void RailState::become(RailHealth health, Time now) {
  health_ = health;
  since_ = now;
  silences_ = 0;
  probes_lost_ = 0;
  probes_answered_ = 0;
}

void RailState::count_silence(Time now) {
  if (reaches(silences_, settings_->suspect_after)) suspect(now);
}

void RailState::suspect(Time now) {
  if (reaches(suspicions_, settings_->suspicions_to_fall)) {
    fall(now);
  } else {
    doubt(now);
  }
}

void RailState::doubt(Time now) {
  become(RailHealth::suspect, now);
  next_probe_ = now;
}

void RailState::fall(Time now) {
  if (now - returned_ >= settings_->forgiven_after) falls_ = 0;
  if (falls_ < kCountMost) ++falls_;
  become(RailHealth::down, now);
  held_until_ = now + held_for(*settings_, falls_);
  next_probe_ = held_until_;
}

void RailState::count_answer(Time now) {
  if (!reaches(probes_answered_, settings_->probes_to_return)) return;
  become(RailHealth::up, now);
  returned_ = now;
  // It has yet to deliver: the next suspicion before that is a fall.
  suspicions_ = static_cast<std::uint8_t>(settings_->suspicions_to_fall - 1);
}

Duration RailState::probe_interval() const {
  return health_ == RailHealth::down ? settings_->probe_interval_down : settings_->probe_interval;
}

Time RailState::next_probe() const {
  return health_ == RailHealth::up ? Time::never() : next_probe_;
}

}  // namespace holdfast::reliable
