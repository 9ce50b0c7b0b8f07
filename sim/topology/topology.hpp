// A fabric as an experiment sees it, generated or imported: its hosts by number and name, the time
// of a message between them, and what can be said of it. A generated fat tree is never written out
// unless its picture is asked for, so it may have 2^20 hosts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/ibnetdiscover.hpp"
#include "sim/topology/path_times.hpp"
#include "sim/topology/pgft.hpp"
#include "sim/topology/summary.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

class Topology {
 public:
  // All links alike.
  static Topology generated(const Pgft& tree, const LinkSpec& link);
  // Computes the routes.
  static Topology imported(ImportedFabric fabric);

  std::uint32_t host_count() const;
  std::string host_name(NodeId node) const;
  // By host: the number of the switch that its endpoint is cabled to, the same for the same switch;
  // one of its own for a host without one.
  std::vector<std::uint32_t> leaf_of_hosts() const;
  // See FabricGraph::find_host and Pgft::find_host.
  Status find_host(std::string_view text, NodeId& node) const;

  // switch_latency: header in to header out of a switch chip, >= 0.
  PathTimes path_times(Duration switch_latency) const;

  // Warnings of the import come first.
  Summary summary() const;
  // topology_json of the fabric, written out for it if it is generated.
  std::string picture() const;

 private:
  Topology() = default;

  // Routes refer to the graph, so that both stay where they are when the topology is moved or
  // copied.
  struct Written {
    explicit Written(FabricGraph fabric) : graph(std::move(fabric)), routes(graph) {}
    FabricGraph graph;
    Routes routes;
  };

  Pgft tree_;
  LinkSpec link_;
  std::shared_ptr<const Written> written_;  // of an imported fabric; else null
  std::vector<std::string> warnings_;
};

}  // namespace holdfast::sim
