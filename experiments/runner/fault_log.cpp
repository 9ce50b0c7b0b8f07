// Counters of pairs are kept up to date with each belief; whenever somebody dies, comes back or is
// joined again they are counted anew.
#include "experiments/runner/fault_log.hpp"

#include <algorithm>

#include "sim/faults/schedule.hpp"

namespace holdfast::runner {

namespace {

// "3 7-9": the numbers of the nodes.
std::string ranges(const std::vector<std::uint32_t>& nodes) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t end = i + 1;
    while (end < nodes.size() && nodes[end] == nodes[end - 1] + 1) ++end;
    text += (text.empty() ? "" : " ") + std::to_string(nodes[i]);
    if (end - i > 1) text += "-" + std::to_string(nodes[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace

FaultLog::FaultLog(const Roster& roster, const Judge& judge, std::size_t faults)
    : roster_(roster), judge_(judge), ended_(faults) {}

bool FaultLog::alive_on(std::uint32_t node) const {
  for (std::uint32_t i = 0; i < roster_.per_node(); ++i)
    if (judge_.alive(roster_.process_on({node}, i))) return true;
  return false;
}

void FaultLog::crashed(Time at, std::uint32_t fault, std::span<const ProcessId> processes) {
  if (fault != sim::kNoFault) {
    if (roster_.domain_size() == 1) {
      ended_[fault] += static_cast<std::uint32_t>(processes.size());
    } else if (!processes.empty() && !alive_on(roster_.node_of(processes.front()).value)) {
      ++ended_[fault];
    }
  }
  recount(at);
}

void FaultLog::repaired(Time at) {
  recount(at);
}

void FaultLog::fabric_changed(Time at, std::uint32_t fault, const sim::Wiring& wiring,
                              sim::FabricPart part) {
  advance(at);
  changed_at_ = at;
  wiring_ = &wiring;
  if (fault == sim::kNoFault) {
    (void)dead_.remove(part);
  } else {
    changed_by_ = fault;
    (void)dead_.add(part);
  }
}

void FaultLog::played(Time at, const sim::FaultEvent& event, const sim::FaultSchedule& faults,
                      const sim::Wiring& wiring) {
  const bool is_link = event.target == sim::FaultTarget::link;
  if (!is_link && event.target != sim::FaultTarget::device) return;
  const bool begins = event.action == sim::FaultAction::crash;
  fabric_changed(
      at, begins ? faults.fault_of_record.at(event.record) : sim::kNoFault, wiring,
      {is_link ? sim::FabricPart::Kind::link : sim::FabricPart::Kind::device, event.index});
}

// Looks at a change of the fabric before `at`: by then all of that instant has been told.
void FaultLog::advance(Time at) {
  if (!changed_at_ || *changed_at_ >= at) return;
  const Time changed = *changed_at_;
  changed_at_.reset();
  std::vector<std::uint32_t> before = std::move(islands_);
  islands_ = sim::islands_of(*wiring_, dead_, roster_.nodes());
  for (Open& open : open_) {
    if (cuts_[open.index].healed_at) continue;
    bool whole = true;
    for (std::size_t node = 0; node < islands_.size() && whole; ++node)
      whole = open.sides[node] != Side::cut_off || islands_[node] == 0;
    if (whole) heal(changed, open);
  }
  recount(changed);
  begin_cut(changed, before);
}

void FaultLog::begin_cut(Time at, const std::vector<std::uint32_t>& before) {
  Open open;
  std::vector<std::uint32_t> cut_off;
  std::uint32_t others = 0;
  for (std::uint32_t node = 0; node < islands_.size(); ++node) {
    const bool was_joined = before.empty() || before[node] == 0;
    Side side = islands_[node] == 0 ? Side::others : Side::none;
    if (islands_[node] != 0 && was_joined && alive_on(node)) side = Side::cut_off;
    open.sides.push_back(side);
    if (side == Side::cut_off) cut_off.push_back(node);
    if (side == Side::others) ++others;
  }
  if (cut_off.empty()) return;
  open.index = cuts_.size();
  CutOutcome cut;
  cut.at = at;
  cut.fault = changed_by_;
  cut.nodes = ranges(cut_off);
  cut.cut_off = static_cast<std::uint32_t>(cut_off.size());
  cut.others = others;
  cuts_.push_back(std::move(cut));
  open_.push_back(std::move(open));
  count(open_.back());
}

// What each side believes now is what the cut made of it.
void FaultLog::heal(Time at, Open& open) {
  CutOutcome& cut = cuts_[open.index];
  cut.healed_at = at;
  cut.pairs = open.pairs;
  cut.believed_by_others = open.by_others;
  cut.believed_by_cut_off = open.by_cut_off;
}

void FaultLog::recount(Time at) {
  for (Open& open : open_) {
    count(open);
    look(at, open);
  }
  close_reconciled();
}

void FaultLog::count(Open& open) const {
  const bool healed = cuts_[open.index].healed_at.has_value();
  std::vector<ProcessId> sides[2];  // the living: cut off, others
  for (std::uint32_t i = 0; i < roster_.processes(); ++i) {
    const Side side = open.sides[roster_.node_of({i}).value];
    if (side == Side::none || !judge_.alive({i})) continue;
    sides[side == Side::others].push_back({i});
  }
  open.pairs = std::uint64_t{sides[0].size()} * sides[1].size();
  const auto verdicts = [&](bool subjects) {
    std::uint64_t found = 0;
    for (const ProcessId subject : sides[subjects]) {
      if (!judge_.is_disbelieved(subject)) continue;
      for (const ProcessId observer : sides[!subjects])
        found +=
            (!healed || joined(observer, subject)) && judge_.believes_failed(observer, subject);
    }
    return found;
  };
  open.by_others = verdicts(false);
  open.by_cut_off = verdicts(true);
}

void FaultLog::believed(Time at, ProcessId observer, ProcessId subject, bool failed) {
  for (Open& open : open_) {
    const Side of_observer = open.sides[roster_.node_of(observer).value];
    const Side of_subject = open.sides[roster_.node_of(subject).value];
    if (of_observer == Side::none || of_subject == Side::none || of_observer == of_subject)
      continue;
    if (cuts_[open.index].healed_at && !joined(observer, subject)) continue;
    std::uint64_t& pairs = of_observer == Side::others ? open.by_others : open.by_cut_off;
    pairs = failed ? pairs + 1 : pairs - 1;
    look(at, open);
  }
  close_reconciled();
}

void FaultLog::look(Time at, Open& open) {
  CutOutcome& cut = cuts_[open.index];
  if (cut.healed_at) {
    if (open.by_others + open.by_cut_off == 0 && !cut.reconciled)
      cut.reconciled = at - *cut.healed_at;
    return;
  }
  if (open.pairs == 0) return;
  if (open.by_others == open.pairs && !cut.others_knew) cut.others_knew = at - cut.at;
  if (open.by_cut_off == open.pairs && !cut.cut_off_knew) cut.cut_off_knew = at - cut.at;
}

void FaultLog::close_reconciled() {
  std::erase_if(open_, [&](const Open& open) { return cuts_[open.index].reconciled.has_value(); });
}

void FaultLog::finish() {
  advance(Time::never());
  for (const Open& open : open_) {
    CutOutcome& cut = cuts_[open.index];
    if (cut.healed_at) continue;
    cut.pairs = open.pairs;
    cut.believed_by_others = open.by_others;
    cut.believed_by_cut_off = open.by_cut_off;
  }
}

void tell_belief(Judge& judge, FaultLog& log, Time at, ProcessId observer,
                 const BeliefChange& change, bool kept_apart) {
  const ProcessId process = change.process;
  const Record record = change.record;
  if (record.state == MemberState::suspected) {
    judge.suspect(at, observer, process, record.incarnation);
    return;
  }
  const bool watched = log.watches() && judge.alive(observer) && judge.alive(process);
  const bool before = watched && judge.believes_failed(observer, process);
  judge.believe(at, observer, process, record.incarnation, record.state >= MemberState::failed,
                kept_apart);
  const bool after = watched && judge.believes_failed(observer, process);
  if (after != before) log.believed(at, observer, process, after);
}

}  // namespace holdfast::runner
