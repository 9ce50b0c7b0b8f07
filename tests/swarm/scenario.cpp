// The fabric of a scenario.
#include "tests/swarm/scenario.hpp"

#include <utility>

#include "sim/topology/updn_tables.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::swarm {

void Scenario::add(Time at, sim::FaultAction action, sim::FaultTarget target, std::uint32_t index) {
  faults.events.push_back({at, action, target, index, faults.events.size()});
}

sim::Pgft Scenario::tree() const {
  const std::uint32_t leaf = roster.nodes / leaves + spare;
  sim::PgftSpec spec{{leaf}, {1}, {1}};
  if (leaves > 1) spec = {{leaf, leaves / pods}, {1, spines}, {1, parallel}};
  if (pods > 1) {
    spec.down.push_back(pods);
    spec.up.push_back(tops);
    spec.parallel.push_back(parallel);
  }
  sim::Pgft made;
  const Status built = sim::Pgft::create(spec, made);
  HOLDFAST_ASSERT(built.is_ok());
  return made;
}

sim::Topology Scenario::topology() const {
  const sim::Pgft shape = tree();
  if (routing == Routing::computed) return sim::Topology::generated(shape, link, addresses);
  sim::FabricGraph graph = sim::build_pgft(shape, link);
  if (routing == Routing::balanced) return sim::Topology::written(std::move(graph), addresses);
  if (routing == Routing::updn) {
    sim::ForwardingTables tables = sim::updn_tables(graph, addresses);
    return sim::Topology::imported({std::move(graph), {}}, std::move(tables));
  }
  // As a subnet manager would have written them.
  const sim::DmodkForwarding written(shape, addresses);
  sim::ForwardingTables tables(graph, addresses);
  for (std::uint32_t device = 0; device < graph.devices().size(); ++device) {
    if (graph.device(device).kind != sim::DeviceKind::switch_chip) continue;
    for (std::uint32_t host = 0; host < graph.host_count(); ++host) {
      for (std::uint32_t path = 0; path < addresses; ++path) {
        tables.set_port(device, {host}, path, written.port(device, {host}, path));
      }
    }
  }
  return sim::Topology::imported({std::move(graph), {}}, std::move(tables));
}

}  // namespace holdfast::swarm
