// A fabric as an experiment sees it; see the header.
#include "sim/topology/topology.hpp"

#include <utility>

namespace holdfast::sim {

Topology Topology::generated(const Pgft& tree, const LinkSpec& link, std::uint32_t paths) {
  Topology topology;
  topology.tree_ = tree;
  topology.link_ = link;
  topology.computed_ = std::make_shared<const PgftRouting>(tree, paths);
  topology.routing_ = topology.computed_.get();
  return topology;
}

Topology Topology::of(std::shared_ptr<const Written> written) {
  Topology topology;
  topology.written_ = std::move(written);
  topology.routing_ = &topology.written_->routing;
  return topology;
}

Topology Topology::written(FabricGraph graph, std::uint32_t paths) {
  return of(std::make_shared<const Written>(std::move(graph), paths));
}

Topology Topology::imported(ImportedFabric fabric, std::uint32_t paths) {
  Topology topology = written(std::move(fabric.graph), paths);
  topology.warnings_ = std::move(fabric.warnings);
  return topology;
}

Topology Topology::imported(ImportedFabric fabric, ForwardingTables tables) {
  Topology topology =
      of(std::make_shared<const Written>(std::move(fabric.graph), std::move(tables)));
  topology.warnings_ = std::move(fabric.warnings);
  return topology;
}

std::uint32_t Topology::host_count() const {
  return written_ ? written_->graph.host_count() : tree_.host_count();
}

std::string Topology::host_name(NodeId node) const {
  return written_ ? written_->graph.host(node).name : tree_.host_name(node);
}

std::vector<std::uint32_t> Topology::leaf_of_hosts() const {
  std::vector<std::uint32_t> leaves(host_count());
  for (std::uint32_t host = 0; host < leaves.size(); ++host) {
    leaves[host] = written_ ? written_->routes.switch_of({host}) : host / tree_.down(1);
    // Devices have numbers below their count.
    if (leaves[host] == kNone) {
      leaves[host] = static_cast<std::uint32_t>(written_->graph.devices().size()) + host;
    }
  }
  return leaves;
}

Status Topology::find_host(std::string_view text, NodeId& node) const {
  return written_ ? written_->graph.find_host(text, node) : tree_.find_host(text, node);
}

PathTimes Topology::path_times(Duration switch_latency) const {
  return written_ ? PathTimes(written_->graph, written_->routes, switch_latency)
                  : PathTimes(tree_, link_, switch_latency);
}

Summary Topology::summary() const {
  Summary summary =
      written_ ? summarize(written_->graph, written_->routes) : summarize(tree_, link_);
  summary.loads =
      written_ ? link_loads(written_->graph, written_->routes) : link_loads(computed_->tables());
  summary.warnings.insert(summary.warnings.begin(), warnings_.begin(), warnings_.end());
  return summary;
}

std::string Topology::picture() const {
  if (written_) return topology_json(written_->graph, written_->routes.levels());
  return topology_json(build_pgft(tree_, link_), pgft_levels(tree_));
}

}  // namespace holdfast::sim
