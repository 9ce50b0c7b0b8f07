// Reads topology, script and trace of an experiment in this order: each needs the one before it.
#include "experiments/runner/inputs.hpp"

#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/runner/load_topology.hpp"
#include "experiments/runner/rails.hpp"
#include "experiments/runner/tables.hpp"
#include "sim/faults/text_file.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast::runner {
namespace {

// Purposes of random streams; see Random.
constexpr std::uint64_t kReplicateStream = 0x7265706c;
constexpr std::uint64_t kOrderStream = 0x6f72646572;

// The largest job: identities are 32 bits, and a part of them is kept for marks.
constexpr std::uint64_t kProcessesMax = (std::uint64_t{1} << 31) - 1;

// Larger fabrics are not written for the report to draw: nobody could see anything, and the text of
// 262,144 hosts takes 124 MB and the making of it a gigabyte.
constexpr std::uint32_t kHostsDrawnMax = 20'000;

// What is left to learn after the last event of a trace that does not say how long it is.
constexpr std::int64_t kTimeoutsAfterTrace = 10;

}  // namespace

Status Inputs::load(const Experiment& experiment, std::shared_ptr<const Inputs>& inputs) {
  auto loaded = std::make_shared<Inputs>();
  if (Status status = loaded->load_topology(experiment); !status.is_ok()) return status;
  if (Status status = loaded->load_script(experiment); !status.is_ok()) return status;
  if (Status status = loaded->check_rails(experiment); !status.is_ok()) return status;
  if (Status status = loaded->load_trace(experiment); !status.is_ok()) return status;
  if (Status status = loaded->set_duration(experiment); !status.is_ok()) return status;
  if (Status status = loaded->check_models(); !status.is_ok()) return status;
  inputs = std::move(loaded);
  return Status::ok();
}

Status Inputs::load_topology(const Experiment& experiment) {
  const TopologyConfig& config = experiment.topology;
  if (Status status = runner::load_topology(experiment, topology_); !status.is_ok()) return status;
  const std::uint32_t hosts = topology_->host_count();
  if (hosts == 0)
    return Status::error(config.file + ": has no hosts; expected all that `ibnetdiscover` prints");
  nodes_ = experiment.processes.nodes.value_or(hosts);
  per_node_ = experiment.processes.per_node;
  if (nodes_ > hosts)
    return Status::error("/processes/nodes: found " + std::to_string(nodes_) +
                         "; expected at most " + std::to_string(hosts) +
                         ", the hosts of the topology");
  if (std::uint64_t{nodes_} * per_node_ > kProcessesMax)
    return Status::error("/processes/per_node: found " + std::to_string(per_node_) +
                         " processes on each of " + std::to_string(nodes_) +
                         " nodes; expected at most 2^31 - 1 processes");
  parts_.emplace(*topology_, nodes_, per_node_);
  leaf_of_node_ = std::make_shared<const std::vector<std::uint32_t>>(topology_->leaf_of_hosts());
  path_times_ = topology_->path_times(experiment.fabric.switch_latency);
  if (experiment.fabric.fidelity == Fidelity::packet)
    graph_ = std::make_unique<const sim::FabricGraph>(topology_->written_out());
  return load_traffic(experiment);
}

Status Inputs::load_traffic(const Experiment& experiment) {
  for (std::size_t i = 0; i < experiment.traffic.size(); ++i) {
    const TrafficConfig& kind = experiment.traffic[i];
    const std::string entry = "/traffic/" + std::to_string(i);
    NodeId& target = traffic_targets_.emplace_back(0);
    Status status = sim::Traffic::check(kind.options, topology_->host_count());
    if (!status.is_ok()) return Status::error(entry + ": " + status.message());
    if (kind.options.pattern != sim::TrafficPattern::incast) continue;
    status = parts_->find_host(kind.target, target);
    if (!status.is_ok()) return Status::error(entry + "/target: " + status.message());
  }
  return Status::ok();
}

// What of a script is to happen to rails must be one's fault on real hosts.
Status Inputs::check_rails(const Experiment& experiment) const {
  if (experiment.fabric.target == Target::simulated) return Status::ok();
  if (experiment.fabric.separate_hosts && nodes_ > hw::HostNetwork::kHostsMax)
    return Status::error("/fabric/hosts: found \"namespaces\" for " + std::to_string(nodes_) +
                         " hosts; expected at most " + std::to_string(hw::HostNetwork::kHostsMax));
  const Rails rails(topology_->routing().wiring(), nodes_);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const FailureConfig& line = lines_[i];
    if (line.model || (line.what != FaultTarget::adapter && line.what != FaultTarget::link))
      continue;
    std::uint32_t part = 0;
    Status status = parts_->find(line.what, line.which, part);
    HOLDFAST_ASSERT(status.is_ok());  // it was found before
    status = rails.check(line.what, part);
    if (!status.is_ok())
      return Status::error("/failures/" + std::to_string(i) + "/which: " + status.message());
  }
  return Status::ok();
}

