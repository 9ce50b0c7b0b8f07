// A verdict was a mistake if its subject refuted it: then the next life is one of the same boot.
#include "hw/status/belief_history.hpp"

#include "stack/base/assert.hpp"

namespace holdfast::hw {

BeliefHistory::BeliefHistory(ProcessId self, std::uint32_t processes)
    : self_(self), known_(processes) {
  moments_.reserve(kMomentsMax);
}

void BeliefHistory::note(Time at, std::span<const BeliefChange> changes) {
  for (const BeliefChange& change : changes) note_one(at, change);
}

void BeliefHistory::note_one(Time at, const BeliefChange& change) {
  HOLDFAST_ASSERT(change.process.value < known_.size());
  Known& known = known_[change.process.value];
  const BeliefMoment moment{at, change.process, change.record, change.own_verdict};
  if (moments_.size() < kMomentsMax) {
    moments_.push_back(moment);
  } else {
    moments_[oldest_] = moment;
    oldest_ = (oldest_ + 1) % kMomentsMax;
  }
  known.since = at;
  known.suspected = change.record.state == MemberState::suspected;
  if (known.suspected) return;
  const bool same_boot = boot_of(change.record.incarnation) == boot_of(known.record.incarnation);
  const bool later_life = change.record.incarnation > known.record.incarnation;
  if (change.process == self_) {
    if (same_boot && later_life) ++verdicts_.of_us;
  } else if (change.record.state == MemberState::failed) {
    ++(change.own_verdict ? verdicts_.own : verdicts_.heard);
  } else if (known.record.state == MemberState::failed && same_boot && later_life) {
    ++(known.own_verdict ? verdicts_.own_refuted : verdicts_.heard_refuted);
  }
  known.record = change.record;
  known.own_verdict = change.own_verdict;
}

std::optional<Time> BeliefHistory::since(ProcessId process) const {
  const Time since = known_[process.value].since;
  return since == Time::never() ? std::nullopt : std::optional(since);
}

void BeliefHistory::copy_moments(std::vector<BeliefMoment>& to) const {
  to.clear();
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    to.push_back(moments_[(oldest_ + i) % moments_.size()]);
  }
}

}  // namespace holdfast::hw
