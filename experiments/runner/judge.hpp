// The judge knows the truth (who crashed and came back, and when) and hears what every process
// believes of every other. From both it says how each failure was learned of:
//
//   detection    crash to the first correct verdict of any live process; zero if one was believed
//                failed before it crashed
//   suspicion    crash to the moment at which any live process suspects it (PROTOCOL 4.9) or
//                believes it failed: the same moment where no verdict is held
//   propagation  that first verdict to the moment at which the last process knows: of those that
//                live from the crash on without a break. Those that die meanwhile stop counting,
//                those that start meanwhile never count.
//   rejoin       repair to the moment at which no live process believes the part failed any more
//   missed       (failure, live process) pairs at the end in which the part is still down and the
//                process does not know all of it
//   false        verdicts on live processes in their present life; one per process and incarnation,
//                however many come to believe it. A verdict on an earlier life is late, not false.
//   unreachable  like false, but whoever judged first was kept apart from whom it judged by damage
//                to the fabric: no mistake of the detector, and not counted as false
//   mistake      from a false verdict to the moment at which nobody alive believes it any more, or
//                to the death that makes it true; false verdicts meanwhile belong to it. Its
//                recurrence is the time that processes lived over the number of mistakes. (Chen,
//                Toueg, Aguilera 2002 define both for one pair; here the observer is the job.)
//
// A failure ends one or several processes at once (a node). Fed with simulated runs and with the
// merged logs of real ones; in order of time, truth before beliefs at equal times.
//
// Cost: O(1) for a belief. Memory: one bit per process for each process that someone believes
// failed; given back when all who live know, since then a moment says as much as the bits did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/runner/event_log.hpp"
#include "experiments/runner/outcome.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"

namespace holdfast::runner {

class Judge {
 public:
  // All `processes` are alive and nobody believes otherwise. `events`, if given, is told of all
  // that changes; it must outlive the judge.
  explicit Judge(std::uint32_t processes, EventLog* events = nullptr);

  // The processes of a part end at once. Those that are down already stay as they are; if all are,
  // the failure counts as a record of a part that was down already.
  void crash(Time at, std::string what, std::string which, std::span<const ProcessId> processes);

  // Processes of one part start again, with the life that begins with incarnation `boot` or a
  // higher one. Those that are alive stay as they are.
  void repair(Time at, std::span<const ProcessId> processes, Incarnation boot);

  // `observer` now believes this life of `subject` failed, or alive. Repetitions, and what is said
  // by the dead, do no harm. `kept_apart`: damage to the fabric kept the two apart until now; of a
  // subject that is dead it is not looked at.
  void believe(Time at, ProcessId observer, ProcessId subject, Incarnation life, bool failed,
               bool kept_apart = false);

  // `observer` now suspects this life of `subject`, until it believes it failed or alive.
  void suspect(Time at, ProcessId observer, ProcessId subject, Incarnation life);

  bool alive(ProcessId process) const { return lives_[process.value].alive; }
  // Whether the observer believes that the subject, who lives, failed; and whether anybody does.
  bool believes_failed(ProcessId observer, ProcessId subject) const;
  bool is_disbelieved(ProcessId subject) const {
    const std::uint32_t belief = lives_[subject.value].belief;
    return belief != kNone && beliefs_[belief].believers > 0;
  }

  struct Judgement {
    std::vector<FailureOutcome> failures;
    std::uint64_t records_while_down = 0;
    std::uint64_t false_verdicts = 0;
    std::uint64_t unreachable_verdicts = 0;
    std::uint64_t missed = 0;
    std::uint64_t mistakes = 0;
    std::vector<Duration> mistake_durations;  // of those that have ended, in the order in which
  };
  // What is known at the end of the run. The judge may be asked again later.
  Judgement judgement() const;

  // Puts that, and how long the processes lived, into the outcome of a run that ends at `end`.
  void tell(Time end, Outcome& outcome) const;

  // How long all processes together have lived by `end`; in milliseconds, since a million processes
  // for a year are no int64 nanoseconds.
  std::uint64_t lived_ms(Time end) const { return lived_until(end).ms; }