Status Inputs::load_trace(const Experiment& experiment) {
  if (!experiment.trace) return Status::ok();
  const TraceConfig& trace = *experiment.trace;
  if (trace.format == TraceFormat::csv) {
    const auto find = [this](sim::FaultTarget target, std::string_view which) {
      std::uint32_t index = 0;
      const bool is_process = target == sim::FaultTarget::process;
      const FaultTarget what = is_process ? FaultTarget::process : FaultTarget::node;
      const bool found = parts_->find(what, which, index).is_ok();
      return found ? std::optional(index) : std::nullopt;
    };
    return sim::read_csv_trace(trace.file, find, schedule_);
  }
  for (const auto& [name, value] :
       {std::pair("system", trace.system), std::pair("year", trace.year)})
    if (!value)
      return Status::error("/trace: the key \"" + std::string(name) +
                           "\" is missing; expected it with \"format\": \"lanl\"");
  // Hosts are numbered by their lowest GUID, in generated and in imported fabrics.
  std::vector<std::uint32_t> hosts(nodes_);
  for (std::uint32_t i = 0; i < nodes_; ++i) hosts[i] = i;
  lanl_.emplace();
  return sim::read_lanl_trace(trace.file, {*trace.system, *trace.year, trace.month}, hosts,
                              schedule_, *lanl_);
}

sim::FaultSchedule Inputs::scheduled(std::uint64_t seed) const {
  sim::ScheduleBuilder builder = schedule_;
  builder.number_records_from(0);
  for (const DrawnLine& line : drawn_) add_drawn(line, seed, builder);
  std::size_t record = schedule_.end_of_records();
  for (const Model& model : models_) add_model(model, seed, record, builder);
  return builder.build();
}

sim::FaultSchedule Inputs::faults_of(std::uint64_t seed) const {
  sim::FaultSchedule faults = scheduled(seed);
  if (!lanl_) return faults;
  return sim::drawn_within_minutes(faults, scripted_records_, schedule_.end_of_records(), seed);
}

std::size_t Inputs::faults_after_end() const {
  sim::ScheduleBuilder builder = schedule_;
  std::size_t late = 0;
  for (const sim::FaultEvent& event : builder.build().events) {
    const bool begins = event.action == sim::FaultAction::crash ||
                        event.action == sim::FaultAction::pause ||
                        event.action == sim::FaultAction::slow;
    late += begins && event.at >= Time{0} + duration_;
  }
  return late;
}

std::map<std::size_t, FailedPart> Inputs::parts_of(const sim::FaultSchedule& faults) const {
  std::map<std::size_t, FailedPart> parts;
  for (const sim::FaultEvent& event : faults.events) {
    if (event.action != sim::FaultAction::crash || !is_of_job(event)) continue;
    const bool is_node = event.target == sim::FaultTarget::node;
    parts[event.record] = is_node ? FailedPart{"node", topology_->host_name({event.index})}
                                  : FailedPart{"process", std::to_string(event.index)};
  }
  return parts;
}

Status Inputs::set_duration(const Experiment& experiment) {
  duration_ = experiment.duration;
  if (duration_ > Duration{0}) return Status::ok();
  if (!experiment.trace)
    return Status::error("/duration: the key is missing; expected it where there is no trace");
  if (lanl_) {
    duration_ = lanl_->period;
  } else {
    const sim::FaultSchedule faults = scheduled(0);  // without models, as the duration is 0 yet
    const Time last = faults.events.empty() ? Time{0} : faults.events.back().at;
    duration_ = last - Time{0} + kTimeoutsAfterTrace * experiment.detector.timeout;
  }
  return Status::ok();
}

