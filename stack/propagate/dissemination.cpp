// Telling, sending, acknowledging, repeating.
#include "stack/propagate/dissemination.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast {

Dissemination::Entry* Dissemination::find(ProcessId to) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [to](const Entry& entry) { return entry.to == to; });
  return found == entries_.end() ? nullptr : &*found;
}

void Dissemination::tell(ProcessId to, std::uint64_t after, std::uint64_t upto) {
  HOLDFAST_ASSERT(after < upto);
  if (Entry* entry = find(to)) {
    entry->upto = std::max(entry->upto, upto);
    return;
  }
  if (entries_.size() == options_.entries_max) {
    entries_.erase(entries_.begin());
    ++evicted_;
  }
  entries_.push_back({to, after, after, after, upto, Time::never()});
}

void Dissemination::acknowledged(ProcessId from, std::uint64_t after, std::uint64_t upto) {
  Entry* entry = find(from);
  // An acknowledgement of what was never sent is not of this life; one with a gap before it says
  // nothing about the gap, and the repetition will.
  if (entry == nullptr || upto > entry->highest || after > entry->acknowledged) return;
  entry->acknowledged = std::max(entry->acknowledged, upto);
  entry->sent = std::max(entry->sent, entry->acknowledged);
  if (entry->acknowledged == entry->upto) forget(from);
}

void Dissemination::forget(ProcessId receiver) {
  std::erase_if(entries_, [receiver](const Entry& entry) { return entry.to == receiver; });
}

std::optional<Dissemination::Order> Dissemination::poll(Time now) {
  for (Entry& entry : entries_) {
    if (entry.repeat_at <= now) {
      entry.sent = entry.acknowledged;
      entry.repeat_at = Time::never();
    }
    if (entry.sent < entry.upto) {
      return Order{entry.to, entry.sent, entry.sent < entry.highest};
    }
  }
  return std::nullopt;
}

void Dissemination::sent(const Order& order, std::uint64_t upto, Time now) {
  Entry* entry = find(order.to);
  HOLDFAST_ASSERT(entry != nullptr && entry->sent == order.after);
  HOLDFAST_ASSERT(upto > order.after);
  entry->sent = upto;
  entry->upto = std::max(entry->upto, upto);  // a notice may carry later news along
  entry->highest = std::max(entry->highest, upto);
  if (upto < entry->upto) return;
  if (options_.acknowledged) {
    // Later news must not put off the repetition of earlier.
    if (entry->repeat_at == Time::never()) entry->repeat_at = now + options_.retransmission_timeout;
  } else {
    forget(order.to);
  }
}

Time Dissemination::next_deadline() const {
  Time next = Time::never();
  for (const Entry& entry : entries_) {
    next = std::min(next, entry.sent < entry.upto ? Time{0} : entry.repeat_at);
  }
  return next;
}

std::uint64_t Dissemination::hash() const {
  std::uint64_t h = evicted_;
  for (const Entry& entry : entries_) {
    h = mix64(h ^ entry.to.value);
    h = mix64(h ^ entry.acknowledged);
    h = mix64(h ^ entry.sent);
    h = mix64(h ^ entry.highest);
    h = mix64(h ^ entry.upto);
    h = mix64(h ^ static_cast<std::uint64_t>(entry.repeat_at.ns));
  }
  return h;
}

}  // namespace holdfast
