// The counters of each failure, kept up to date with every crash, repair and belief.
#include "experiments/runner/judge.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::runner {
namespace {

constexpr std::uint32_t kBits = 64;
constexpr std::uint64_t kNsPerMs = 1'000'000;

bool test(const std::vector<std::uint64_t>& bits, std::uint32_t i) {
  return (bits[i / kBits] >> (i % kBits) & 1) != 0;
}
void flip(std::vector<std::uint64_t>& bits, std::uint32_t i) {
  bits[i / kBits] ^= std::uint64_t{1} << (i % kBits);
}

}  // namespace

Judge::Judge(std::uint32_t processes, EventLog* events)
    : events_(events), lives_(processes), alive_(processes) {}

void Judge::crash(Time at, std::string what, std::string which,
                  std::span<const ProcessId> processes) {
  const auto failure = static_cast<std::uint32_t>(failures_.size());
  Open open;
  open.moment = ++moment_;
  count_lived(at);
  for (const ProcessId process : processes) {
    Life& life = lives_[process.value];
    if (!life.alive) continue;
    // A failure whose part goes down again before all have taken it back has no rejoin.
    if (life.failure != kNone) ++open_[life.failure].down;
    life.alive = false;
    end_mistake(at, life);
    life.failure = failure;
    note(at, RawEventKind::crash, kNoProcess, process.value, life.boot);
    --alive_;
    open.processes.push_back(process);
  }
  open.down = static_cast<std::uint32_t>(open.processes.size());
  if (open.processes.empty()) ++records_while_down_;
  failures_.push_back({at, std::move(what), std::move(which), open.down, {}, {}, {}, {}, {}, 0});
  open_.push_back(std::move(open));
  for (const ProcessId process : open_.back().processes) {
    forget_suspicions_of(process);
    forget_observer(at, process.value);
  }
  for (const ProcessId process : open_.back().processes)
    begin_learning(at, process.value, open_.back());
  finish_propagation(failure);
  // Only now, since a belief counts its believers against all who are alive.
  for (Belief& belief : beliefs_)
    if (!lives_[belief.subject].alive && !belief.compressed) compress_if_possible(belief);
}

void Judge::repair(Time at, std::span<const ProcessId> processes, Incarnation boot) {
  std::vector<std::uint32_t> failures;
  ++moment_;
  count_lived(at);
  for (const ProcessId process : processes) {
    Life& life = lives_[process.value];
    if (life.alive) continue;
    Belief& belief = beliefs_[life.belief];
    if (belief.compressed) expand(belief);
    belief.young = belief.ignorant = 0;
    life.alive = true;
    life.boot = boot;
    life.began = moment_;
    note(at, RawEventKind::repair, kNoProcess, process.value, boot);
    ++alive_;
    --open_[life.failure].down;
    failures_[life.failure].repaired_at = at;
    failures.push_back(life.failure);
    if (belief.believers > 0) {
      ++open_[life.failure].disbelieved;
    } else {
      drop_belief(process.value);
    }
  }
  for (const std::uint32_t failure : failures) finish_rejoin(at, failure);
}

void Judge::believe(Time at, ProcessId observer, ProcessId subject, Incarnation life, bool failed,
                    bool kept_apart) {
  if (observer == subject || !lives_[observer.value].alive) return;
  const bool suspected = take_back_suspicion(observer, subject);
  if (failed) {
    believe_failed(at, observer.value, subject.value, life, kept_apart);
  } else {
    if (suspected) note(at, RawEventKind::trusted, observer, subject.value, life);
    believe_alive(at, observer.value, subject.value, life);
  }
}

void Judge::suspect(Time at, ProcessId observer, ProcessId subject, Incarnation life) {
  const Life& truth = lives_[subject.value];
  if (observer == subject || !lives_[observer.value].alive) return;
  std::vector<ProcessId>& observers = suspected_[subject];
  if (std::find(observers.begin(), observers.end(), observer) != observers.end()) return;
  observers.push_back(observer);
  note(at, RawEventKind::suspected, observer, subject.value, life);
  if (truth.alive) return;
  FailureOutcome& failure = failures_[truth.failure];
  if (!failure.suspicion) failure.suspicion = at - failure.at;
}

// True if the observer has suspected the subject.
bool Judge::take_back_suspicion(ProcessId observer, ProcessId subject) {
  const auto found = suspected_.find(subject);
  if (found == suspected_.end() || std::erase(found->second, observer) == 0) return false;
  if (found->second.empty()) suspected_.erase(found);
  return true;
}

void Judge::forget_suspicions_of(ProcessId observer) {
  for (auto suspicion = suspected_.begin(); suspicion != suspected_.end();) {
    std::erase(suspicion->second, observer);
    suspicion = suspicion->second.empty() ? suspected_.erase(suspicion) : std::next(suspicion);
  }
}

void Judge::note(Time at, RawEventKind kind, ProcessId observer, std::uint32_t subject,
                 Incarnation life) {
  if (events_ != nullptr)
    events_->add(at, kind, observer, ProcessId{subject}, life, lives_[subject].failure);
}