std::vector<Attachment> Inputs::attachments() const {
  // Warnings quote descriptions, which are bytes from elsewhere: what is not UTF-8 is replaced.
  const nlohmann::json warnings = topology_->summary().warnings;
  std::vector<Attachment> result = {
      {"warnings.json",
       warnings.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"}};
  if (topology_->host_count() <= kHostsDrawnMax)
    result.push_back({"topology.json", topology_->picture()});
  if (lanl_) {
    std::string rows = "node,host,records\n";
    for (const sim::LanlNode& node : lanl_->nodes)
      rows += std::to_string(node.node) + "," + csv_cell(topology_->host_name({node.host})) + "," +
              std::to_string(node.records) + "\n";
    result.push_back({"mapping.csv", std::move(rows)});
  }
  return result;
}

Status InputsCache::load(const Experiment& experiment, std::shared_ptr<const Inputs>& inputs) {
  // All that Inputs::load reads of the experiment.
  std::string key;
  const auto add = [&key](const auto&... values) {
    ((key += std::to_string(values) + ","), ...);
    key += ";";
  };
  const auto add_text = [&](const std::string& text) {
    add(text.size());
    key += text;
  };
  const auto add_optional = [&](const auto& value) { add(value.has_value(), value.value_or(0)); };
  const auto add_model = [&](const sim::RenewalModel& model) {
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    const sim::RepairModel repair = model.repair.value_or(sim::RepairModel{});
    add(static_cast<int>(model.life.kind), model.life.mean.ns, bits(model.life.shape),
        bits(model.life.sigma), model.age ? model.age->ns : -1, static_cast<int>(repair.kind),
        repair.typical.ns, bits(repair.sigma));
  };
  const TopologyConfig& topology = experiment.topology;
  add(static_cast<int>(topology.kind), experiment.duration.ns, experiment.detector.timeout.ns,
      experiment.fabric.link.bits_per_second, experiment.fabric.link.latency.ns,
      experiment.fabric.switch_latency.ns, experiment.processes.per_node);
  add_optional(experiment.processes.nodes);
  for (const auto* list : {&topology.down, &topology.up, &topology.parallel}) {
    add(list->size());
    for (const std::uint32_t value : *list) add(value);
  }
  add_text(topology.file);
  add_text(topology.names);
  add(static_cast<int>(experiment.fabric.fidelity), static_cast<int>(experiment.fabric.target),
      experiment.fabric.separate_hosts);
  for (const TrafficConfig& kind : experiment.traffic) {
    add(static_cast<int>(kind.options.pattern), kind.options.shift, kind.options.senders);
    add_text(kind.target);
  }
  const RoutingConfig& routing = experiment.fabric.routing;
  add(routing.kind.has_value(), static_cast<int>(routing.kind.value_or(RoutingKind::balanced)),
      routing.lmc);
  add_text(routing.file);
  for (const FailureConfig& line : experiment.failures) {
    add(line.at.ns, static_cast<int>(line.action), static_cast<int>(line.what), line.lasts.ns,
        line.repaired_after ? line.repaired_after->ns : -1, line.count,
        line.every ? line.every->ns : -1, line.delay.ns, line.one_way,
        std::bit_cast<std::uint64_t>(line.share), std::bit_cast<std::uint64_t>(line.per_bit));
    for (const double share : {line.frames.loss, line.frames.duplicate, line.frames.corrupt,
                               line.frames.truncate, line.frames.reorder})
      add(std::bit_cast<std::uint64_t>(share));
    add(line.frames.delay.ns, line.frames.jitter.ns);
    add(line.rail ? int{*line.rail} : -1);
    add_text(line.to);
    add_text(line.which);
    if (line.model) add_model(*line.model);
  }
  if (experiment.trace) {
    add(static_cast<int>(experiment.trace->format));
    add_text(experiment.trace->file);
    for (const auto& value :
         {experiment.trace->system, experiment.trace->year, experiment.trace->month})
      add_optional(value);
  }
  std::shared_ptr<const Inputs>& entry = by_key_[key];
  if (!entry)
    if (Status status = Inputs::load(experiment, entry); !status.is_ok()) return status;
  inputs = entry;
  return Status::ok();
}

RosterOptions roster_options(const Experiment& experiment, const Inputs& inputs,
                             std::uint32_t replicate) {
  RosterOptions options;
  options.nodes = inputs.nodes();
  options.per_node = experiment.processes.per_node;
  options.placement = experiment.processes.placement == Placement::by_slot
                          ? ProcessPlacement::by_slot
                          : ProcessPlacement::by_node;
  options.agents = experiment.processes.agents;
  const std::optional<RingOrder> order = find_ring_order(experiment.detector.order);
  HOLDFAST_ASSERT(order.has_value());  // the schema's words
  options.order = *order;
  if (options.order == RingOrder::spread) options.leaf_of_node = inputs.leaf_of_node();
  options.order_key = Random(experiment.seed, kOrderStream, replicate).next();
  return options;
}

EngineOptions engine_options(const Experiment& experiment) {
  EngineOptions options;
  options.membership.detector = experiment.detector.kind;
  options.membership.propagation = experiment.propagation.kind;
  options.membership.detection.period = experiment.detector.period;
  options.membership.detection.timeout = experiment.detector.timeout;
  options.membership.detection.hold = experiment.detector.hold;
  options.membership.detection.probes = experiment.propagation.backstop;
  options.membership.backstop = experiment.propagation.backstop;
  options.membership.retransmission_timeout =
      experiment.propagation.retransmission_timeout.value_or(experiment.detector.period);
  options.seal = experiment.seal.kind;
  return options;
}

std::uint64_t replicate_seed(const Experiment& experiment, std::uint32_t replicate) {
  return Random(experiment.seed, kReplicateStream, replicate).next();
}

}  // namespace holdfast::runner
