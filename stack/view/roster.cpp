// Placement, domains and ring order, computed from a rank.
#include "stack/view/roster.hpp"

#include "stack/base/assert.hpp"

namespace holdfast {

Roster::Roster(const RosterOptions& options)
    : options_(options),
      processes_(options.nodes * options.per_node),
      domains_(options.agents ? options.nodes : processes_),
      shuffle_(domains_, options.order_key) {
  HOLDFAST_ASSERT(options.nodes > 0 && options.per_node > 0);
  HOLDFAST_ASSERT(std::uint64_t{options.nodes} * options.per_node < (std::uint64_t{1} << 31));
}

NodeId Roster::node_of(ProcessId process) const {
  return {options_.placement == ProcessPlacement::by_slot ? process.value / options_.per_node
                                                          : process.value % options_.nodes};
}

ProcessId Roster::process_on(NodeId node, std::uint32_t i) const {
  return {options_.placement == ProcessPlacement::by_slot ? node.value * options_.per_node + i
                                                          : node.value + i * options_.nodes};
}

DomainId Roster::domain_of(ProcessId process) const {
  return {options_.agents ? node_of(process).value : process.value};
}

ProcessId Roster::member(DomainId domain, std::uint32_t i) const {
  return options_.agents ? process_on({domain.value}, i) : ProcessId{domain.value};
}

Position Roster::position_of(DomainId domain) const {
  return {options_.order == RingOrder::rank ? domain.value : shuffle_.forward(domain.value)};
}

DomainId Roster::domain_at(Position position) const {
  return {options_.order == RingOrder::rank ? position.value : shuffle_.inverse(position.value)};
}

}  // namespace holdfast
