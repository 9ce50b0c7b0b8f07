// Forwarding tables written out; see the header.
#include "sim/topology/forwarding_tables.hpp"

#include "stack/base/assert.hpp"

namespace holdfast::sim {

ForwardingTables::ForwardingTables(const FabricGraph& graph, std::uint32_t paths)
    : hosts_(graph.host_count()), paths_(paths) {
  HOLDFAST_ASSERT(paths >= 1);
  std::uint32_t rows = 0;
  for (const Device& device : graph.devices()) {
    row_of_device_.push_back(device.kind == DeviceKind::switch_chip ? rows++ : kNone);
  }
  ports_.assign(std::size_t{rows} * hosts_ * paths_, 0);
}

}  // namespace holdfast::sim