bool Judge::believes_failed(ProcessId observer, ProcessId subject) const {
  const Life& truth = lives_[subject.value];
  HOLDFAST_ASSERT(truth.alive);
  return truth.belief != kNone && test(beliefs_[truth.belief].bits, observer.value);
}

Judge::Judgement Judge::judgement() const {
  Judgement result{failures_, records_while_down_, false_verdicts_,   unreachable_verdicts_,
                   0,         mistakes_,           mistake_durations_};
  for (std::uint32_t i = 0; i < open_.size(); ++i)
    result.missed += result.failures[i].missed = missed_at_end(i);
  return result;
}

void Judge::tell(Time end, Outcome& outcome) const {
  Judgement known = judgement();
  outcome.failures = std::move(known.failures);
  outcome.records_while_down = known.records_while_down;
  outcome.false_verdicts = known.false_verdicts;
  outcome.unreachable_verdicts = known.unreachable_verdicts;
  outcome.missed = known.missed;
  outcome.mistakes = known.mistakes;
  outcome.mistake_durations = std::move(known.mistake_durations);
  outcome.lived_ms = lived_ms(end);
}

Judge::Lived Judge::lived_until(Time at) const {
  // In two steps, since alive_ times nanoseconds may not fit. A real run may end before the last
  // of its faults.
  const auto span = static_cast<std::uint64_t>(std::max(at - counted_until_, Duration{0}).ns);
  const std::uint64_t ns = span % kNsPerMs * alive_ + lived_.rest_ns;
  return {lived_.ms + span / kNsPerMs * alive_ + ns / kNsPerMs, ns % kNsPerMs};
}

void Judge::count_lived(Time at) {
  lived_ = lived_until(at);
  counted_until_ = at;
}

std::size_t Judge::belief_bytes() const {
  std::size_t words = 0;
  for (const Belief& belief : beliefs_) words += belief.bits.size();
  return words * sizeof(std::uint64_t);
}

// The first verdict on an incarnation that lives.
void Judge::accuse(Time at, Life& life, bool kept_apart) {
  if (kept_apart) {
    ++unreachable_verdicts_;
    return;
  }
  ++false_verdicts_;
  if (life.mistaken_since != Time::never()) return;
  life.mistaken_since = at;
  ++mistakes_;
}

void Judge::believe_failed(Time at, std::uint32_t observer, std::uint32_t subject, Incarnation life,
                           bool kept_apart) {
  Life& truth = lives_[subject];
  if (truth.alive && life >= truth.boot && life.value >= truth.accused) {
    truth.accused = life.value + 1;
    accuse(at, truth, kept_apart);
  }
  Belief& belief = belief_about(subject);
  if (belief.compressed) {
    if (lives_[observer].began <= belief.moment) return;
    expand(belief);
  }
  if (test(belief.bits, observer)) return;
  flip(belief.bits, observer);
  note(at, RawEventKind::failed, ProcessId{observer}, subject, life);
  ++belief.believers;
  if (truth.alive) {
    if (belief.believers == 1 && truth.failure != kNone) ++open_[truth.failure].disbelieved;
    return;
  }
  Open& open = open_[truth.failure];
  if (open.first_verdict == Time::never()) {
    open.first_verdict = at;
    FailureOutcome& failure = failures_[truth.failure];
    failure.detection = at - failure.at;
    if (!failure.suspicion) failure.suspicion = failure.detection;
  }
  if (is_older(observer, belief)) {
    open.last_learned = at;
    one_less_ignorant(belief);
  } else {
    ++belief.young;
    finish_propagation(truth.failure);  // complete already if all who are older have died
  }
  compress_if_possible(belief);
}

void Judge::believe_alive(Time at, std::uint32_t observer, std::uint32_t subject,
                          Incarnation life) {
  const Life& truth = lives_[subject];
  if (truth.belief == kNone) return;
  Belief& belief = beliefs_[truth.belief];
  if (belief.compressed) {
    if (lives_[observer].began > belief.moment) return;
    expand(belief);
  }
  if (!test(belief.bits, observer)) return;
  flip(belief.bits, observer);
  note(at, RawEventKind::alive, ProcessId{observer}, subject, life);
  --belief.believers;
  if (truth.alive) {
    if (belief.believers == 0) nobody_accuses(at, subject);
  } else if (is_older(observer, belief)) {
    if (belief.ignorant++ == 0) ++open_[truth.failure].unlearned;
  } else {
    --belief.young;
  }
}

// A dead observer neither believes nor is waited for.
void Judge::forget_observer(Time at, std::uint32_t observer) {
  // From the end, since a belief that is dropped is replaced by the last.
  for (std::size_t i = beliefs_.size(); i-- > 0;) {
    Belief& belief = beliefs_[i];
    const Life& subject = lives_[belief.subject];
    if (belief.compressed || belief.subject == observer) continue;
    const bool older = !subject.alive && is_older(observer, belief);
    if (test(belief.bits, observer)) {
      flip(belief.bits, observer);
      --belief.believers;
      if (subject.alive && belief.believers == 0) nobody_accuses(at, belief.subject);
      if (!subject.alive && !older) --belief.young;
    } else if (older && belief.ignorant > 0) {
      one_less_ignorant(belief);
    }
  }
}

