// Reads topology, script and trace of an experiment in this order: each needs the one before it.
#include "experiments/runner/inputs.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/runner/load_topology.hpp"
#include "experiments/runner/tables.hpp"
#include "sim/faults/text_file.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/permutation.hpp"
#include "stack/base/random.hpp"

namespace holdfast::runner {
namespace {

// Purposes of random streams; see Random.
constexpr std::uint64_t kReplicateStream = 0x7265706c;
constexpr std::uint64_t kOrderStream = 0x6f72646572;
constexpr std::uint64_t kPartsStream = 0x7061727473;

// The largest job: identities are 32 bits, and a part of them is kept for marks.
constexpr std::uint64_t kProcessesMax = (std::uint64_t{1} << 31) - 1;

// Larger fabrics are not written for the report to draw: nobody could see anything, and the text of
// 262,144 hosts takes 124 MB and the making of it a gigabyte.
constexpr std::uint32_t kHostsDrawnMax = 20'000;

// What is left to learn after the last event of a trace that does not say how long it is.
constexpr std::int64_t kTimeoutsAfterTrace = 10;

// More failures that models draw for one replicate are a slip of the pen: each takes about a
// hundred bytes.
constexpr double kDrawnFailuresMax = 2e7;

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

}  // namespace

Status Inputs::load(const Experiment& experiment, std::shared_ptr<const Inputs>& inputs) {
  auto loaded = std::make_shared<Inputs>();
  if (Status status = loaded->load_topology(experiment); !status.is_ok()) return status;
  if (Status status = loaded->load_script(experiment); !status.is_ok()) return status;
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
  if (hosts == 0) return Status::error(config.file + ": has no hosts");
  nodes_ = experiment.processes.nodes.value_or(hosts);
  per_node_ = experiment.processes.per_node;
  if (nodes_ > hosts)
    return Status::error("processes.nodes is " + std::to_string(nodes_) + "; the topology has " +
                         std::to_string(hosts) + (hosts == 1 ? " host" : " hosts"));
  if (std::uint64_t{nodes_} * per_node_ > kProcessesMax)
    return Status::error("processes: " + std::to_string(nodes_) + " nodes of " +
                         std::to_string(per_node_) + " processes are more than 2^31 - 1");
  leaf_of_node_ = std::make_shared<const std::vector<std::uint32_t>>(topology_->leaf_of_hosts());
  path_times_ = topology_->path_times(experiment.fabric.switch_latency);
  if (experiment.fabric.fidelity == Fidelity::packet)
    graph_ = std::make_unique<const sim::FabricGraph>(topology_->written_out());
  for (std::size_t i = 0; i < experiment.traffic.size(); ++i) {
    if (Status status = sim::Traffic::check(experiment.traffic[i], hosts); !status.is_ok())
      return Status::error("traffic." + std::to_string(i) + ": " + status.message());
  }
  return Status::ok();
}

Status Inputs::resolve(sim::FaultTarget target, std::string_view which,
                       std::uint32_t& index) const {
  if (target == sim::FaultTarget::process) {
    const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), index);
    if (error == std::errc() && end == which.data() + which.size() && index < processes())
      return Status::ok();
    return Status::error(quoted(which) + " is no process; expected a rank 0 … " +
                         std::to_string(processes() - 1));
  }
  NodeId node;
  if (Status status = topology_->find_host(which, node); !status.is_ok()) return status;
  index = node.value;
  if (index < nodes_) return Status::ok();
  return Status::error(quoted(which) + " carries no process; only the first " +
                       std::to_string(nodes_) + " hosts do (processes.nodes)");
}

Status Inputs::load_script(const Experiment& experiment) {
  experiment_duration_ = experiment.duration;
  for (std::size_t i = 0; i < experiment.failures.size(); ++i) {
    if (Status status = load_line(experiment.failures[i], i); !status.is_ok())
      return Status::error("failures." + std::to_string(i) + status.message());
  }
  schedule_.number_records_from(scripted_records_);
  return Status::ok();
}

// Its errors begin with the key that is wrong.
Status Inputs::load_line(const FailureConfig& line, std::size_t number) {
  if (line.model) return load_model(line, number);
  if (line.action == FaultKind::impair) return load_impairment(line);
  if (line.what != FaultTarget::process && line.what != FaultTarget::node)
    return load_fabric_line(line);
  const bool is_process = line.what == FaultTarget::process;
  const sim::FaultTarget target = is_process ? sim::FaultTarget::process : sim::FaultTarget::node;
  sim::Outage outage{line.at, {}, sim::FaultAction::crash, target, 0, scripted_records_};
  if (line.repaired_after) outage.until = line.at + *line.repaired_after;
  if (line.action == FaultKind::pause || line.action == FaultKind::slow) {
    const bool is_pause = line.action == FaultKind::pause;
    outage.action = is_pause ? sim::FaultAction::pause : sim::FaultAction::slow;
    outage.until = line.at + line.lasts;
    outage.delay = line.delay;
  }
  const bool is_drawn = line.which == kDrawnParts;
  if (!is_drawn) {
    Status status = resolve(target, line.which, outage.index);
    if (!status.is_ok()) return Status::error(".which: " + status.message());
  }
  const std::uint32_t left = (is_process ? processes() : nodes_) - outage.index;
  if (line.count > left)
    return Status::error(".count: found " + std::to_string(line.count) + "; expected at most " +
                         std::to_string(left) + ", as many as there are");
  if (is_drawn) {
    drawn_.push_back({outage, line.count, number});
    scripted_records_ += line.count;
    return Status::ok();
  }
  for (std::uint32_t i = 0; i < line.count; ++i, ++outage.index) {
    if (line.action == FaultKind::repair) {
      schedule_.add_event(
          {line.at, sim::FaultAction::repair, target, outage.index, scripted_records_++});
    } else if (Status status = add_outages(line, outage); !status.is_ok()) {
      return status;
    }
  }
  return Status::ok();
}

