// Placement, domains and ring order, computed from a rank.
#include "stack/view/roster.hpp"

#include "stack/base/assert.hpp"
#include "stack/view/spread_order.hpp"

namespace holdfast {

std::optional<RingOrder> find_ring_order(std::string_view name) {
  for (const auto& [known, order] : kRingOrders) {
    if (known == name) return order;
  }
  return std::nullopt;
}

Roster::Roster(const RosterOptions& options)
    : options_(options),
      nodes_(options.nodes),
      per_node_(options.per_node),
      processes_(options.nodes * options.per_node),
      domains_(options.agents ? options.nodes : processes_),
      shuffle_(domains_, options.order_key) {
  HOLDFAST_ASSERT(options.nodes > 0 && options.per_node > 0);
  HOLDFAST_ASSERT(std::uint64_t{options.nodes} * options.per_node < (std::uint64_t{1} << 31));
  if (options.order != RingOrder::spread) return;
  HOLDFAST_ASSERT(options.leaf_of_node && options.leaf_of_node->size() >= options.nodes);
  std::vector<std::uint32_t> leaf_of_domain(domains_);
  for (std::uint32_t domain = 0; domain < domains_; ++domain) {
    leaf_of_domain[domain] = (*options.leaf_of_node)[node_of(member({domain}, 0)).value];
  }
  domain_at_ = spread_order(leaf_of_domain);
  position_of_.resize(domains_);
  for (std::uint32_t i = 0; i < domains_; ++i) position_of_[domain_at_[i]] = i;
}

ProcessId Roster::process_on(NodeId node, std::uint32_t i) const {
  return {options_.placement == ProcessPlacement::by_slot ? node.value * options_.per_node + i
                                                          : node.value + i * options_.nodes};
}

ProcessId Roster::member(DomainId domain, std::uint32_t i) const {
  return options_.agents ? process_on({domain.value}, i) : ProcessId{domain.value};
}

Position Roster::position_of(DomainId domain) const {
  if (options_.order == RingOrder::rank) return {domain.value};
  if (options_.order == RingOrder::spread) return {position_of_[domain.value]};
  return {shuffle_.forward(domain.value)};
}

DomainId Roster::domain_at(Position position) const {
  if (options_.order == RingOrder::rank) return {position.value};
  if (options_.order == RingOrder::spread) return {domain_at_[position.value]};
  return {shuffle_.inverse(position.value)};
}

}  // namespace holdfast