// The process has just died: who must learn of it, and who believed it before it was true.
void Judge::begin_learning(Time at, std::uint32_t subject, Open& open) {
  Belief& belief = belief_about(subject);
  belief.young = 0;
  belief.ignorant = alive_ - belief.believers;
  FailureOutcome& failure = failures_[lives_[subject].failure];
  if (belief.believers > 0) {
    open.first_verdict = open.last_learned = at;
    failure.detection = Duration{0};
  }
  if (belief.believers > 0 || suspected_.contains({subject})) failure.suspicion = Duration{0};
  if (belief.ignorant > 0) ++open.unlearned;
}

void Judge::one_less_ignorant(Belief& belief) {
  HOLDFAST_ASSERT(belief.ignorant > 0);
  if (--belief.ignorant > 0) return;
  const std::uint32_t failure = lives_[belief.subject].failure;
  --open_[failure].unlearned;
  finish_propagation(failure);
}

void Judge::finish_propagation(std::uint32_t failure) {
  const Open& open = open_[failure];
  std::optional<Duration>& propagation = failures_[failure].propagation;
  if (open.unlearned > 0 || open.first_verdict == Time::never() || propagation) return;
  // Whoever learned first may have been a process that started after the crash.
  propagation = open.last_learned == Time::never()
                    ? Duration{0}
                    : std::max(open.last_learned - open.first_verdict, Duration{0});
}

void Judge::end_mistake(Time at, Life& life) {
  if (life.mistaken_since == Time::never()) return;
  mistake_durations_.push_back(at - life.mistaken_since);
  life.mistaken_since = Time::never();
}

void Judge::nobody_accuses(Time at, std::uint32_t subject) {
  drop_belief(subject);
  end_mistake(at, lives_[subject]);
  const std::uint32_t failure = lives_[subject].failure;
  if (failure == kNone) return;
  --open_[failure].disbelieved;
  finish_rejoin(at, failure);
}

void Judge::finish_rejoin(Time at, std::uint32_t failure) {
  const Open& open = open_[failure];
  FailureOutcome& outcome = failures_[failure];
  if (open.down > 0 || open.disbelieved > 0 || outcome.rejoin) return;
  outcome.rejoin = at - *outcome.repaired_at;
  for (const ProcessId process : open.processes) lives_[process.value].failure = kNone;
}

Judge::Belief& Judge::belief_about(std::uint32_t subject) {
  Life& life = lives_[subject];
  if (life.belief == kNone) {
    life.belief = static_cast<std::uint32_t>(beliefs_.size());
    Belief& belief = beliefs_.emplace_back();
    belief.subject = subject;
    belief.bits.resize((lives_.size() + kBits - 1) / kBits);
  }
  return beliefs_[life.belief];
}

void Judge::drop_belief(std::uint32_t subject) {
  const std::uint32_t index = std::exchange(lives_[subject].belief, kNone);
  if (index + 1 != beliefs_.size()) {
    beliefs_[index] = std::move(beliefs_.back());
    lives_[beliefs_[index].subject].belief = index;
  }
  beliefs_.pop_back();
}

// Whether the observer lives since before the subject's crash.
bool Judge::is_older(std::uint32_t observer, const Belief& belief) const {
  return lives_[observer].began < open_[lives_[belief.subject].failure].moment;
}

void Judge::expand(Belief& belief) {
  belief.compressed = false;
  belief.bits.assign((lives_.size() + kBits - 1) / kBits, 0);
  for (std::uint32_t i = 0; i < lives_.size(); ++i) {
    if (!lives_[i].alive || lives_[i].began > belief.moment) continue;
    flip(belief.bits, i);
    ++belief.believers;
    if (!is_older(i, belief)) ++belief.young;
  }
}

void Judge::compress_if_possible(Belief& belief) {
  if (belief.ignorant > 0) return;
  if (belief.young == 0) {
    belief.moment = open_[lives_[belief.subject].failure].moment;
  } else if (belief.believers == alive_) {
    belief.moment = moment_;
  } else {
    return;
  }
  belief.compressed = true;
  belief.believers = belief.young = 0;
  belief.bits = {};
}

std::uint64_t Judge::missed_at_end(std::uint32_t failure) const {
  std::vector<const Belief*> down;
  for (const ProcessId process : open_[failure].processes) {
    const Life& life = lives_[process.value];
    if (!life.alive && life.failure == failure) down.push_back(&beliefs_[life.belief]);
  }
  std::uint64_t missed = 0;
  for (std::uint32_t i = 0; i < lives_.size(); ++i) {
    const auto is_ignorant = [&](const Belief* belief) {
      return belief->compressed ? lives_[i].began > belief->moment : !test(belief->bits, i);
    };
    if (lives_[i].alive && std::any_of(down.begin(), down.end(), is_ignorant)) ++missed;
  }
  return missed;
}

}  // namespace holdfast::runner
