// A short list in the order of the verdicts.
#include "stack/detect/held_verdicts.hpp"

#include <algorithm>

#include "stack/base/random.hpp"

namespace holdfast {

bool HeldVerdicts::holds(DomainId domain) const {
  return std::any_of(held_.begin(), held_.end(),
                     [domain](const Held& held) { return held.domain == domain; });
}

bool HeldVerdicts::take_back(DomainId domain) {
  const bool was_held =
      std::erase_if(held_, [domain](const Held& held) { return held.domain == domain; }) > 0;
  if (was_held) taken_back_.push_back(domain);
  return was_held;
}

void HeldVerdicts::take_all_back() {
  for (const Held& held : held_) taken_back_.push_back(held.domain);
  held_.clear();
}

std::optional<DomainId> HeldVerdicts::taken_back() {
  if (taken_back_.empty()) return std::nullopt;
  const DomainId domain = taken_back_.back();
  taken_back_.pop_back();
  return domain;
}

void HeldVerdicts::news(Time now, const Ring& ring) {
  std::erase_if(held_,
                [&ring](const Held& held) { return ring.speaker(held.domain) == kNoProcess; });
  for (Held& held : held_) held.until = std::min(held.until, now);
}

std::optional<DomainId> HeldVerdicts::due(Time now) {
  if (held_.empty() || held_.front().until > now) return std::nullopt;
  const DomainId domain = held_.front().domain;
  held_.erase(held_.begin());
  if (!held_.empty()) held_.front().until = std::min(held_.front().until, now);
  return domain;
}

std::uint64_t HeldVerdicts::hash() const {
  std::uint64_t h = held_.size();
  for (const Held& held : held_) {
    h = mix64(h ^ held.domain.value);
    h = mix64(h ^ static_cast<std::uint64_t>(held.until.ns));
  }
  return h;
}

}  // namespace holdfast
