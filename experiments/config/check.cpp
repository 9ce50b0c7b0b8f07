// Each check compares typed values and reports at the place where one of them was written.
#include "experiments/config/check.hpp"

#include <algorithm>
#include <charconv>

#include "experiments/config/quantity.hpp"
#include "experiments/config/schema.hpp"
#include "experiments/config/validate.hpp"
#include "sim/topology/path_times.hpp"
#include "sim/topology/presets.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::runner::config {

namespace {

// Hosts, switches of a level, links of a level, processes: each at most 2^24, sixteen times what
// the project is made for, so that a slip of the pen does not fill the memory.
constexpr std::uint64_t kPartsMax = std::uint64_t{1} << 24;

// Balanced routes need the tree written out, and tables for every host.
constexpr std::uint64_t kBalancedHostsMax = 8192;

class Checker {
 public:
  Checker(const Experiment& experiment, const Node& document, Problems& problems)
      : experiment_(experiment), document_(document), problems_(problems) {}

  void check() {
    check_replicates();
    check_duration();
    check_detector();
    check_fabric();
    check_topology();
    check_traffic();
    check_failures();
  }

 private:
  void check_replicates();
  void check_duration();
  void check_detector();
  void check_fabric();
  void check_topology();
  void check_routing();
  bool check_tree();
  bool check_tree_size();
  bool check_tables_size(bool listed);
  void check_processes();
  void check_traffic();
  void check_failures();
  std::uint64_t parts(FaultTarget what) const;
  void check_drawn(const FailureConfig& failure, const std::string& pointer);
  void check_process(const FailureConfig& failure, const std::string& pointer);
  void check_host(const std::string& which, const std::string& pointer);
  bool check_kind(const FailureConfig& failure, const std::string& pointer);
  void check_model(const FailureConfig& failure, const std::string& pointer);
  void need(const std::string& pointer, std::string_view key);

  // Reports at the value that pointers[0] names, or at the first of the others that was swept or
  // set on the command line: that is the one its author was thinking of.
  void report(const std::vector<std::string>& pointers, std::string message) {
    std::string where = pointers.front();
    for (const std::string& pointer : pointers) {
      const Node* node = at_pointer(document_, pointer);
      if (node == nullptr || (!node->origin.swept && node->origin.override_index < 0)) continue;
      where = pointer;
      break;
    }
    const Node* node = at_pointer(document_, where);
    HOLDFAST_ASSERT(node != nullptr);
    problems_.push_back({node->origin, where, std::move(message)});
  }

  const Experiment& experiment_;
  const Node& document_;
  Problems& problems_;
  std::uint64_t hosts_ = 0;  // 0: not known before the topology's file is read
};

// The product, or kPartsMax + 1 where it is above kPartsMax. Both factors are at most 2^24 + 1.
std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
  return std::min(a * b, kPartsMax + 1);
}

void Checker::check_replicates() {
  const auto& precision = experiment_.precision;
  if (!precision || precision->least <= experiment_.replicates) return;
  report({"/replicates/most", "/replicates/least"},
         "found at most " + std::to_string(experiment_.replicates) +
             " replicates; expected no fewer than \"least\", which is " +
             std::to_string(precision->least));
}

void Checker::check_duration() {
  if (document_.find("duration") != nullptr || experiment_.trace) return;
  Problem problem = missing_key(experiment_schema_node(), "duration", document_.origin, "");
  problem.message += "; only a trace may do without";
  problems_.push_back(std::move(problem));
}

void Checker::check_detector() {
  const DetectorConfig& detector = experiment_.detector;
  const Duration least = 2 * detector.period;
  constexpr std::int64_t kPeriodsMax = UINT32_MAX;  // a detector counts them in 32 bits
  if (detector.timeout / detector.period > kPeriodsMax) {
    report({"/detector/timeout", "/detector/period"},
           "found a timeout of " + format_duration(detector.timeout) + " with a period of " +
               format_duration(detector.period) + "; expected at most " +
               std::to_string(kPeriodsMax) + " periods in a timeout");
  }
  if (detector.timeout >= least) return;
  report({"/detector/timeout", "/detector/period"},
         "found a timeout of " + format_duration(detector.timeout) + " with a period of " +
             format_duration(detector.period) + "; expected a timeout of at least two periods, " +
             format_duration(least));
}

