// Which adapters are one host: the evidence and its order are in ibnetdiscover.hpp. Private to this
// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {

struct AdapterEvidence {
  std::uint64_t guid = 0;
  std::uint64_t system_guid = 0;  // 0: unknown
  std::string map_name;           // empty: not in the node-name map
  std::string description;
};

struct HostGroup {
  std::string name;                   // unique among the groups
  std::vector<std::size_t> adapters;  // indices into the argument, ascending
};

// "node7" of "node7 HCA-1", "node7 mlx5_1", "node7 hfi1_0"; empty if the text does not end in an
// adapter's name.
std::string_view host_part(std::string_view text);

// Groups ascend by first adapter. `warnings` tells of evidence that was set aside.
std::vector<HostGroup> group_hosts(const std::vector<AdapterEvidence>& adapters,
                                   std::vector<std::string>& warnings);

}  // namespace holdfast::sim
