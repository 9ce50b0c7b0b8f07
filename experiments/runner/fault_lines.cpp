// The lines of the script: which parts each names, and what is played on them.
#include <algorithm>

#include "experiments/runner/inputs.hpp"
#include "stack/base/permutation.hpp"
#include "stack/base/random.hpp"

namespace holdfast::runner {

namespace {

constexpr std::uint64_t kPartsStream = 0x7061727473;  // purpose of a random stream; see Random

// A flap that never ends is a slip of the pen.
constexpr std::int64_t kFlapsMax = 1'000'000;

sim::FaultTarget target_of(FaultTarget what) {
  return what == FaultTarget::process ? sim::FaultTarget::process : sim::FaultTarget::node;
}

sim::FaultAction action_of(FaultKind kind) {
  if (kind == FaultKind::pause) return sim::FaultAction::pause;
  return kind == FaultKind::slow ? sim::FaultAction::slow : sim::FaultAction::crash;
}

}  // namespace

// A number for every part that takes others along, and none for one that is by itself.
std::uint64_t Inputs::cause_of(FaultTarget what, std::uint32_t part) {
  const bool common =
      what == FaultTarget::leaf || what == FaultTarget::board || what == FaultTarget::chassis;
  return common ? std::uint64_t{static_cast<std::uint8_t>(what)} << 32 | part : 0;
}

Status Inputs::load_script(const Experiment& experiment) {
  experiment_duration_ = experiment.duration;
  lines_ = experiment.failures;
  for (std::size_t i = 0; i < experiment.failures.size(); ++i) {
    const FailureConfig& line = experiment.failures[i];
    const auto number = static_cast<std::uint32_t>(i);
    const Status status = line.model ? load_model(line, number) : load_line(line, number);
    if (!status.is_ok()) return Status::error("/failures/" + std::to_string(i) + status.message());
  }
  schedule_.number_records_from(scripted_records_);
  return Status::ok();
}

// Its errors begin with the key that is wrong.
Status Inputs::load_line(const FailureConfig& line, std::uint32_t number) {
  if (Status status = check_to(line); !status.is_ok()) return status;
  if (line.which == kDrawnParts) return load_drawn(line, number);
  std::uint32_t part = 0;
  if (Status status = parts_->find(line.what, line.which, part); !status.is_ok())
    return Status::error("/which: " + status.message());
  if (is_of_job(line.what)) {
    if (Status status = check_count(line, part); !status.is_ok()) return status;
  }
  for (std::uint32_t i = 0; i < line.count; ++i) {
    const bool frames = is_of_job(line.what) && line.action == FaultKind::impair;
    Status status = frames                             ? load_frames(line, number, part + i)
                    : line.action == FaultKind::impair ? load_impairment(line, number, part + i)
                                                       : load_part(line, number, part + i);
    if (!status.is_ok()) return status;
  }
  return Status::ok();
}

Status Inputs::check_count(const FailureConfig& line, std::uint32_t first) const {
  const std::uint32_t left = (line.what == FaultTarget::process ? processes() : nodes_) - first;
  if (line.count <= left) return Status::ok();
  return Status::error("/count: found " + std::to_string(line.count) + "; expected at most " +
                       std::to_string(left) + ", as many as there are");
}

// Not drawn is to whom the frames go.
Status Inputs::load_drawn(const FailureConfig& line, std::uint32_t number) {
  if (Status status = check_count(line, 0); !status.is_ok()) return status;
  const std::uint32_t all = line.what == FaultTarget::process ? processes() : nodes_;
  if (!line.to.empty() && line.count == all)
    return Status::error("/count: found " + std::to_string(line.count) + "; expected at most " +
                         std::to_string(all - 1) + ", as many as there are beside " + line.to +
                         ", to which the frames go");
  sim::Outage outage = outage_of(line);
  outage.target = target_of(line.what);
  outage.record = scripted_records_;
  drawn_.push_back({outage, line.count, number});
  scripted_records_ += line.count;
  return Status::ok();
}

// What happens to each piece, without the piece.
sim::Outage Inputs::outage_of(const FailureConfig& line) {
  sim::Outage outage{line.at, {}, action_of(line.action)};
  if (line.repaired_after) outage.until = line.at + *line.repaired_after;
  if (line.lasts > Duration{0}) outage.until = line.at + line.lasts;
  outage.delay = line.delay;
  return outage;
}

std::vector<sim::FaultPart> Inputs::pieces_of(const FailureConfig& line, std::uint32_t part) {
  std::vector<sim::FaultPart> pieces = parts_->pieces(line.what, part);
  if (!line.rail) return pieces;
  for (sim::FaultPart& piece : pieces)
    piece = {sim::FaultTarget::rail, schedule_.add_rail({piece, *line.rail})};
  return pieces;
}

// What happens to one part and what it takes along.
Status Inputs::load_part(const FailureConfig& line, std::uint32_t number, std::uint32_t part) {
  const bool repair = line.action == FaultKind::repair;
  sim::Outage outage = outage_of(line);
  outage.cause = cause_of(line.what, part);
  if (!repair) outage.fault = schedule_.add_fault(number, part);
  for (const sim::FaultPart& piece : pieces_of(line, part)) {
    outage.target = piece.target;
    outage.index = piece.index;
    if (repair) {
      schedule_.add_event(
          {line.at, sim::FaultAction::repair, piece.target, piece.index, scripted_records_++});
    } else if (Status status = add_outages(line, outage); !status.is_ok()) {
      return status;
    }
  }
  return Status::ok();
}

// One outage, or one every `every` until the end; takes a record for each.
Status Inputs::add_outages(const FailureConfig& line, sim::Outage outage) {
  outage.record = scripted_records_;
  if (!line.every) {
    schedule_.add(outage);
    ++scripted_records_;
    return Status::ok();
  }
  const Time end = Time{} + experiment_duration_;
  if ((end - line.at) / *line.every > kFlapsMax)
    return Status::error("/every: found more than a million times within the run; expected fewer");
  for (Time at = line.at; at < end; at += *line.every) {
    outage.at = at;
    outage.until = at + *line.repaired_after;
    outage.record = scripted_records_++;
    schedule_.add(outage);
  }
  return Status::ok();
}

// Of one link by the port that is named; of any other part of all its links.
Status Inputs::load_impairment(const FailureConfig& line, std::uint32_t number,
                               std::uint32_t part) {
  std::vector<sim::Impairment> links = parts_->links_of(line.what, part, line.one_way);
  if (line.what == FaultTarget::link && line.one_way) {
    sim::LinkEnd end;
    const Status found = topology_->find_link(line.which, end);
    HOLDFAST_ASSERT(found.is_ok());  // the part was
    const bool first = topology_->routing().wiring().ends(part)[0].device == end.device;
    links.front().direction = first ? 0u : 1u;
  }
  sim::Outage outage = outage_of(line);
  outage.target = sim::FaultTarget::impairment;
  outage.fault = schedule_.add_fault(number, part);
  for (sim::Impairment& impairment : links) {
    impairment.share = line.share;
    impairment.per_bit = line.per_bit;
    impairment.rail = line.rail;
    outage.index = schedule_.add_impairment(impairment);
    if (Status status = add_outages(line, outage); !status.is_ok()) return status;
  }
  return Status::ok();
}

// The other side of frames must be there, and another one.
Status Inputs::check_to(const FailureConfig& line) const {
  if (line.to.empty()) return Status::ok();
  std::uint32_t to = 0;
  if (Status status = parts_->find(line.what, line.to, to); !status.is_ok())
    return Status::error("/to: " + status.message());
  std::uint32_t first = 0;
  if (line.model || line.which == kDrawnParts ||
      !parts_->find(line.what, line.which, first).is_ok() || to < first || to - first >= line.count)
    return Status::ok();
  return Status::error("/to: found " + line.to + ", whose own frames are meant; expected another " +
                       word_of(line.what));
}

// Frames that a process or a node sends, and unless it is one way those that are sent to it.
sim::FrameImpairment Inputs::frames_of(const FailureConfig& line, std::uint32_t part) const {
  sim::FrameImpairment impairment;
  impairment.of = {target_of(line.what), part};
  impairment.one_way = line.one_way || !line.to.empty();
  impairment.faults = line.frames;
  impairment.rail = line.rail;
  if (line.to.empty()) return impairment;
  std::uint32_t to = 0;
  const Status found = parts_->find(line.what, line.to, to);
  HOLDFAST_ASSERT(found.is_ok());  // it was when the line was loaded
  impairment.to = {target_of(line.what), to};
  return impairment;
}

Status Inputs::load_frames(const FailureConfig& line, std::uint32_t number, std::uint32_t part) {
  sim::Outage outage = outage_of(line);
  outage.target = sim::FaultTarget::frames;
  outage.index = schedule_.add_impairment(frames_of(line, part));
  outage.fault = schedule_.add_fault(number, part);
  return add_outages(line, outage);
}

// The first parts of one random order, so that more of them at another sweep point are the same
// and more.
void Inputs::add_drawn(const DrawnLine& line, std::uint64_t seed,
                       sim::ScheduleBuilder& builder) const {
  const bool is_process = line.outage.target == sim::FaultTarget::process;
  const Permutation order(is_process ? processes() : nodes_,
                          Random(seed, kPartsStream, line.number).next());
  const FailureConfig& said = lines_[line.number];
  sim::Outage outage = line.outage;
  std::uint32_t drawn = 0;
  for (std::uint32_t i = 0; drawn < line.count; ++i) {
    const std::uint32_t part = order.forward(i);
    outage.index = part;
    if (said.action == FaultKind::impair) {
      const sim::FrameImpairment impairment = frames_of(said, part);
      if (impairment.to == impairment.of) continue;
      outage.target = sim::FaultTarget::frames;
      outage.index = builder.add_impairment(impairment);
    }
    outage.fault = builder.add_fault(line.number, part);
    builder.add(outage);
    ++outage.record;
    ++drawn;
  }
}

}  // namespace holdfast::runner