void Checker::check_fabric() {
  if (experiment_.fabric.target == Target::simulated) return;
  if (experiment_.fabric.fidelity == Fidelity::packet) {
    report({"/fabric/fidelity", "/fabric/kind"},
           "found packet fidelity on a real fabric; expected \"message\", only \"kind\": "
           "\"native\" simulates packets");
  }
  if (experiment_.fabric.loss == 0.0) return;
  report(
      {"/fabric/loss", "/fabric/kind"},
      "found a loss on a real fabric; expected 0, only \"kind\": \"native\" loses frames at will");
}

void Checker::check_topology() {
  check_routing();
  switch (experiment_.topology.kind) {
    case TopologyKind::ibnetdiscover:
      return;
    case TopologyKind::composed:
      hosts_ = sim::kIbnftOversubscribedHosts;
      break;
    case TopologyKind::fat_tree:
      if (!check_tree()) return;
  }
  check_processes();
}

void Checker::check_routing() {
  const std::optional<RoutingKind> routing = experiment_.fabric.routing.kind;
  const TopologyKind topology = experiment_.topology.kind;
  const std::vector<std::string> pointers = {"/fabric/routing/kind", "/topology/kind",
                                             "/topology/name"};
  if (routing == RoutingKind::dmodk && topology != TopologyKind::fat_tree) {
    report(pointers,
           "found \"dmodk\" on a fabric that is no generated tree; expected \"balanced\"" +
               std::string(topology == TopologyKind::composed ? " or \"updn\""
                                                              : ", \"updn\" or \"tables\""));
  }
  if (routing == RoutingKind::tables && topology != TopologyKind::ibnetdiscover) {
    report(pointers,
           "found \"tables\" on a generated fabric, whose switches no file names; expected "
           "\"balanced\"" +
               std::string(topology == TopologyKind::composed ? " or \"updn\""
                                                              : ", \"updn\" or \"dmodk\""));
  }
}

// How many hosts there are is known here only of generated trees; Inputs looks again.
void Checker::check_traffic() {
  if (experiment_.traffic.empty()) return;
  if (experiment_.fabric.fidelity == Fidelity::message) {
    report({"/traffic", "/fabric/fidelity"},
           "found traffic at message fidelity, where no frame gets into another's way; expected "
           "\"fidelity\": \"packet\", or no \"traffic\"");
    return;
  }
  constexpr std::uint32_t kBlock = sim::kBlockBytes;
  const std::uint32_t room = experiment_.fabric.packet.buffer_bytes / kBlock * kBlock;
  for (std::size_t i = 0; i < experiment_.traffic.size(); ++i) {
    const std::string pointer = "/traffic/" + std::to_string(i);
    const sim::TrafficOptions& kind = experiment_.traffic[i].options;
    if (kind.bytes + sim::kPacketOverheadBytes > room) {
      report({pointer + "/bytes", "/fabric/packet/buffer"},
             "found packets of " + std::to_string(kind.bytes) + " bytes; expected at most " +
                 std::to_string(room - sim::kPacketOverheadBytes) +
                 ", which fit into the buffer with their headers");
    }
    if (kind.pattern == sim::TrafficPattern::incast)
      check_host(experiment_.traffic[i].target, pointer + "/target");
    if (hosts_ == 0) continue;
    const Status status = sim::Traffic::check(kind, static_cast<std::uint32_t>(hosts_));
    if (!status.is_ok()) report({pointer, "/topology/down"}, status.message());
  }
}

bool Checker::check_tree() {
  const TopologyConfig& tree = experiment_.topology;
  const std::size_t levels = tree.down.size();
  if (tree.up.size() != levels || tree.parallel.size() != levels) {
    report({"/topology/up", "/topology/parallel", "/topology/down"},
           "found " + std::to_string(levels) + " levels in \"down\", " +
               std::to_string(tree.up.size()) + " in \"up\" and " +
               std::to_string(tree.parallel.size()) + " in \"parallel\"; expected as many in each");
    return false;
  }
  return check_tree_size();
}

// Level i (from 1) of a PGFT has up_1 … up_i · down_(i+1) … down_h switches, and each of them
// down_i · parallel_i links to below; down_1 … down_h hosts lie under level 1.
bool Checker::check_tree_size() {
  const TopologyConfig& tree = experiment_.topology;
  const std::size_t levels = tree.down.size();
  hosts_ = 1;
  for (const std::uint32_t down : tree.down) hosts_ = bounded_product(hosts_, down);
  std::uint64_t most = hosts_;
  for (std::size_t level = 0; level < levels; ++level) {
    std::uint64_t switches = 1;
    for (std::size_t i = 0; i < levels; ++i) {
      if (i != level) switches = bounded_product(switches, i < level ? tree.up[i] : tree.down[i]);
    }
    switches = bounded_product(switches, tree.up[level]);
    const std::uint64_t links =
        bounded_product(bounded_product(switches, tree.down[level]), tree.parallel[level]);
    most = std::max({most, switches, links});
  }
  const bool listed = at_pointer(document_, "/topology/down") != nullptr;
  if (most <= kPartsMax) return check_tables_size(listed);
  report(listed ? std::vector<std::string>{"/topology/down", "/topology/up", "/topology/parallel"}
                : std::vector<std::string>{"/topology/k", "/topology/n"},
         "found a tree of more than " + std::to_string(kPartsMax) +
             " hosts, or switches or links on one level; expected fewer");
  return false;
}

