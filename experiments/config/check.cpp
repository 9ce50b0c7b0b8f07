// Each check compares typed values and reports at the place where one of them was written.
#include "experiments/config/checker.hpp"

#include <algorithm>

#include "experiments/config/quantity.hpp"
#include "experiments/config/schema.hpp"
#include "experiments/config/validate.hpp"
#include "sim/topology/path_times.hpp"
#include "sim/topology/presets.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::runner::config {

namespace {

// Balanced routes need the tree written out, and tables for every host.
constexpr std::uint64_t kBalancedHostsMax = 8192;

// The product, or kPartsMax + 1 where it is above kPartsMax. Both factors are at most 2^24 + 1.
std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
  return std::min(a * b, kPartsMax + 1);
}

}  // namespace

// Reports at the value that pointers[0] names, or at the first that was set on the command line, or
// swept where none was: that is the one its author was thinking of. The other is named too, as the
// message is about it.
void Checker::report(const std::vector<std::string>& pointers, std::string message) {
  std::string where = pointers.front();
  int insistence = 0;  // of the value there, see Origin
  for (const std::string& pointer : pointers) {
    const Node* node = at_pointer(document_, pointer);
    if (node == nullptr || node->origin.insistence() <= insistence) continue;
    where = pointer;
    insistence = node->origin.insistence();
  }
  const Node* node = at_pointer(document_, where);
  HOLDFAST_ASSERT(node != nullptr);
  Problem problem{node->origin, where, std::move(message)};
  const Node* other = at_pointer(document_, pointers.front());
  if (where != pointers.front() && other != nullptr)
    problem.counterpart = {other->origin, pointers.front()};
  problems_.push_back(std::move(problem));
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

// PROTOCOL 12.4: with one rail left every so-manyth heartbeat comes.
void Checker::check_turns_of_rails() {
  const std::uint32_t rails = experiment_.fabric.rails;
  const DetectorConfig& detector = experiment_.detector;
  const Duration least = std::int64_t{2 * rails} * detector.period;
  if (rails == 1 || detector.timeout >= least) return;
  report({"/detector/timeout", "/detector/period", "/fabric/rails"},
         "found a timeout of " + format_duration(detector.timeout) + " with a period of " +
             format_duration(detector.period) + " and " + std::to_string(rails) +
             " rails; expected a timeout of at least " + std::to_string(2 * rails) + " periods, " +
             format_duration(least));
}

void Checker::check_fabric() {
  check_frame_faults();
  if (experiment_.fabric.target == Target::simulated) return;
  if (experiment_.fabric.target == Target::shm && experiment_.fabric.separate_hosts) {
    report({"/fabric/hosts", "/fabric/kind"},
           "found hosts that share memory and are apart; expected \"shared\", or \"kind\": \"udp\" "
           "or \"tcp\"");
  }
  if (experiment_.fabric.target == Target::verbs && experiment_.fabric.separate_hosts) {
    report(
        {"/fabric/hosts", "/fabric/kind"},
        "found hosts that are namespaces on a fabric of adapters, which are not in them; expected "
        "\"shared\", where hosts take turns at the adapters, or \"kind\": \"udp\" or \"tcp\"");
  }
  if (experiment_.fabric.target == Target::shm && experiment_.fabric.rails > 1) {
    report({"/fabric/rails", "/fabric/kind"},
           "found several rails of shared memory; expected 1, or \"kind\": \"udp\", \"tcp\" or "
           "\"verbs\"");
  }
  check_turns_of_rails();
  if (experiment_.fabric.fidelity == Fidelity::packet) {
    report({"/fabric/fidelity", "/fabric/kind"},
           "found packet fidelity on a real fabric; expected \"message\", only \"kind\": "
           "\"native\" simulates packets");
  }
}

// A wrong bit that no seal tells would be believed.
void Checker::check_frame_faults() {
  const FrameFaults& faults = experiment_.fabric.faults;
  if (faults.corrupt > 0.0 && experiment_.seal.kind == "none") {
    report(
        {"/fabric/corrupt", "/seal/kind", "/fabric/kind"},
        "found frames with wrong bits and nothing to tell them by; expected \"seal\": {\"kind\": "
        "\"siphash128\"}, or 0");
  }
  if (faults.reorder > 0.0 && !faults.delays()) {
    report({"/fabric/reorder", "/fabric/delay", "/fabric/jitter"},
           "found frames that overtake others where none is late; expected a \"delay\" or a "
           "\"jitter\" above 0 s, or 0");
  }
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
      check_host(experiment_.traffic[i].target, pointer + "/target", "");
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

void check_experiment(const Experiment& experiment, const Node& document, Problems& problems) {
  Checker(experiment, document, problems).check();
}

}  // namespace holdfast::runner::config
