// What happened, for faults.csv and cuts.csv: which domains each fault ended or cut off, what the
// sides of a cut came to believe of each other, and when all was well again.
//
// A *domain* is what is watched as one: a node with an agent, else a process. A fault *ends* a
// domain if no process of it lives afterwards.
//
// A *cut* begins when living nodes lose every living way to the largest island of nodes (see
// sim/topology/islands.hpp); the *others* are those on that island then. Faults of one instant are
// one change; the cut is that of the last of them. It has *healed* when all that were cut off have
// a way to the largest island again, though tables may lead there only a sweep later. It is
// *reconciled* when for the first time after that nobody on either side believes anybody alive on
// the other failed, of those that have a way to each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiments/runner/judge.hpp"
#include "experiments/runner/outcome.hpp"
#include "sim/topology/islands.hpp"
#include "stack/membership.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::sim {
struct FaultEvent;
struct FaultSchedule;
}  // namespace holdfast::sim

namespace holdfast::runner {

class FaultLog {
 public:
  // Both must outlive this. `faults`: how many there are in the schedule.
  FaultLog(const Roster& roster, const Judge& judge, std::size_t faults);

  // In order of time. Of processes the judge has been told first.
  void crashed(Time at, std::uint32_t fault, std::span<const ProcessId> processes);
  void repaired(Time at);
  // A part of the fabric died by this fault; or lives again, by none (sim::kNoFault). `wiring` must
  // outlive this.
  void fabric_changed(Time at, std::uint32_t fault, const sim::Wiring& wiring,
                      sim::FabricPart part);
  // The same of what a schedule says of a link or a device; other events change no way.
  void played(Time at, const sim::FaultEvent& event, const sim::FaultSchedule& faults,
              const sim::Wiring& wiring);
  // To be called before the judge is told of anything at `at`: what changed before is looked at.
  void advance(Time at);
  // Whether beliefs are of interest now: otherwise `believed` need not be called.
  bool watches() const { return !open_.empty(); }
  // `observer` came to believe `subject` failed, or not any more; both are alive.
  void believed(Time at, ProcessId observer, ProcessId subject, bool failed);

  // At the end of the run. By fault: the domains that it ended; and the cuts, in order of time.
  void finish();
  const std::vector<std::uint32_t>& ended() const { return ended_; }
  const std::vector<CutOutcome>& cuts() const { return cuts_; }

 private:
  enum class Side : std::uint8_t { none, cut_off, others };

  // A cut that is not reconciled yet.
  struct Open {
    std::size_t index = 0;    // in cuts_
    std::vector<Side> sides;  // by node
    std::uint64_t pairs = 0;  // of live processes, one of each side
    // Of these, in which the first believes the second failed; after the healing only those that
    // have a way to each other.
    std::uint64_t by_others = 0;
    std::uint64_t by_cut_off = 0;
  };

  void begin_cut(Time at, const std::vector<std::uint32_t>& before);
  void heal(Time at, Open& open);
  void recount(Time at);
  void count(Open& open) const;
  void look(Time at, Open& open);
  void close_reconciled();
  bool alive_on(std::uint32_t node) const;
  bool joined(ProcessId a, ProcessId b) const {
    return islands_.empty() ||
           islands_[roster_.node_of(a).value] == islands_[roster_.node_of(b).value];
  }

  const Roster& roster_;
  const Judge& judge_;
  std::vector<std::uint32_t> ended_;
  std::vector<CutOutcome> cuts_;
  std::vector<Open> open_;
  std::vector<std::uint32_t> islands_;  // by node; empty: nothing was ever dead
  // A change of the fabric that has not been looked at yet: more may come at its instant.
  std::optional<Time> changed_at_;
  std::uint32_t changed_by_ = 0;
  const sim::Wiring* wiring_ = nullptr;
  sim::DeadParts dead_;  // as told: the simulation is at the next change when one is looked at
};

// Tells the judge, and the log if it matters to it, what `observer` came to believe or to suspect;
// the log has been told of the time. `kept_apart`: see Judge::believe.
void tell_belief(Judge& judge, FaultLog& log, Time at, ProcessId observer,
                 const BeliefChange& change, bool kept_apart);

}  // namespace holdfast::runner
