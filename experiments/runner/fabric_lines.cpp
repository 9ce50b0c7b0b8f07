// Lines of the script and models about parts of the fabric.
#include "experiments/runner/inputs.hpp"

namespace holdfast::runner {

namespace {

// A flap that never ends is a slip of the pen.
constexpr std::int64_t kFlapsMax = 1'000'000;

}  // namespace

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
    return Status::error(".every: more than a million times within the run; expected fewer");
  for (Time at = line.at; at < end; at += *line.every) {
    outage.at = at;
    outage.until = at + *line.repaired_after;
    outage.record = scripted_records_++;
    schedule_.add(outage);
  }
  return Status::ok();
}

Status Inputs::load_impairment(const FailureConfig& line) {
  sim::LinkEnd end;
  if (Status status = topology_->find_link(line.which, end); !status.is_ok())
    return Status::error(".which: " + status.message());
  const sim::Wiring& wiring = topology_->routing().wiring();
  sim::Impairment impairment{wiring.link_at(end), {}, line.share, line.per_bit};
  if (line.one_way)
    impairment.direction = wiring.ends(impairment.link)[0].device == end.device ? 0u : 1u;
  return add_outages(line, {line.at, line.at + line.lasts, sim::FaultAction::crash,
                            sim::FaultTarget::impairment, schedule_.add_impairment(impairment)});
}

// A leaf takes its hosts with it, as a power supply of a rack does.
Status Inputs::load_fabric_line(const FailureConfig& line) {
  sim::Outage outage{line.at, {}, sim::FaultAction::crash, sim::FaultTarget::device};
  if (line.repaired_after) outage.until = line.at + *line.repaired_after;
  const sim::Wiring& wiring = topology_->routing().wiring();
  Status status = Status::ok();
  if (line.what == FaultTarget::link) {
    sim::LinkEnd end;
    status = topology_->find_link(line.which, end);
    if (status.is_ok()) outage.index = wiring.link_at(end);
    outage.target = sim::FaultTarget::link;
  } else {
    status = topology_->find_device(line.which, line.what != FaultTarget::adapter, outage.index);
  }
  if (!status.is_ok()) return Status::error(".which: " + status.message());
  if (line.action == FaultKind::repair) {
    schedule_.add_event(
        {line.at, sim::FaultAction::repair, outage.target, outage.index, scripted_records_++});
    return Status::ok();
  }
  status = add_outages(line, outage);
  for (std::uint32_t host = 0; host < nodes_ && line.what == FaultTarget::leaf; ++host) {
    const sim::LinkEnd port = wiring.endpoint({host});
    if (port.device == sim::kNone || wiring.far_end(port).device != outage.index) continue;
    sim::Outage node = outage;
    node.target = sim::FaultTarget::node;
    node.index = host;
    if (status.is_ok()) status = add_outages(line, node);
  }
  return status;
}

// What a model of this kind of part is about, in order.
void Inputs::list_parts(FaultTarget what, Model& model) const {
  const sim::Wiring& wiring = topology_->routing().wiring();
  if (what == FaultTarget::process || what == FaultTarget::node) {
    const bool is_process = what == FaultTarget::process;
    model.target = is_process ? sim::FaultTarget::process : sim::FaultTarget::node;
    model.parts = is_process ? processes() : nodes_;
    return;
  }
  if (what == FaultTarget::link) {
    model.target = sim::FaultTarget::link;
    model.parts = wiring.links();
    return;
  }
  model.target = sim::FaultTarget::device;
  for (std::uint32_t device = 0; device < wiring.devices(); ++device)
    if (wiring.is_switch(device) == (what == FaultTarget::switch_chip))
      model.devices.push_back(device);
  model.parts = static_cast<std::uint32_t>(model.devices.size());
}

}  // namespace holdfast::runner
