// A fabric as an experiment sees it, generated or imported: its hosts by number and name, its
// routing, the time of a message between them, and what can be said of it. A generated fat tree
// routed by D-Mod-K is never written out unless its picture is asked for, so it may have 2^20
// hosts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/ibnetdiscover.hpp"
#include "sim/topology/modules.hpp"
#include "sim/topology/path_times.hpp"
#include "sim/topology/pgft.hpp"
#include "sim/topology/pgft_routing.hpp"
#include "sim/topology/summary.hpp"
#include "sim/topology/written_routing.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

class Topology {
 public:
  // A tree with all links alike, routed by D-Mod-K. paths >= 1: addresses of each host.
  static Topology generated(const Pgft& tree, const LinkSpec& link, std::uint32_t paths = 1);
  // A fabric that is written out. Computes balanced routes.
  static Topology written(FabricGraph graph, std::uint32_t paths = 1, Modules modules = {});
  // As `written`; with the warnings of the import.
  static Topology imported(ImportedFabric fabric, std::uint32_t paths = 1);
  // Routed by these tables, which are of the fabric's graph.
  static Topology imported(ImportedFabric fabric, ForwardingTables tables);

  std::uint32_t host_count() const;
  std::string host_name(NodeId node) const;
  // By host: the number of the switch that its endpoint is cabled to, the same for the same switch;
  // one of its own for a host without one.
  std::vector<std::uint32_t> leaf_of_hosts() const;
  // See FabricGraph::find_host and Pgft::find_host.
  Status find_host(std::string_view text, NodeId& node) const;

  // The fabric written out; devices and links as in the routing's wiring.
  FabricGraph written_out() const { return written_ ? written_->graph : build_pgft(tree_, link_); }

  // The port that `text` names: a host (then its endpoint), a switch (then port 0), the GUID of a
  // device, each with [port] or without. The error says what was expected.
  Status find_port(std::string_view text, LinkEnd& end) const;
  // The same for a port with a cable.
  Status find_link(std::string_view text, LinkEnd& end) const;
  // The same for a switch, or for an adapter.
  Status find_device(std::string_view text, bool is_switch, std::uint32_t& device) const;

  // "leaf-3[7]", as find_link takes it; with port 0 the device alone.
  std::string part_text(LinkEnd port) const;

  // Chassis and boards; none where nothing says what they are.
  Modules modules() const { return written_ ? modules_ : modules_of(tree_); }

  // Lives as long as any copy of the topology.
  const Routing& routing() const { return *routing_; }

  // By path 0. switch_latency: header in to header out of a switch chip, >= 0.
  PathTimes path_times(Duration switch_latency) const;

  // Warnings of the import come first. With the load of the links.
  Summary summary() const;
  // topology_json of the fabric, written out for it if it is generated.
  std::string picture() const;

 private:
  Topology() = default;

  // Routes refer to the graph, and the routing to both, so that they stay where they are when the
  // topology is moved or copied.
  struct Written {
    Written(FabricGraph fabric, std::uint32_t paths)
        : graph(std::move(fabric)), routes(graph, paths), routing(graph, routes) {}
    Written(FabricGraph fabric, ForwardingTables tables)
        : graph(std::move(fabric)), routes(graph, std::move(tables)), routing(graph, routes) {}
    FabricGraph graph;
    Routes routes;
    WrittenRouting routing;
  };
  static Topology of(std::shared_ptr<const Written> written);

  Pgft tree_;
  LinkSpec link_;
  std::shared_ptr<const Written> written_;       // of a fabric that is written out; else null
  std::shared_ptr<const PgftRouting> computed_;  // of one that is not; else null
  const Routing* routing_ = nullptr;             // of one of the two
  Modules modules_;                              // of a fabric that is written out
  std::vector<std::string> warnings_;
};

}  // namespace holdfast::sim
