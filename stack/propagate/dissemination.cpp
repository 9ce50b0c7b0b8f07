// Telling, sending, acknowledging, repeating.
#include "stack/propagate/dissemination.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast {

void Dissemination::continue_for(const DisseminationOptions& options, std::uint64_t evicted) {
  HOLDFAST_ASSERT(idle());
  options_ = options;
  evicted_ = evicted;
}

// Among the first `end` entries; `end` if there is none. The search begins after the last find.
std::size_t Dissemination::find(ProcessId to, const Broadcast& broadcast, std::size_t end) {
  for (std::size_t looked = 0; looked < end; ++looked) {
    if (hint_ >= end) hint_ = 0;
    const Entry& entry = entries_[hint_];
    if (entry.to == to && entry.broadcast == broadcast) return hint_;
    ++hint_;
  }
  return end;
}

void Dissemination::tell(std::span<const ProcessId> to, std::uint64_t after, std::uint64_t upto,
                         const Broadcast& broadcast) {
  HOLDFAST_ASSERT(after < upto);
  for (std::size_t known = entries_.size(); const ProcessId receiver : to) {
    // Those that are added here differ from all that follow. An eviction moves the entries.
    const std::uint64_t evicted = evicted_;
    tell_one(receiver, after, upto, broadcast, known);
    if (evicted != evicted_) known = entries_.size();
  }
  settle();
}

void Dissemination::tell_one(ProcessId to, std::uint64_t after, std::uint64_t upto,
                             const Broadcast& broadcast, std::size_t end) {
  if (const std::size_t at = find(to, broadcast, end); at != end) {
    Entry& entry = entries_[at];
    if (after < entry.acknowledged) entry.acknowledged = entry.sent = after;
    entry.upto = std::max(entry.upto, upto);
    if (entry.sent < entry.upto) next_ = std::min(next_, at);
    return;
  }
  if (entries_.size() - done_ == options_.entries_max) evict_oldest();
  entries_.push_back({to, after, after, after, upto, Time::never(), broadcast});
}

void Dissemination::evict_oldest() {
  const auto oldest = std::find_if(entries_.begin(), entries_.end(),
                                   [](const Entry& entry) { return entry.to != kNoProcess; });
  finish(*oldest);
  settle();
  ++evicted_;
}

void Dissemination::acknowledged(ProcessId from, std::uint64_t after, std::uint64_t upto,
                                 const Broadcast& broadcast) {
  const std::size_t at = find(from, broadcast, entries_.size());
  if (at == entries_.size()) return;
  Entry& entry = entries_[at];
  // An acknowledgement of what was never sent is not of this life; one with a gap before it says
  // nothing about the gap, and the repetition will.
  if (upto > entry.highest || after > entry.acknowledged) return;
  entry.acknowledged = std::max(entry.acknowledged, upto);
  entry.sent = std::max(entry.sent, entry.acknowledged);
  if (entry.acknowledged == entry.upto) finish(entry);
  settle();
}

std::optional<std::uint64_t> Dissemination::forget(ProcessId receiver) {
  std::optional<std::uint64_t> unheard;
  for (Entry& entry : entries_) {
    if (entry.to != receiver) continue;
    unheard = std::min(unheard.value_or(entry.acknowledged), entry.acknowledged);
    finish(entry);
  }
  settle();
  return unheard;
}

void Dissemination::forget_all() {
  for (Entry& entry : entries_) {
    if (entry.to != kNoProcess) finish(entry);
  }
  settle();
}

void Dissemination::finish(Entry& entry) {
  if (entry.repeat_at == next_repeat_ && repeats_then_ > 0) --repeats_then_;
  entry.to = kNoProcess;
  entry.sent = entry.upto;
  entry.repeat_at = Time::never();
  ++done_;
}

// After any change: sweeps once most entries are done, and finds what is next.
void Dissemination::settle() {
  if (2 * done_ > entries_.size() || done_ == entries_.size()) {
    std::erase_if(entries_, [](const Entry& entry) { return entry.to == kNoProcess; });
    done_ = next_ = hint_ = 0;
  }
  while (next_ < entries_.size() && entries_[next_].sent == entries_[next_].upto) ++next_;
  if (repeats_then_ == 0 && next_repeat_ != Time::never()) find_next_repeat();
}

void Dissemination::find_next_repeat() {
  next_repeat_ = Time::never();
  for (const Entry& entry : entries_) next_repeat_ = std::min(next_repeat_, entry.repeat_at);
  if (next_repeat_ == Time::never()) return;
  repeats_then_ = static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [this](const Entry& entry) { return entry.repeat_at == next_repeat_; }));
}

void Dissemination::start_repeats(Time now) {
  for (Entry& entry : entries_) {
    if (entry.repeat_at > now) continue;
    entry.sent = entry.acknowledged;
    entry.repeat_at = Time::never();
  }
  next_ = repeats_then_ = 0;
  settle();
}

std::optional<Dissemination::Order> Dissemination::poll(Time now) {
  if (next_repeat_ <= now) start_repeats(now);
  if (next_ == entries_.size()) return std::nullopt;
  const Entry& entry = entries_[next_];
  return Order{entry.to, entry.sent, entry.upto, entry.sent < entry.highest, entry.broadcast};
}

void Dissemination::sent(const Order& order, std::uint64_t upto, Time now) {
  HOLDFAST_ASSERT(next_ < entries_.size() && upto > order.after);
  Entry& entry = entries_[next_];
  HOLDFAST_ASSERT(entry.to == order.to && entry.sent == order.after);
  entry.sent = upto;
  entry.upto = std::max(entry.upto, upto);  // a notice may carry later news along
  entry.highest = std::max(entry.highest, upto);
  if (upto == entry.upto) {
    if (!options_.acknowledged) {
      finish(entry);
    } else if (entry.repeat_at == Time::never()) {
      // Later news must not put off the repetition of earlier.
      entry.repeat_at = now + options_.retransmission_timeout;
      if (entry.repeat_at == next_repeat_) {
        ++repeats_then_;
      } else if (entry.repeat_at < next_repeat_) {
        next_repeat_ = entry.repeat_at;
        repeats_then_ = 1;
      }
    }
  }
  settle();
}

std::uint64_t Dissemination::hash() const {
  std::uint64_t h = evicted_;
  for (const Entry& entry : entries_) {
    if (entry.to == kNoProcess) continue;
    h = mix64(h ^ entry.to.value);
    h = mix64(h ^ entry.acknowledged);
    h = mix64(h ^ entry.sent);
    h = mix64(h ^ entry.highest);
    h = mix64(h ^ entry.upto);
    h = mix64(h ^ static_cast<std::uint64_t>(entry.repeat_at.ns));
    if (!entry.broadcast.named()) continue;
    h = mix64(h ^ entry.broadcast.starter.value);
    h = mix64(h ^ entry.broadcast.incarnation.value);
    h = mix64(h ^ (std::uint64_t{entry.broadcast.number} << 8 | entry.broadcast.cube));
  }
  return h;
}

}  // namespace holdfast