bool Checker::check_tables_size(bool listed) {
  const std::optional<RoutingKind> kind = experiment_.fabric.routing.kind;
  const bool tables = kind == RoutingKind::balanced || kind == RoutingKind::updn;
  if (!tables || hosts_ <= kBalancedHostsMax) return true;
  report({"/fabric/routing/kind", listed ? "/topology/down" : "/topology/kind"},
         "found \"" + std::string(kind == RoutingKind::updn ? "updn" : "balanced") +
             "\" on a generated tree of " + std::to_string(hosts_) + " hosts; expected at most " +
             std::to_string(kBalancedHostsMax) + ", or \"dmodk\"");
  return false;
}

void Checker::check_processes() {
  const std::uint64_t nodes =
      experiment_.processes.nodes.value_or(static_cast<std::uint32_t>(hosts_));
  if (nodes > hosts_) {
    report({"/processes/nodes", "/topology/down"},
           "found " + std::to_string(nodes) + " nodes on a tree of " + std::to_string(hosts_) +
               " hosts; expected at most " + std::to_string(hosts_));
    return;
  }
  if (bounded_product(nodes, experiment_.processes.per_node) <= kPartsMax) return;
  report({"/processes/per_node", "/topology/down"},
         "found " + std::to_string(nodes) + " nodes of " +
             std::to_string(experiment_.processes.per_node) + " processes; expected at most " +
             std::to_string(kPartsMax) + " processes");
}

std::optional<std::uint64_t> as_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void Checker::check_failures() {
  for (std::size_t i = 0; i < experiment_.failures.size(); ++i) {
    const FailureConfig& failure = experiment_.failures[i];
    const std::string pointer = "/failures/" + std::to_string(i);
    if (!check_kind(failure, pointer)) continue;
    if (failure.model) {
      check_model(failure, pointer);
      continue;
    }
    const bool lasts = failure.action != FaultKind::crash && failure.action != FaultKind::repair;
    if (lasts && failure.lasts == Duration{0}) need(pointer, "lasts");
    const Duration end = experiment_.duration;
    if (end.ns > 0 && failure.at >= Time{} + end) {
      report({pointer + "/at", "/duration"},
             "found a failure at " + format_duration(failure.at - Time{}) +
                 "; expected one before the end at " + format_duration(end));
    }
    if (failure.which == kDrawnParts) {
      check_drawn(failure, pointer);
    } else if (failure.what == FaultTarget::process) {
      check_process(failure, pointer);
    } else if (failure.what == FaultTarget::node) {
      check_host(failure.which, pointer + "/which");
    }
  }
}

// Not everything happens to every part, or everywhere.
bool Checker::check_kind(const FailureConfig& failure, const std::string& pointer) {
  const bool of_job = failure.what == FaultTarget::process || failure.what == FaultTarget::node;
  const std::vector<std::string> action = {pointer + "/action", pointer + "/what"};
  const std::size_t before = problems_.size();
  if (!of_job && (failure.action == FaultKind::pause || failure.action == FaultKind::slow)) {
    report(action,
           "found a part of the fabric that stands still or is slow; expected \"what\": "
           "\"process\" or \"node\"");
  } else if ((of_job || failure.what == FaultTarget::leaf) && failure.action == FaultKind::impair) {
    report(action,
           "found an impairment of a part that has no links of its own; expected \"what\": "
           "\"link\", \"adapter\", \"switch\", \"spine\", \"board\" or \"chassis\"");
  } else if (failure.action == FaultKind::impair && failure.share + failure.per_bit == 0.0) {
    report(action, "found an impairment of nothing; expected \"share\" or \"per_bit\" above 0");
  }
  const bool simulated = experiment_.fabric.target == Target::simulated;
  if (!simulated && (!of_job || failure.action == FaultKind::slow)) {
    report({pointer + "/what", "/fabric/kind"},
           "found a fault of the fabric, or a slow one, on a real fabric; expected \"kind\": "
           "\"native\"");
  }
  if (of_job || failure.model) return problems_.size() == before;
  if (failure.which == kDrawnParts || failure.count > 1) {
    report({pointer + "/which", pointer + "/count"},
           "found random or several parts of the fabric; expected the name of one");
  }
  return problems_.size() == before;
}

