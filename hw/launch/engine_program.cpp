// The configuration of a real process as JSON text, and the engine that is built from it.
#include "hw/launch/engine_program.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "stack/base/random.hpp"

namespace holdfast::hw {

namespace {

using nlohmann::json;

// Purpose of a random stream; see Random.
constexpr std::uint64_t kPhaseStream = 0x7068617365;

// Frames that may wait in the process between two turns: more than a failure of many causes at
// once.
constexpr std::uint32_t kReceiveSlots = 256;

std::string_view name_of(RingOrder wanted) {
  for (const auto& [name, order] : kRingOrders) {
    if (order == wanted) return name;
  }
  return {};
}

}  // namespace

std::string text_of(const NodeConfiguration& configuration) {
  const RosterOptions& roster = configuration.roster;
  const MembershipOptions& membership = configuration.membership;
  json document;
  document["nodes"] = roster.nodes;
  document["per_node"] = roster.per_node;
  document["agents"] = roster.agents;
  document["order_key"] = roster.order_key;
  document["by_node"] = roster.placement == ProcessPlacement::by_node;
  document["order"] = name_of(roster.order);
  if (roster.leaf_of_node) document["leaf_of_node"] = *roster.leaf_of_node;
  document["period_ns"] = membership.detection.period.ns;
  document["timeout_ns"] = membership.detection.timeout.ns;
  document["hold_ns"] = membership.detection.hold.ns;
  document["retransmission_timeout_ns"] = membership.retransmission_timeout.ns;
  document["backstop"] = membership.backstop;
  document["probes"] = membership.detection.probes;
  document["detector"] = configuration.detector;
  document["propagation"] = configuration.propagation;
  document["seal"] = configuration.seal;
  return document.dump();
}

Status parse(std::string_view text, NodeConfiguration& configuration) {
  try {
    const json document = json::parse(text);
    RosterOptions& roster = configuration.roster;
    document.at("nodes").get_to(roster.nodes);
    document.at("per_node").get_to(roster.per_node);
    document.at("agents").get_to(roster.agents);
    document.at("order_key").get_to(roster.order_key);
    if (document.at("by_node").get<bool>()) roster.placement = ProcessPlacement::by_node;
    const auto order = find_ring_order(document.at("order").get_ref<const std::string&>());
    if (!order) return Status::error("the configuration of a process has an unknown ring order");
    roster.order = *order;
    if (roster.order == RingOrder::spread) {
      roster.leaf_of_node = std::make_shared<const std::vector<std::uint32_t>>(
          document.at("leaf_of_node").get<std::vector<std::uint32_t>>());
    }
    MembershipOptions& membership = configuration.membership;
    document.at("period_ns").get_to(membership.detection.period.ns);
    document.at("timeout_ns").get_to(membership.detection.timeout.ns);
    document.at("hold_ns").get_to(membership.detection.hold.ns);
    document.at("retransmission_timeout_ns").get_to(membership.retransmission_timeout.ns);
    document.at("backstop").get_to(membership.backstop);
    document.at("probes").get_to(membership.detection.probes);
    document.at("detector").get_to(configuration.detector);
    document.at("propagation").get_to(configuration.propagation);
    document.at("seal").get_to(configuration.seal);
  } catch (const json::exception& error) {
    return Status::error(std::string("the configuration of a process cannot be read: ") +
                         error.what());
  }
  return Status::ok();
}

EngineProgram::EngineProgram(NodeConfiguration configuration, const NodeStart& start)
    : configuration_(std::move(configuration)),
      roster_(configuration_.roster),
      workspace_(start.addresses),
      engine_(options(start), roster_, start.rails, workspace_) {}

EngineOptions EngineProgram::options(const NodeStart& start) const {
  EngineOptions options;
  options.membership = configuration_.membership;
  MembershipOptions& membership = options.membership;
  membership.self = start.self;
  membership.incarnation = start.incarnation();
  membership.rejoining = start.rejoining();
  Random phases(start.seed, kPhaseStream, start.self.value);
  membership.phase = nanoseconds(static_cast<std::int64_t>(
      phases.below(static_cast<std::uint64_t>(membership.detection.period.ns))));
  membership.detector = configuration_.detector;
  membership.propagation = configuration_.propagation;
  options.seal = configuration_.seal;
  options.job = start.job;
  options.key = start.key;
  options.receive_slots = kReceiveSlots;
  return options;
}

Status read_configuration(const NodeStart& start, NodeConfiguration& configuration) {
  if (Status status = parse(start.configuration, configuration); !status.is_ok()) return status;
  const RosterOptions& roster = configuration.roster;
  if (roster.nodes == 0 || roster.per_node == 0 ||
      std::uint64_t{roster.nodes} * roster.per_node != start.processes ||
      (roster.leaf_of_node && roster.leaf_of_node->size() < roster.nodes)) {
    return Status::error("the configuration of a process does not fit the size of its job");
  }
  return Status::ok();
}

}  // namespace holdfast::hw
