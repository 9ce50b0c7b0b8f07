// The faults of a schedule in words.
#include <algorithm>

#include "experiments/runner/inputs.hpp"

namespace holdfast::runner {

namespace {

const char* effect_of(const FailureConfig& line) {
  switch (line.action) {
    case FaultKind::pause:
      return "pause";
    case FaultKind::slow:
      return "slow";
    case FaultKind::impair:
      return "impair";
    case FaultKind::crash:
    case FaultKind::repair:
      break;
  }
  return line.every ? "flap" : "crash";
}

}  // namespace

// With the other side, if frames between two are meant, and the rail, if it is one. Of a model the
// group's: "host-0 … host-3" where several fail as one, a port where a direction of a link does.
std::string Inputs::name_of(const sim::Fault& fault) const {
  const FailureConfig& line = lines_[fault.entry];
  const std::string other = (line.to.empty() ? "" : " to " + line.to) +
                            (line.rail ? " rail " + std::to_string(*line.rail) : "");
  if (!line.model) return parts_->name(line.what, fault.part) + other;
  const auto model = std::find_if(models_.begin(), models_.end(),
                                  [&](const Model& each) { return each.number == fault.entry; });
  const auto name = [&](std::uint32_t part) {
    const bool direction =
        line.action == FaultKind::impair && line.one_way && line.what == FaultTarget::link;
    return direction ? topology_->part_text(topology_->routing().wiring().ends(part / 2)[part % 2])
                     : parts_->name(line.what, part);
  };
  const std::uint32_t first = model->parts[fault.part];
  if (line.count == 1) return name(first) + other;
  return name(first) + " … " + name(model->last_parts[fault.part]) + other;
}

std::vector<FaultOutcome> Inputs::describe(const sim::FaultSchedule& schedule) const {
  std::vector<FaultOutcome> outcomes;
  for (const sim::Fault& fault : schedule.faults) {
    FaultOutcome outcome;
    outcome.at = fault.at;
    outcome.until = fault.until;
    outcome.times = fault.times;
    outcome.pieces = fault.pieces;
    if (fault.entry == sim::kNoEntry) {
      const FaultTarget what =
          fault.target == sim::FaultTarget::node ? FaultTarget::node : FaultTarget::process;
      outcome.source = "trace";
      outcome.what = word_of(what);
      outcome.which = parts_->name(what, fault.part);
      outcome.effect = fault.action == sim::FaultAction::pause ? "pause" : "crash";
    } else {
      const FailureConfig& line = lines_[fault.entry];
      outcome.source = line.model ? "model" : "script";
      outcome.entry = fault.entry;
      outcome.what = word_of(line.what);
      outcome.which = name_of(fault);
      outcome.effect = effect_of(line);
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

void add_faults(const Inputs& inputs, const sim::FaultSchedule& faults, const FaultLog& log,
                Outcome& outcome) {
  std::vector<FaultOutcome> described = inputs.describe(faults);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < described.size(); ++i) {
    described[i].ended = log.ended()[i];
    if (described[i].at < Time{} + inputs.duration()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return described[a].at < described[b].at;
  });
  std::vector<std::uint32_t> row_of(described.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) {
    row_of[order[row]] = row;
    outcome.faults.push_back(std::move(described[order[row]]));
  }
  outcome.cuts = log.cuts();
  for (CutOutcome& cut : outcome.cuts) cut.fault = row_of[cut.fault];
}

}  // namespace holdfast::runner
