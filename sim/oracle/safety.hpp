// The oracle of safety: what must hold of every view at every moment, whatever fails.
//
// It follows a simulation as a witness and keeps, beside the truth, what each life of each process
// has said that it believes. Checked are
//  - monotony: in one life of an observer the records of a process only grow (incarnation, state);
//  - no invention: nobody believes in an incarnation that its process never had;
//  - accuracy, where the faults allow it: no verdict on a life that runs and can be reached;
//  - suspicion: only of a life that the view has as live; it is taken back once at most;
//  - bookkeeping: the view is what was reported, and its digest follows from its exceptions alone.
// The first violation is kept as a sentence; what comes after it follows from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/oracle/witness.hpp"
#include "stack/engine.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::sim {

// The engine of a process, null while it is down.
using EngineOf = std::function<const Engine*(ProcessId)>;

struct SafetyOptions {
  // Whether every verdict must be true: no loss, and no pause of timeout - period or longer. Once
  // somebody who runs has been judged across a cut, in this life or for an earlier one, only until
  // then: who believes a verdict from beyond the cut stops sending to its subject, whom it could
  // reach, and may be judged for that.
  bool accurate = false;
  // Whether damage to the fabric kept the two apart until now: then a verdict of one on the other
  // follows from it, and its subject is unreachable. Empty: the fabric is whole.
  std::function<bool(ProcessId, ProcessId)> kept_apart = {};
};

class Safety final : public Witness {
 public:
  Safety(const SafetyOptions& options, std::uint32_t processes);

  void crashed(Time at, std::size_t record, std::span<const ProcessId> processes) override;
  void repaired(Time at, std::size_t record, std::span<const ProcessId> processes,
                Incarnation boot) override;
  void believed(Time at, ProcessId observer, std::span<const Membership::Change> changes) override;

  // To be called after every event; looks closely only at views that have changed.
  void look(Time now, const EngineOf& engine_of);

  // Incarnations that ran and were judged by somebody who was kept apart from them.
  std::uint64_t unreachable_verdicts() const { return unreachable_verdicts_; }

  // The first violation as a sentence; empty if there is none.
  const std::string& violation() const { return violation_; }
  // How many beliefs have changed so far; and how many of them were verdicts on lives that ran.
  std::uint64_t beliefs() const { return beliefs_; }
  std::uint64_t false_verdicts() const { return false_verdicts_; }

 private:
  struct Subject {
    bool up = true;
    Incarnation highest;                     // that this process has ever had
    std::optional<Incarnation> unreachable;  // the last one that was judged across a cut
  };
  struct Observer {
    std::vector<Record> records;   // by process: as reported in this life
    std::set<ProcessId> suspects;  // whom it has reported as suspected
    std::uint64_t seen = 0;        // the view's sequence at the last close look
  };

  bool check_suspicion(Time at, ProcessId observer, ProcessId process, Record record);
  void check_verdict(Time at, ProcessId observer, ProcessId process, Record record);
  void check_change(Time at, ProcessId observer, ProcessId process, Record record);
  void check_view(Time now, ProcessId observer, const Engine& engine);
  void violated(Time at, ProcessId observer, const std::string& what);

  SafetyOptions options_;
  std::vector<Subject> subjects_;
  std::vector<Observer> observers_;
  std::uint64_t beliefs_ = 0;
  std::uint64_t false_verdicts_ = 0;
  std::uint64_t unreachable_verdicts_ = 0;
  bool across_a_cut_ = false;  // somebody who runs has been judged so, in this life or another
  std::string violation_;
};

}  // namespace holdfast::sim
