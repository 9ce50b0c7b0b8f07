// Models: each of its parts, or `count` neighbours as one, is a renewal process with a stream of
// random numbers of its own (sim/faults/renewal.hpp). A failure is a crash, a pause, a slow time,
// an impairment of links or of frames, or a flap: down and up again until the repair is over.
#include <algorithm>

#include "experiments/runner/inputs.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::runner {

namespace {

// More failures that models draw for one replicate are a slip of the pen: each takes about a
// hundred bytes.
constexpr double kDrawnFailuresMax = 2e7;

constexpr std::uint64_t kNeighboursCause = std::uint64_t{1} << 63;

}  // namespace

Status Inputs::load_model(const FailureConfig& line, std::uint32_t number) {
  if (Status status = parts_->check_any(line.what); !status.is_ok())
    return Status::error("/what: " + status.message());
  if (Status status = check_to(line); !status.is_ok()) return status;
  Model model;
  model.renewal = *line.model;
  model.outage = outage_of(line);
  model.number = number;
  model.count = line.count;
  model.what = line.what;
  if (line.lasts > Duration{0})
    model.renewal.repair = sim::RepairModel{sim::RepairKind::fixed, line.lasts, 1.0};
  if (line.every) model.flap = Flap{*line.repaired_after, *line.every};
  list_groups(line, model);
  models_.push_back(std::move(model));
  return Status::ok();
}

// The groups of pieces that fail as one.
void Inputs::list_groups(const FailureConfig& line, Model& model) {
  const bool impair = line.action == FaultKind::impair;
  const bool by_direction = impair && line.one_way && line.what == FaultTarget::link;
  std::uint32_t in_group = 0;
  const auto next_part = [&](std::uint32_t part) {
    if (in_group == 0) {
      model.first_piece.push_back(static_cast<std::uint32_t>(model.pieces.size()));
      model.parts.push_back(part);
      model.last_parts.push_back(part);
    }
    model.last_parts.back() = part;
    in_group = (in_group + 1) % line.count;
  };
  const auto impaired = [&](sim::Impairment link) {
    link.share = line.share;
    link.per_bit = line.per_bit;
    link.rail = line.rail;
    model.pieces.push_back({sim::FaultTarget::impairment, schedule_.add_impairment(link)});
  };
  for (const std::uint32_t part : parts_->all(line.what)) {
    if (by_direction) {
      for (const std::uint32_t direction : {0u, 1u}) {
        next_part(2 * part + direction);
        impaired({part, direction, 0.0, 0.0});
      }
      continue;
    }
    next_part(part);
    if (impair && is_of_job(line.what)) {
      model.pieces.push_back(
          {sim::FaultTarget::frames, schedule_.add_impairment(frames_of(line, part))});
    } else if (impair) {
      for (const auto& link : parts_->links_of(line.what, part, line.one_way)) impaired(link);
    } else {
      for (const auto& piece : pieces_of(line, part)) model.pieces.push_back(piece);
    }
  }
  model.first_piece.push_back(static_cast<std::uint32_t>(model.pieces.size()));
}

Status Inputs::check_models() const {
  double failures = 0.0;
  for (const Model& model : models_) {
    double each =
        static_cast<double>(duration_.ns) / static_cast<double>(model.renewal.life.mean.ns);
    if (model.flap) {
      each *= static_cast<double>(model.renewal.repair->typical.ns) /
              static_cast<double>(model.flap->every.ns);
    }
    failures += static_cast<double>(model.pieces.size()) * each;
    if (failures <= kDrawnFailuresMax) continue;
    return Status::error(
        "/failures/" + std::to_string(model.number) +
        "/mtbf: found more than 2 x 10^7 failures within the run; expected a longer "
        "mtbf, or a shorter duration");
  }
  return Status::ok();
}

// Every piece of the group from `down.from` to its end, or again and again until then.
void Inputs::add_failure(const Model& model, std::uint32_t group, const sim::DownTime& down,
                         std::size_t& record, sim::ScheduleBuilder& builder) const {
  const Time end = std::min(down.until.value_or(Time::never()), Time{} + duration_);
  sim::Outage outage = model.outage;
  outage.fault = builder.add_fault(model.number, group);
  outage.cause = model.count > 1 ? kNeighboursCause | std::uint64_t{model.number} << 32 | group
                                 : cause_of(model.what, model.parts[group]);
  for (std::uint32_t i = model.first_piece[group]; i < model.first_piece[group + 1]; ++i) {
    outage.target = model.pieces[i].target;
    outage.index = model.pieces[i].index;
    outage.at = down.from;
    outage.until = down.until;
    if (!model.flap) {
      outage.record = record++;
      builder.add(outage);
    }
    for (; model.flap && outage.at < end; outage.at += model.flap->every) {
      outage.until = outage.at + model.flap->down;
      if (down.until) outage.until = std::min(*outage.until, *down.until);
      outage.record = record++;
      builder.add(outage);
    }
  }
}

void Inputs::add_model(const Model& model, std::uint64_t seed, std::size_t& record,
                       sim::ScheduleBuilder& builder) const {
  const sim::Lives lives(model.renewal.life);
  std::vector<sim::DownTime> down_times;
  for (std::uint32_t group = 0; group < model.parts.size(); ++group) {
    down_times.clear();
    sim::draw_down_times(lives, model.renewal, {seed, model.number, group}, duration_, down_times);
    for (const sim::DownTime& down : down_times) add_failure(model, group, down, record, builder);
  }
}

}  // namespace holdfast::runner
