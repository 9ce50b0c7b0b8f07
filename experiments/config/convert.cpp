// The document is valid and complete when it comes here, so a value that is missing or of the wrong
// type is our bug: an assertion.
#include "experiments/config/convert.hpp"

#include <array>
#include <utility>

#include "experiments/config/quantity.hpp"
#include "experiments/config/schema.hpp"
#include "experiments/config/sweep.hpp"
#include "sim/topology/presets.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::runner::config {

namespace {

const Node& need(const Node& document, std::string_view pointer) {
  const Node* node = at_pointer(document, pointer);
  HOLDFAST_ASSERT(node != nullptr);
  return *node;
}

const std::string& text_at(const Node& document, std::string_view pointer) {
  return need(document, pointer).text;
}

std::uint32_t count_at(const Node& document, std::string_view pointer) {
  return static_cast<std::uint32_t>(need(document, pointer).integer);
}

std::optional<std::uint32_t> optional_count(const Node& document, std::string_view pointer) {
  if (at_pointer(document, pointer) == nullptr) return std::nullopt;
  return count_at(document, pointer);
}

Duration to_duration(const Node& node) {
  const auto parsed = parse_duration(node.text);
  HOLDFAST_ASSERT(parsed.value.has_value());
  return *parsed.value;
}

Duration duration_at(const Node& document, std::string_view pointer) {
  return to_duration(need(document, pointer));
}

std::optional<Duration> optional_duration(const Node& document, std::string_view pointer) {
  if (at_pointer(document, pointer) == nullptr) return std::nullopt;
  return duration_at(document, pointer);
}

// The enumerator of a word of the schema.
template <class Enum, std::size_t N>
Enum word_at(const Node& document, std::string_view pointer,
             const std::array<std::pair<std::string_view, Enum>, N>& words) {
  const std::string& text = text_at(document, pointer);
  std::size_t i = 0;
  while (i < N && words[i].first != text) ++i;
  HOLDFAST_ASSERT(i < N);  // every word of the schema has its enumerator
  return words[i].second;
}

template <class Enum>
using Word = std::pair<std::string_view, Enum>;

constexpr std::array<Word<Target>, 5> kTargets{{{"native", Target::simulated},
                                                {"udp", Target::udp},
                                                {"tcp", Target::tcp},
                                                {"shm", Target::shm},
                                                {"verbs", Target::verbs}}};
constexpr std::array<Word<bool>, 2> kIdle{{{"sleep", false}, {"poll", true}}};
constexpr std::array<Word<bool>, 2> kSeparateHosts{{{"shared", false}, {"namespaces", true}}};
constexpr std::array<Word<Fidelity>, 2> kFidelities{
    {{"message", Fidelity::message}, {"packet", Fidelity::packet}}};
constexpr std::array<Word<sim::Switching>, 2> kSwitchings{
    {{"cut_through", sim::Switching::cut_through},
     {"store_and_forward", sim::Switching::store_and_forward}}};
constexpr std::array<Word<sim::FlowControl>, 2> kFlowControls{
    {{"credits", sim::FlowControl::credits}, {"drop_tail", sim::FlowControl::drop_tail}}};
constexpr std::array<Word<sim::TrafficPattern>, 4> kPatterns{
    {{"uniform", sim::TrafficPattern::uniform},
     {"permutation", sim::TrafficPattern::permutation},
     {"all_to_all", sim::TrafficPattern::all_to_all},
     {"incast", sim::TrafficPattern::incast}}};
constexpr std::array<Word<TopologyKind>, 4> kTopologies{
    {{"fat_tree", TopologyKind::fat_tree},
     {"k_ary_n_tree", TopologyKind::fat_tree},
     {"preset", TopologyKind::composed},  // or a tree; to_topology looks
     {"ibnetdiscover", TopologyKind::ibnetdiscover}}};
constexpr std::array<Word<RoutingKind>, 4> kRoutings{{{"balanced", RoutingKind::balanced},
                                                      {"dmodk", RoutingKind::dmodk},
                                                      {"tables", RoutingKind::tables},
                                                      {"updn", RoutingKind::updn}}};
constexpr std::array<Word<Placement>, 2> kPlacements{
    {{"by_slot", Placement::by_slot}, {"by_node", Placement::by_node}}};
constexpr std::array<Word<FaultKind>, 5> kActions{{{"crash", FaultKind::crash},
                                                   {"repair", FaultKind::repair},
                                                   {"pause", FaultKind::pause},
                                                   {"slow", FaultKind::slow},
                                                   {"impair", FaultKind::impair}}};
constexpr std::array<Word<FaultTarget>, 9> kTargetsOfFaults{{{"process", FaultTarget::process},
                                                             {"node", FaultTarget::node},
                                                             {"adapter", FaultTarget::adapter},
                                                             {"link", FaultTarget::link},
                                                             {"switch", FaultTarget::switch_chip},
                                                             {"leaf", FaultTarget::leaf},
                                                             {"spine", FaultTarget::spine},
                                                             {"board", FaultTarget::board},
                                                             {"chassis", FaultTarget::chassis}}};
constexpr std::array<Word<sim::LifeKind>, 3> kLives{{{"exponential", sim::LifeKind::exponential},
                                                     {"weibull", sim::LifeKind::weibull},
                                                     {"lognormal", sim::LifeKind::lognormal}}};
constexpr std::array<Word<sim::RepairKind>, 3> kRepairs{
    {{"fixed", sim::RepairKind::fixed},
     {"exponential", sim::RepairKind::exponential},
     {"lognormal", sim::RepairKind::lognormal}}};
constexpr std::array<Word<TraceFormat>, 2> kFormats{
    {{"csv", TraceFormat::csv}, {"lanl", TraceFormat::lanl}}};

std::string optional_text(const Node& document, std::string_view pointer) {
  const Node* node = at_pointer(document, pointer);
  return node != nullptr ? node->text : "";
}

RoutingConfig to_routing(const Node& document) {
  RoutingConfig routing;
  if (at_pointer(document, "/fabric/routing/kind") != nullptr) {
    routing.kind = word_at(document, "/fabric/routing/kind", kRoutings);
  }
  routing.lmc = optional_count(document, "/fabric/routing/lmc").value_or(0);
  routing.file = optional_text(document, "/fabric/routing/file");
  return routing;
}

sim::PacketWireOptions to_packet(const Node& document) {
  sim::PacketWireOptions packet;
  packet.switching = word_at(document, "/fabric/packet/switching", kSwitchings);
  packet.flow_control = word_at(document, "/fabric/packet/flow_control", kFlowControls);
  packet.buffer_bytes = count_at(document, "/fabric/packet/buffer");
  packet.head_lifetime = duration_at(document, "/fabric/packet/head_lifetime");
  packet.lanes.clear();
  for (const Node& lane : need(document, "/fabric/packet/lanes").items) {
    packet.lanes.push_back({need(lane, "/high").boolean, count_at(lane, "/weight")});
  }
  for (std::size_t level = 0; level < packet.lane_of_service_level.size(); ++level) {
    packet.lane_of_service_level[level] = static_cast<std::uint8_t>(level % packet.lanes.size());
  }
  packet.collapse = need(document, "/fabric/packet/collapse").boolean;
  return packet;
}

std::uint8_t level_at(const Node& document, std::string_view pointer) {
  return static_cast<std::uint8_t>(count_at(document, pointer));
}

// An index is as good as a name.
std::string part_at(const Node& document, std::string_view pointer) {
  const Node& part = need(document, pointer);
  return part.is_number() ? std::to_string(part.integer) : part.text;
}

TrafficConfig to_traffic(const Node& kind) {
  TrafficConfig config;
  sim::TrafficOptions& traffic = config.options;
  traffic.pattern = word_at(kind, "/pattern", kPatterns);
  traffic.load = need(kind, "/load").real;
  traffic.bytes = count_at(kind, "/bytes");
  traffic.service_level = level_at(kind, "/service_level");
  traffic.shift = count_at(kind, "/shift");
  config.target = part_at(kind, "/target");
  traffic.senders = count_at(kind, "/senders");
  traffic.victim_service_level = level_at(kind, "/victim_service_level");
  return config;
}

double optional_share(const Node& document, std::string_view pointer) {
  const Node* node = at_pointer(document, pointer);
  return node != nullptr ? node->real : 0.0;
}

// The same words in the fabric and in a failure.
FrameFaults to_frame_faults(const Node& where) {
  return {.loss = optional_share(where, "/loss"),
          .duplicate = optional_share(where, "/duplicate"),
          .corrupt = optional_share(where, "/corrupt"),
          .truncate = optional_share(where, "/truncate"),
          .reorder = optional_share(where, "/reorder"),
          .delay = optional_duration(where, "/delay").value_or(Duration{}),
          .jitter = optional_duration(where, "/jitter").value_or(Duration{})};
}

FabricConfig to_fabric(const Node& document) {
  FabricConfig fabric;
  fabric.target = word_at(document, "/fabric/kind", kTargets);
  fabric.separate_hosts = word_at(document, "/fabric/hosts", kSeparateHosts);
  fabric.rails = count_at(document, "/fabric/rails");
  fabric.polls = word_at(document, "/fabric/idle", kIdle);
  fabric.fidelity = word_at(document, "/fabric/fidelity", kFidelities);
  fabric.link.bits_per_second = *parse_rate(text_at(document, "/fabric/link/rate")).value;
  fabric.link.latency = duration_at(document, "/fabric/link/latency");
  fabric.switch_latency = duration_at(document, "/fabric/switch_latency");
  fabric.local_latency = duration_at(document, "/fabric/local_latency");
  fabric.faults = to_frame_faults(need(document, "/fabric"));
  fabric.packet = to_packet(document);
  fabric.service_level = level_at(document, "/fabric/packet/service_level");
  fabric.routing = to_routing(document);
  fabric.subnet_manager.sweep_on_trap =
      need(document, "/fabric/subnet_manager/sweep_on_trap").boolean;
  fabric.subnet_manager.sweep_interval =
      duration_at(document, "/fabric/subnet_manager/sweep_interval");
  return fabric;
}

std::vector<std::uint32_t> to_levels(const Node& document, std::string_view pointer) {
  std::vector<std::uint32_t> levels;
  if (const Node* list = at_pointer(document, pointer)) {
    for (const Node& level : list->items)
      levels.push_back(static_cast<std::uint32_t>(level.integer));
  }
  return levels;
}

TopologyConfig to_topology(const Node& document) {
  TopologyConfig topology;
  topology.kind = word_at(document, "/topology/kind", kTopologies);
  const std::string& kind = text_at(document, "/topology/kind");
  std::optional<sim::PgftSpec> tree;
  if (kind == "k_ary_n_tree") {
    tree = sim::k_ary_n_tree(count_at(document, "/topology/k"), count_at(document, "/topology/n"));
  } else if (kind == "preset") {
    tree = sim::preset_tree(text_at(document, "/topology/name"));
  } else {
    tree = sim::PgftSpec{to_levels(document, "/topology/down"), to_levels(document, "/topology/up"),
                         to_levels(document, "/topology/parallel")};
  }
  if (tree) {
    if (kind == "preset") topology.kind = TopologyKind::fat_tree;
    topology.down = std::move(tree->down);
    topology.up = std::move(tree->up);
    topology.parallel = std::move(tree->parallel);
  }
  topology.file = optional_text(document, "/topology/file");
  topology.names = optional_text(document, "/topology/names");
  return topology;
}

ProcessesConfig to_processes(const Node& document) {
  ProcessesConfig processes;
  processes.per_node = count_at(document, "/processes/per_node");
  processes.nodes = optional_count(document, "/processes/nodes");
  processes.placement = word_at(document, "/processes/placement", kPlacements);
  processes.agents = need(document, "/processes/agents").boolean;
  return processes;
}

PropagationConfig to_propagation(const Node& document) {
  PropagationConfig propagation;
  propagation.kind = text_at(document, "/propagation/kind");
  const Node& backstop = need(document, "/propagation/backstop");
  propagation.backstop = backstop.is(NodeKind::boolean) ? backstop.boolean : backstop.text == "on";
  propagation.retransmission_timeout =
      optional_duration(document, "/propagation/retransmission_timeout");
  return propagation;
}

sim::RenewalModel to_renewal(const Node& entry) {
  sim::RenewalModel model;
  model.life.kind = word_at(entry, "/model", kLives);
  model.life.mean = duration_at(entry, "/mtbf");
  if (entry.find("shape") != nullptr) model.life.shape = need(entry, "/shape").real;
  if (entry.find("sigma") != nullptr) model.life.sigma = need(entry, "/sigma").real;
  if (optional_text(entry, "/age") != "equilibrium") model.age = optional_duration(entry, "/age");
  if (entry.find("repair") == nullptr) return model;
  sim::RepairModel repair;
  repair.kind = word_at(entry, "/repair/model", kRepairs);
  const bool lognormal = repair.kind == sim::RepairKind::lognormal;
  repair.typical = duration_at(entry, lognormal ? "/repair/median" : "/repair/mean");
  if (lognormal) repair.sigma = need(entry, "/repair/sigma").real;
  model.repair = repair;
  return model;
}

FailureConfig to_failure(const Node& line) {
  FailureConfig failure;
  failure.action = word_at(line, "/action", kActions);
  failure.what = word_at(line, "/what", kTargetsOfFaults);
  failure.count = count_at(line, "/count");
  failure.repaired_after = optional_duration(line, "/repaired_after");
  failure.lasts = optional_duration(line, "/lasts").value_or(Duration{});
  if (failure.action == FaultKind::slow) failure.delay = duration_at(line, "/delay");
  if (failure.action == FaultKind::impair) failure.frames = to_frame_faults(line);
  if (line.find("to") != nullptr) failure.to = part_at(line, "/to");
  if (line.find("rail") != nullptr) failure.rail = level_at(line, "/rail");
  failure.every = optional_duration(line, "/every");
  failure.share = optional_share(line, "/share");
  failure.per_bit = optional_share(line, "/per_bit");
  if (line.find("one_way") != nullptr) failure.one_way = need(line, "/one_way").boolean;
  if (text_at(line, "/model") != "script") {
    failure.model = to_renewal(line);
    return failure;
  }
  failure.at = Time{duration_at(line, "/at").ns};
  failure.which = part_at(line, "/which");
  return failure;
}

std::optional<TraceConfig> to_trace(const Node& document) {
  if (document.find("trace") == nullptr) return std::nullopt;
  TraceConfig trace;
  trace.file = text_at(document, "/trace/file");
  trace.format = word_at(document, "/trace/format", kFormats);
  trace.system = optional_count(document, "/trace/system");
  trace.year = optional_count(document, "/trace/year");
  trace.month = optional_count(document, "/trace/month");
  return trace;
}

std::optional<PrecisionConfig> to_precision(const Node& document) {
  if (!need(document, "/replicates").is(NodeKind::object)) return std::nullopt;
  PrecisionConfig precision;
  const auto until = parse_percentage(text_at(document, "/replicates/until"));
  precision.until_ppm = static_cast<std::uint32_t>(until.value.value());
  for (const Node& column : need(document, "/replicates/of").items)
    precision.columns.push_back(column.text);
  precision.least = count_at(document, "/replicates/least");
  return precision;
}

// Sets section.key to `value` where it is missing, unless the key that it follows from is swept.
void follow(Node& document, const std::string& section, const std::string& key,
            std::string_view source, std::string value) {
  Node* where = document.find(section);
  const bool swept = is_swept(document, source) || is_swept(document, section + "." + key);
  if (where == nullptr || where->find(key) != nullptr || swept) return;
  where->member(key) = string_node(std::move(value));
}

void visit_paths(const Node& schema, Node& value, const std::string& pointer,
                 const std::function<void(Node&, const std::string&)>& change) {
  const Node* form = schema.find("x-form");
  if (form != nullptr && form->text == "path") change(value, pointer);
  const Node* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (Member& m : value.members) {
    if (const Node* property = properties->find(m.key)) {
      visit_paths(*property, m.value, pointer_to(pointer, m.key), change);
    }
  }
}

// One set of combinations.
void visit_swept_paths(Node& sweep, const std::string& sweep_pointer,
                       const std::function<void(Node&, const std::string&)>& change) {
  for (Member& entry : sweep.members) {
    const Node* schema = schema_at(split_path(entry.key));
    const std::string pointer = pointer_to(sweep_pointer, entry.key);
    for (std::size_t i = 0; i < entry.value.items.size(); ++i) {
      visit_paths(*schema, entry.value.items[i], pointer_to(pointer, std::to_string(i)), change);
    }
  }
}

}  // namespace