  // Bytes that the bits of beliefs take now.
  std::size_t belief_bytes() const;

 private:
  static constexpr std::uint32_t kNone = kNoFailure;

  struct Lived {
    std::uint64_t ms = 0;
    std::uint64_t rest_ns = 0;  // below a millisecond
  };

  // Truth about one process.
  struct Life {
    bool alive = true;
    Incarnation boot{0};        // the first incarnation of its present life
    std::uint32_t accused = 0;  // verdicts on living incarnations below this are counted already
    std::uint64_t began = 0;    // the moment at which its present life began
    Time mistaken_since = Time::never();  // never: nobody believes its present life failed
    std::uint32_t failure = kNone;        // what ended it last; kNone again when it has rejoined
    std::uint32_t belief = kNone;  // while it is down or believed failed: its entry in beliefs_
  };

  // Who believes that one process failed. Either bits say so, or `moment`: then all who live since
  // then or longer do, and nobody else. Only beliefs about the dead are compressed.
  struct Belief {
    std::uint32_t subject = kNone;
    bool compressed = false;
    std::uint64_t moment = 0;
    std::vector<std::uint64_t> bits;  // by observer; bits of dead observers are zero
    std::uint32_t believers = 0;      // how many bits are set
    // Of a dead subject; zero of a live one:
    std::uint32_t young = 0;     // believers that started after the crash
    std::uint32_t ignorant = 0;  // those that live since the crash and do not know
  };

  // The part of a failure that its outcome does not show.
  struct Open {
    std::vector<ProcessId> processes;
    std::uint64_t moment = 0;  // of the crash
    Time first_verdict = Time::never();
    Time last_learned = Time::never();
    std::uint32_t unlearned = 0;    // its processes of which someone is ignorant
    std::uint32_t down = 0;         // its processes that are not back, or went down again
    std::uint32_t disbelieved = 0;  // its processes that are back and that someone believes failed
  };

  Belief& belief_about(std::uint32_t subject);
  bool is_older(std::uint32_t observer, const Belief& belief) const;
  void expand(Belief& belief);
  void compress_if_possible(Belief& belief);
  void drop_belief(std::uint32_t subject);
  void begin_learning(Time at, std::uint32_t subject, Open& open);
  bool take_back_suspicion(ProcessId observer, ProcessId subject);
  void forget_suspicions_of(ProcessId observer);
  void forget_observer(Time at, std::uint32_t observer);
  void one_less_ignorant(Belief& belief);
  void believe_failed(Time at, std::uint32_t observer, std::uint32_t subject, Incarnation life,
                      bool kept_apart);
  void accuse(Time at, Life& life, bool kept_apart);
  void believe_alive(Time at, std::uint32_t observer, std::uint32_t subject, Incarnation life);
  void note(Time at, RawEventKind kind, ProcessId observer, std::uint32_t subject,
            Incarnation life);
  void nobody_accuses(Time at, std::uint32_t subject);
  void end_mistake(Time at, Life& life);
  Lived lived_until(Time at) const;
  void count_lived(Time at);
  void finish_propagation(std::uint32_t failure);
  void finish_rejoin(Time at, std::uint32_t failure);
  std::uint64_t missed_at_end(std::uint32_t failure) const;

  EventLog* events_;  // null: nobody wants to know
  std::vector<Life> lives_;
  std::uint32_t alive_;
  std::uint64_t moment_ = 0;  // counts crashes and repairs: orders lives without relying on time
  std::vector<Belief> beliefs_;
  std::vector<FailureOutcome> failures_;
  std::map<ProcessId, std::vector<ProcessId>> suspected_;  // who suspects a subject
  std::vector<Open> open_;                                 // beside failures_
  std::uint64_t records_while_down_ = 0;
  std::uint64_t false_verdicts_ = 0;
  std::uint64_t unreachable_verdicts_ = 0;
  std::uint64_t mistakes_ = 0;
  std::vector<Duration> mistake_durations_;
  Lived lived_;         // by all processes together,
  Time counted_until_;  // up to here
};

}  // namespace holdfast::runner
