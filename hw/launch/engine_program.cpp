// The configuration of a real process as JSON text, and the engine that is built from it.
#include "hw/launch/engine_program.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "stack/base/excerpt.hpp"
#include "stack/base/random.hpp"
#include "stack/detect/detector.hpp"
#include "stack/propagate/propagation.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::hw {

namespace {

using nlohmann::json;

// Purpose of a random stream; see Random.
constexpr std::uint64_t kPhaseStream = 0x7068617365;

// Frames that may wait in the process between two turns: more than a failure of many causes at
// once.
constexpr std::uint32_t kReceiveSlots = 256;

// Sums of a few of these and an instant are instants; configs/schema has less.
constexpr Duration kSpanMax = seconds(100'000'000);

// A whole number that `to` can hold; what the library itself would take is cut to fit.
template <class Integer>
void read_number(const json& value, Integer& to) {
  const bool fits =
      value.is_number_unsigned()
          ? std::in_range<Integer>(value.get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>());
  if (!fits) throw json::other_error::create(501, "expected a whole number in range", &value);
  to = value.get<Integer>();
}

std::string_view name_of(RingOrder wanted) {
  for (const auto& [name, order] : kRingOrders) {
    if (order == wanted) return name;
  }
  return {};
}

// What engines take for granted.
Status check(const NodeConfiguration& configuration) {
  const MembershipOptions& membership = configuration.membership;
  const DetectorOptions& detection = membership.detection;
  const auto known = detectors();
  const bool is_detector = std::any_of(known.begin(), known.end(), [&](const DetectorEntry& entry) {
    return entry.name == configuration.detector;
  });
  if (!is_detector || find_propagation(configuration.propagation) == nullptr ||
      find_seal(configuration.seal) == nullptr) {
    return Status::error(
        "the configuration of a process names a detector, propagation or seal that this build does "
        "not have");
  }
  const bool possible = detection.period > Duration{0} && detection.timeout <= kSpanMax &&
                        detection.period <= detection.timeout / 2 &&
                        detection.timeout / detection.period <= UINT32_MAX &&
                        detection.hold >= Duration{0} && detection.hold <= kSpanMax &&
                        membership.retransmission_timeout > Duration{0} &&
                        membership.retransmission_timeout <= kSpanMax;
  if (possible) return Status::ok();
  return Status::error(
      "the configuration of a process has a period, timeout or hold that no detector has");
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
  document["polls"] = configuration.polls;
  return document.dump();
}

Status parse(std::string_view text, NodeConfiguration& configuration) {
  try {
    const json document = json::parse(text);
    RosterOptions& roster = configuration.roster;
    read_number(document.at("nodes"), roster.nodes);
    read_number(document.at("per_node"), roster.per_node);
    document.at("agents").get_to(roster.agents);
    read_number(document.at("order_key"), roster.order_key);
    if (document.at("by_node").get<bool>()) roster.placement = ProcessPlacement::by_node;
    const auto order = find_ring_order(document.at("order").get_ref<const std::string&>());
    if (!order) return Status::error("the configuration of a process has an unknown ring order");
    roster.order = *order;
    if (roster.order == RingOrder::spread) {
      std::vector<std::uint32_t> leaves;
      for (const json& leaf : document.at("leaf_of_node")) {
        read_number(leaf, leaves.emplace_back());
      }
      roster.leaf_of_node = std::make_shared<const std::vector<std::uint32_t>>(std::move(leaves));
    }
    MembershipOptions& membership = configuration.membership;
    read_number(document.at("period_ns"), membership.detection.period.ns);
    read_number(document.at("timeout_ns"), membership.detection.timeout.ns);
    read_number(document.at("hold_ns"), membership.detection.hold.ns);
    read_number(document.at("retransmission_timeout_ns"), membership.retransmission_timeout.ns);
    document.at("backstop").get_to(membership.backstop);
    document.at("probes").get_to(membership.detection.probes);
    document.at("detector").get_to(configuration.detector);
    document.at("propagation").get_to(configuration.propagation);
    document.at("seal").get_to(configuration.seal);
    document.at("polls").get_to(configuration.polls);
  } catch (const json::exception& error) {
    return Status::error(std::string("the configuration of a process cannot be read: ") +
                         printable(error.what()));
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
  return check(configuration);
}

}  // namespace holdfast::hw
