// Who is in the job, where, and in which ring order: what never changes while it runs. One
// immutable object that all processes of a simulation share; everything in it is computed, nothing
// is listed, so it takes the same few bytes for eight processes and for a million. Only the order
// `spread` is listed, once for all.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "stack/base/divisor.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/permutation.hpp"

namespace holdfast {

enum class ProcessPlacement : std::uint8_t {
  by_slot,  // process r on node r / per_node
  by_node,  // process r on node r mod nodes
};

enum class RingOrder : std::uint8_t {
  rank,      // domain d at position d
  shuffled,  // a permutation drawn from the key: neighbours in the ring are strangers in the
             // machine
  spread,    // neighbours hang on different leaf switches, where that is possible
};

// The orders by name.
constexpr std::array<std::pair<std::string_view, RingOrder>, 3> kRingOrders{
    {{"rank", RingOrder::rank}, {"shuffled", RingOrder::shuffled}, {"spread", RingOrder::spread}}};

// None if there is none of that name.
std::optional<RingOrder> find_ring_order(std::string_view name);

struct RosterOptions {
  std::uint32_t nodes = 1;     // >= 1
  std::uint32_t per_node = 1;  // >= 1; nodes * per_node < 2^31
  ProcessPlacement placement = ProcessPlacement::by_slot;
  bool agents = true;  // domains are nodes; false: every process is a domain of its own
  RingOrder order = RingOrder::rank;
  std::uint64_t order_key = 0;  // which shuffle
  // By node, at least `nodes` of them: the number of the leaf switch that it hangs on. The order
  // `spread` needs it, nobody else does.
  std::shared_ptr<const std::vector<std::uint32_t>> leaf_of_node = nullptr;
};

class Roster {
 public:
  explicit Roster(const RosterOptions& options);

  std::uint32_t processes() const { return processes_; }
  std::uint32_t nodes() const { return options_.nodes; }
  std::uint32_t per_node() const { return options_.per_node; }
  NodeId node_of(ProcessId process) const {
    return {options_.placement == ProcessPlacement::by_slot ? per_node_.quotient(process.value)
                                                            : nodes_.remainder(process.value)};
  }
  // The i-th process of a node by rank, i < per_node().
  ProcessId process_on(NodeId node, std::uint32_t i) const;

  std::uint32_t domains() const { return domains_; }
  std::uint32_t domain_size() const { return options_.agents ? options_.per_node : 1; }
  DomainId domain_of(ProcessId process) const {
    return {options_.agents ? node_of(process).value : process.value};
  }
  // The i-th process of a domain by rank, i < domain_size().
  ProcessId member(DomainId domain, std::uint32_t i) const;

  Position position_of(DomainId domain) const;
  DomainId domain_at(Position position) const;

  const RosterOptions& options() const { return options_; }

 private:
  RosterOptions options_;
  Divisor nodes_;
  Divisor per_node_;
  std::uint32_t processes_;
  std::uint32_t domains_;
  Permutation shuffle_;
  std::vector<std::uint32_t> domain_at_;    // by position, of `spread` only
  std::vector<std::uint32_t> position_of_;  // by domain, likewise
};

}  // namespace holdfast
