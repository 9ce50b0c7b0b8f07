// Scenarios as text.
#include <algorithm>
#include <ostream>

#include "tests/swarm/scenario.hpp"

namespace holdfast::swarm {

std::string seconds_text(Time time) {
  return std::to_string(time.ns / 1'000'000'000) + '.' +
         std::to_string(1'000'000'000 + time.ns % 1'000'000'000).substr(1) + " s ";
}

namespace {

std::string_view order_name(RingOrder order) {
  const auto named = std::find_if(kRingOrders.begin(), kRingOrders.end(),
                                  [order](const auto& entry) { return entry.second == order; });
  return named->first;
}

const char* routing_name(Routing routing) {
  static constexpr const char* kNames[] = {"computed", "balanced", "imported", "updn"};
  return kNames[static_cast<std::size_t>(routing)];
}

void describe(const FrameFaults& faults, std::ostream& out) {
  out << "  frames: " << faults.duplicate << " come twice, " << faults.corrupt << " corrupt, "
      << faults.truncate << " truncated";
  if (faults.delays()) {
    out << ", delayed by " << faults.delay.ns / 1000 << " us and up to " << faults.jitter.ns / 1000
        << " us more, except " << faults.reorder << " of them";
  }
  out << '\n';
}

void describe(const sim::TrafficOptions& traffic, std::ostream& out) {
  static constexpr const char* kPatterns[] = {"uniform", "permutation", "all to all", "incast"};
  out << "  " << kPatterns[static_cast<std::size_t>(traffic.pattern)] << " traffic, load "
      << traffic.load << ", " << traffic.bytes << " bytes, service level "
      << int{traffic.service_level};
  if (traffic.pattern == sim::TrafficPattern::permutation) out << ", shift " << traffic.shift;
  if (traffic.pattern == sim::TrafficPattern::incast) {
    out << ", " << traffic.senders << " senders to " << traffic.target.value;
  }
  out << ", from " << seconds_text(traffic.from);
  if (traffic.until != Time::never()) out << "until " << seconds_text(traffic.until);
  out << '\n';
}

void describe(const sim::LinkSpec& link, const sim::PacketCarrierOptions& packets,
              std::ostream& out) {
  const sim::PacketWireOptions& wire = packets.wire;
  out << "  packets: "
      << (wire.switching == sim::Switching::cut_through ? "cut through" : "store and forward")
      << (wire.flow_control == sim::FlowControl::credits ? ", credits" : ", drop tail")
      << (wire.collapse ? ", collapse" : "") << ", links " << link.bits_per_second / 1'000'000
      << " Mb/s " << link.latency.ns << " ns, switches " << wire.switch_latency.ns
      << " ns, buffers " << wire.buffer_bytes << " bytes, lifetime " << wire.head_lifetime.ns / 1000
      << " us, " << wire.lanes.size() << " lanes, service level " << int{packets.service_level}
      << '\n';
  for (const sim::TrafficOptions& traffic : packets.traffic) describe(traffic, out);
}

}  // namespace

void describe(const Scenario& scenario, std::ostream& out) {
  const RosterOptions& roster = scenario.roster;
  const EngineOptions& engine = scenario.simulation.engine;
  const MembershipOptions& membership = engine.membership;
  out << roster.nodes << " nodes x " << roster.per_node
      << (roster.agents ? ", agents" : ", no agents")
      << (roster.placement == ProcessPlacement::by_slot ? ", by slot" : ", by node") << ", "
      << order_name(roster.order) << " order, " << membership.propagation << ", period "
      << membership.detection.period.ns / 1000 << " us, timeout "
      << membership.detection.timeout.ns / 1000 << " us, hold "
      << membership.detection.hold.ns / 1000 << " us, retransmission "
      << membership.retransmission_timeout.ns / 1000 << " us, seal " << engine.seal << ", loss "
      << scenario.simulation.impaired.loss << (scenario.accurate ? ", accurate" : "") << ", "
      << scenario.leaves << " leaves in " << scenario.pods << " pods, " << scenario.spines
      << " spines, " << scenario.tops << " tops, " << scenario.parallel << " links, "
      << routing_name(scenario.routing) << " routing, calm at " << seconds_text(scenario.calm)
      << '\n';
  if (scenario.simulation.impaired.any()) describe(scenario.simulation.impaired, out);
  if (scenario.packets) describe(scenario.link, *scenario.packets, out);
  static constexpr const char* kActions[] = {"crash",  "repair", "pause",
                                             "resume", "slow",   "normal"};
  static constexpr const char* kTargets[] = {" process ",    " node ",   " link ", " device ",
                                             " impairment ", " frames ", " rail "};
  for (const sim::FaultEvent& fault : scenario.faults.events) {
    out << "  " << seconds_text(fault.at) << kActions[static_cast<std::size_t>(fault.action)]
        << kTargets[static_cast<std::size_t>(fault.target)] << fault.index;
    if (fault.action == sim::FaultAction::slow) out << " by " << fault.delay.ns / 1000 << " us";
    out << '\n';
  }
}

}  // namespace holdfast::swarm
