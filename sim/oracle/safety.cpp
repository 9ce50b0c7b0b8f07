// Changes are checked as they are reported, views when their sequence has moved.
#include "sim/oracle/safety.hpp"

#include "sim/oracle/text.hpp"

namespace holdfast::sim {

Safety::Safety(const SafetyOptions& options, std::uint32_t processes)
    : options_(options), subjects_(processes), observers_(processes) {
  for (Observer& observer : observers_) observer.records.resize(processes);
}

void Safety::violated(Time at, ProcessId observer, const std::string& what) {
  if (!violation_.empty()) return;
  violation_ =
      "at " + std::to_string(at.ns) + " ns process " + std::to_string(observer.value) + " " + what;
}

void Safety::crashed(Time, std::size_t, std::span<const ProcessId> processes) {
  for (const ProcessId process : processes) subjects_[process.value].up = false;
}

void Safety::repaired(Time at, std::size_t, std::span<const ProcessId> processes,
                      Incarnation boot) {
  for (const ProcessId process : processes) {
    Subject& subject = subjects_[process.value];
    if (boot <= subject.highest) violated(at, process, "is repaired with an incarnation it had");
    subject = {true, boot, {}};
    Observer& observer = observers_[process.value];
    observer.records.assign(observer.records.size(), Record{});
    observer.suspects.clear();
    observer.seen = 0;
  }
}

void Safety::believed(Time at, ProcessId observer, std::span<const Membership::Change> changes) {
  for (const Membership::Change& change : changes) {
    const ProcessId process = change.process;
    const Record& record = change.record;
    if (check_suspicion(at, observer, process, record)) continue;
    ++beliefs_;
    check_change(at, observer, process, record);
    observers_[observer.value].records[process.value] = record;
  }
}

// Whether it is a suspicion or the end of one, which leave the record as it is. Whatever else is
// believed of a process ends the suspicion too.
bool Safety::check_suspicion(Time at, ProcessId observer, ProcessId process, Record record) {
  const Record& known = observers_[observer.value].records[process.value];
  std::set<ProcessId>& suspects = observers_[observer.value].suspects;
  if (record.state == MemberState::suspected) {
    if (observer == process || !is_live(known) || record.incarnation != known.incarnation) {
      violated(at, observer,
               "suspects process " + std::to_string(process.value) +
                   " in a life that it believes " + text(known));
    }
    if (!suspects.insert(process).second) violated(at, observer, "suspects twice");
    return true;
  }
  return suspects.erase(process) > 0 && record == known;
}

void Safety::check_change(Time at, ProcessId observer, ProcessId process, Record record) {
  const std::string what = text(record) + " of process " + std::to_string(process.value);
  const Record& before = observers_[observer.value].records[process.value];
  if (record <= before) {
    violated(at, observer, "goes back from " + text(before) + " to " + what);
  }
  Subject& subject = subjects_[process.value];
  if (observer == process) {
    if (boot_of(record.incarnation) != boot_of(subject.highest)) {
      violated(at, observer, "takes the incarnation of another boot: " + what);
    }
    if (!is_live(record)) violated(at, observer, "believes itself " + what);
    subject.highest = std::max(subject.highest, record.incarnation);
  }
  if (record.incarnation > subject.highest) {
    violated(at, observer, "believes " + what + ", who never had that incarnation");
  }
  if (record.state == MemberState::committed) {
    violated(at, observer, "believes " + what + " without an agreement");
  }
  if (is_live(record) || !subject.up) return;
  if (boot_of(record.incarnation) == boot_of(subject.highest)) {
    check_verdict(at, observer, process, record);
  } else if (options_.kept_apart && options_.kept_apart(observer, process)) {
    across_a_cut_ = true;  // true of the life that it names, but somebody runs there
  }
}

// A verdict on a life that runs. Who judged first is asked whether a cut was the reason; the others
// repeat it.
void Safety::check_verdict(Time at, ProcessId observer, ProcessId process, Record record) {
  Subject& subject = subjects_[process.value];
  if (subject.unreachable == record.incarnation) return;
  if (options_.kept_apart && options_.kept_apart(observer, process)) {
    subject.unreachable = record.incarnation;
    across_a_cut_ = true;
    ++unreachable_verdicts_;
    return;
  }
  ++false_verdicts_;
  if (options_.accurate && !across_a_cut_) {
    violated(at, observer,
             "wrongly believes " + text(record) + " of process " + std::to_string(process.value));
  }
}

void Safety::look(Time now, const EngineOf& engine_of) {
  for (std::uint32_t i = 0; i < observers_.size(); ++i) {
    const Engine* engine = engine_of({i});
    // What has changed outside a turn is reported, and looked at, with the next turn.
    if (engine == nullptr || !engine->changes().empty()) continue;
    const std::uint64_t sequence = engine->membership().view().sequence();
    if (sequence == observers_[i].seen) continue;
    observers_[i].seen = sequence;
    check_view(now, {i}, *engine);
  }
}

void Safety::check_view(Time now, ProcessId observer, const Engine& engine) {
  const View& view = engine.membership().view();
  const std::vector<Record>& records = observers_[observer.value].records;
  View again;
  std::size_t exceptions = 0;
  // From the last to the first: the digest must not depend on the order.
  for (auto i = static_cast<std::uint32_t>(records.size()); i-- > 0;) {
    if (view.of({i}) != records[i]) {
      violated(now, observer,
               "believes " + text(view.of({i})) + " of process " + std::to_string(i) +
                   " but reported " + text(records[i]));
    }
    if (again.merge({i}, view.of({i}))) ++exceptions;
  }
  if (again.digest() != view.digest()) violated(now, observer, "has a wrong digest");
  if (exceptions != view.exceptions().size())
    violated(now, observer, "stores what is no exception");
  if (view.of(observer).incarnation != engine.membership().incarnation()) {
    violated(now, observer, "has an incarnation that is not in its view");
  }
}

}  // namespace holdfast::sim
