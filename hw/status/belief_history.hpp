// When beliefs changed, and which of them were mistakes: told of each change as it comes, which is
// rarely. Memory is bounded: one instant for each process, and the last changes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/status/process_status.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/membership.hpp"

namespace holdfast::hw {

class BeliefHistory {
 public:
  static constexpr std::size_t kMomentsMax = 64;

  BeliefHistory(ProcessId self, std::uint32_t processes);

  void note(Time at, std::span<const BeliefChange> changes);

  const VerdictCounts& verdicts() const { return verdicts_; }
  // Of whom nothing was noted: absent.
  std::optional<Time> since(ProcessId process) const;
  bool suspected(ProcessId process) const { return known_[process.value].suspected; }
  // The last ones, oldest first.
  void copy_moments(std::vector<BeliefMoment>& to) const;

 private:
  struct Known {
    Time since = Time::never();
    Record record;             // without suspicions
    bool suspected = false;    // a verdict is held, which is in no view
    bool own_verdict = false;  // if failed
  };
  void note_one(Time at, const BeliefChange& change);

  ProcessId self_;
  std::vector<Known> known_;           // by process
  std::vector<BeliefMoment> moments_;  // a ring once it is full
  std::size_t oldest_ = 0;
  VerdictCounts verdicts_;
};

}  // namespace holdfast::hw