void complete(Node& document) {
  fill_defaults(experiment_schema_node(), document);
  const std::string fabric = text_at(document, "/fabric/kind");
  const bool others_may_write = fabric == "udp" || fabric == "tcp" || fabric == "verbs";
  follow(document, "seal", "kind", "fabric.kind", others_may_write ? "siphash128" : "none");
  follow(document, "propagation", "retransmission_timeout", "detector.period",
         text_at(document, "/detector/period"));
}

Experiment to_experiment(const Node& document) {
  Experiment experiment;
  experiment.name = text_at(document, "/name");
  experiment.seed = static_cast<std::uint64_t>(need(document, "/seed").integer);
  experiment.precision = to_precision(document);
  experiment.replicates =
      count_at(document, experiment.precision ? "/replicates/most" : "/replicates");
  experiment.duration = optional_duration(document, "/duration").value_or(Duration{});
  experiment.skip_quiet_time = need(document, "/skip_quiet_time").boolean;
  experiment.fabric = to_fabric(document);
  experiment.topology = to_topology(document);
  experiment.processes = to_processes(document);
  experiment.detector.kind = text_at(document, "/detector/kind");
  experiment.detector.period = duration_at(document, "/detector/period");
  experiment.detector.timeout = duration_at(document, "/detector/timeout");
  experiment.detector.order = text_at(document, "/detector/order");
  experiment.detector.hold = duration_at(document, "/detector/hold");
  experiment.propagation = to_propagation(document);
  experiment.seal.kind = text_at(document, "/seal/kind");
  experiment.events.replicates = count_at(document, "/events/replicates");
  experiment.events.rows = count_at(document, "/events/rows");
  for (const Node& kind : need(document, "/traffic").items) {
    experiment.traffic.push_back(to_traffic(kind));
  }
  for (const Node& line : need(document, "/failures").items) {
    experiment.failures.push_back(to_failure(line));
  }
  experiment.trace = to_trace(document);
  return experiment;
}

void for_each_path(Node& document,
                   const std::function<void(Node& path, const std::string& pointer)>& change) {
  visit_paths(experiment_schema_node(), document, "", change);
  Node* sweep = document.find("sweep");
  if (sweep == nullptr) return;
  if (sweep->is(NodeKind::object)) visit_swept_paths(*sweep, "/sweep", change);
  for (std::size_t i = 0; i < sweep->items.size(); ++i) {
    visit_swept_paths(sweep->items[i], pointer_to("/sweep", std::to_string(i)), change);
  }
}

}  // namespace holdfast::runner::config