// "repair" is an end by itself: a script's action that a model does not have. All others end by
// the model's repair.
void Checker::check_model(const FailureConfig& failure, const std::string& pointer) {
  if (failure.action == FaultKind::repair) {
    report({pointer + "/action", pointer + "/model"},
           "found an action that no model draws; expected \"crash\", \"pause\", \"slow\" or "
           "\"impair\", and \"repair\" with the time that a repair takes");
    return;
  }
  const bool has_repair = failure.model->repair.has_value();
  if (failure.repaired_after && !failure.every) {
    report({pointer + "/repaired_after"},
           "found a model that is \"repaired_after\"; expected \"repair\", or \"every\" beside it: "
           "a flap");
  }
  if (failure.every && !has_repair) need(pointer, "repair");
  if (failure.action == FaultKind::crash) return;
  if (failure.lasts == Duration{0} && !has_repair) need(pointer, "lasts");
  if (failure.lasts == Duration{0} || !has_repair) return;
  report({pointer + "/lasts", pointer + "/repair"},
         "found both \"lasts\" and \"repair\"; expected one of them");
}

// The key is missing in a failure.
void Checker::need(const std::string& pointer, std::string_view key) {
  const Node* item = experiment_schema_node().find("properties")->find("failures")->find("items");
  problems_.push_back(missing_key(*item, key, at_pointer(document_, pointer)->origin, pointer));
}

// How many parts of the kind there are; kPartsMax before the topology's file is read.
std::uint64_t Checker::parts(FaultTarget what) const {
  const std::uint64_t nodes =
      experiment_.processes.nodes.value_or(static_cast<std::uint32_t>(hosts_));
  const std::uint64_t each = what == FaultTarget::process ? experiment_.processes.per_node : 1;
  return nodes > 0 ? nodes * each : kPartsMax;
}

void Checker::check_drawn(const FailureConfig& failure, const std::string& pointer) {
  if (failure.action == FaultKind::repair) {
    report({pointer + "/which", pointer + "/action"},
           "found a repair of random parts; expected the parts that are down, or "
           "\"repaired_after\" where they crash");
  }
  const std::uint64_t limit = parts(failure.what);
  if (failure.count <= limit) return;
  report({pointer + "/count", "/processes/per_node", "/processes/nodes", "/topology/down"},
         "found a count of " + std::to_string(failure.count) + "; expected at most " +
             std::to_string(limit) + ", as many as there are");
}

void Checker::check_process(const FailureConfig& failure, const std::string& pointer) {
  const auto rank = as_number(failure.which);
  const std::uint64_t limit = parts(FaultTarget::process);
  if (!rank || *rank >= limit) {
    report({pointer + "/which", "/processes/per_node", "/processes/nodes", "/topology/down"},
           "found the process " + failure.which + "; expected a rank from 0 to " +
               std::to_string(limit - 1));
  } else if (failure.count > limit - *rank) {
    report({pointer + "/count", pointer + "/which"},
           "found a count of " + std::to_string(failure.count) + " from the process " +
               failure.which + " on; expected at most " + std::to_string(limit - *rank));
  }
}

// A host is named by its index, its GUID or its name; the names are known only with the topology.
void Checker::check_host(const std::string& which, const std::string& pointer) {
  const bool digits = which.find_first_not_of("0123456789") == std::string::npos;
  if (digits) {
    const auto index = as_number(which);
    const std::uint64_t limit = hosts_ > 0 ? hosts_ : kPartsMax;
    if (index && *index < limit) return;
    report(
        {pointer, "/topology/down"},
        "found the node " + which + "; expected an index from 0 to " + std::to_string(limit - 1));
  } else if (which.starts_with("0x")) {
    const std::string_view hex = std::string_view(which).substr(2);
    const bool guid = !hex.empty() && hex.size() <= 16 &&
                      hex.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    if (guid) return;
    report({pointer},
           "found the node " + which + "; expected a GUID: 0x and up to 16 digits in base 16");
  }
}

}  // namespace

void check_experiment(const Experiment& experiment, const Node& document, Problems& problems) {
  Checker(experiment, document, problems).check();
}

}  // namespace holdfast::runner::config