Status Inputs::load_model(const FailureConfig& line, std::size_t number) {
  Model model;
  model.renewal = *line.model;
  model.count = line.count;
  model.number = static_cast<std::uint32_t>(number);
  list_parts(line.what, model);
  if (line.action == FaultKind::pause) {
    model.action = sim::FaultAction::pause;
    model.renewal.repair = sim::RepairModel{sim::RepairKind::fixed, line.lasts, 1.0};
  }
  models_.push_back(model);
  return Status::ok();
}

Status Inputs::check_models() const {
  double failures = 0.0;
  for (const Model& model : models_) {
    failures += static_cast<double>(model.parts) * static_cast<double>(duration_.ns) /
                static_cast<double>(model.renewal.life.mean.ns);
    if (failures <= kDrawnFailuresMax) continue;
    return Status::error("failures." + std::to_string(model.number) +
                         ".mtbf: more than 2 x 10^7 failures within the run; expected a longer "
                         "mtbf, or a shorter duration");
  }
  return Status::ok();
}

// Parts that fail as one draw from one stream.
void Inputs::add_model(const Model& model, std::uint64_t seed, std::size_t& record,
                       sim::ScheduleBuilder& builder) const {
  const sim::Lives lives(model.renewal.life);
  std::vector<sim::DownTime> down_times;
  for (std::uint32_t first = 0; first < model.parts; first += model.count) {
    down_times.clear();
    sim::draw_down_times(lives, model.renewal, {seed, model.number, first / model.count}, duration_,
                         down_times);
    const std::uint32_t end = first + std::min(model.count, model.parts - first);
    for (const sim::DownTime& down : down_times)
      for (std::uint32_t part = first; part < end; ++part)
        builder.add({down.from, down.until, model.action, model.target,
                     model.devices.empty() ? part : model.devices[part], record++});
    if (end == model.parts) return;
  }
}

// The first parts of one random order, so that more of them at another sweep point are the same
// and more.
void Inputs::add_drawn(const DrawnLine& line, std::uint64_t seed,
                       sim::ScheduleBuilder& builder) const {
  const bool is_process = line.outage.target == sim::FaultTarget::process;
  const Permutation order(is_process ? processes() : nodes_,
                          Random(seed, kPartsStream, line.number).next());
  sim::Outage outage = line.outage;
  for (std::uint32_t i = 0; i < line.count; ++i, ++outage.record) {
    outage.index = order.forward(i);
    builder.add(outage);
  }
}

Status Inputs::load_trace(const Experiment& experiment) {
  if (!experiment.trace) return Status::ok();
  const TraceConfig& trace = *experiment.trace;
  if (trace.format == TraceFormat::csv) {
    const auto find = [this](sim::FaultTarget target, std::string_view which) {
      std::uint32_t index = 0;
      const bool found = resolve(target, which, index).is_ok();
      return found ? std::optional(index) : std::nullopt;
    };
    return sim::read_csv_trace(trace.file, find, schedule_);
  }
  for (const auto& [name, value] :
       {std::pair("trace.system", trace.system), std::pair("trace.year", trace.year)})
    if (!value) return Status::error(std::string(name) + " is missing; a lanl trace needs it");
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

std::map<std::size_t, FailedPart> Inputs::parts_of(const sim::FaultSchedule& faults) const {
  std::map<std::size_t, FailedPart> parts;
  for (const sim::FaultEvent& event : faults.events) {
    if (event.action != sim::FaultAction::crash) continue;
    if (event.target != sim::FaultTarget::node && event.target != sim::FaultTarget::process)
      continue;
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
    return Status::error("duration is missing; without a trace it must be given");
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
  add(static_cast<int>(experiment.fabric.fidelity));
  for (const sim::TrafficOptions& kind : experiment.traffic)
    add(static_cast<int>(kind.pattern), kind.shift, kind.target.value, kind.senders);
  const RoutingConfig& routing = experiment.fabric.routing;
  add(routing.kind.has_value(), static_cast<int>(routing.kind.value_or(RoutingKind::balanced)),
      routing.lmc);
  add_text(routing.file);
  for (const FailureConfig& line : experiment.failures) {
    add(line.at.ns, static_cast<int>(line.action), static_cast<int>(line.what), line.lasts.ns,
        line.repaired_after ? line.repaired_after->ns : -1, line.count,
        line.every ? line.every->ns : -1, line.delay.ns, line.one_way,
        std::bit_cast<std::uint64_t>(line.share), std::bit_cast<std::uint64_t>(line.per_bit));
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
