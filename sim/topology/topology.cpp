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

Topology Topology::written(FabricGraph graph, std::uint32_t paths, Modules modules) {
  Topology topology = of(std::make_shared<const Written>(std::move(graph), paths));
  topology.modules_ = std::move(modules);
  return topology;
}

Topology Topology::imported(ImportedFabric fabric, std::uint32_t paths) {
  Topology topology = written(std::move(fabric.graph), paths, std::move(fabric.modules));
  topology.warnings_ = std::move(fabric.warnings);
  return topology;
}

Topology Topology::imported(ImportedFabric fabric, ForwardingTables tables) {
  Topology topology =
      of(std::make_shared<const Written>(std::move(fabric.graph), std::move(tables)));
  topology.modules_ = std::move(fabric.modules);
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

std::string Topology::part_text(LinkEnd port) const {
  const std::string number = port.port == 0 ? "" : "[" + std::to_string(port.port) + "]";
  if (written_) return written_->graph.part_text(port.device) + number;
  const PgftWiring& wiring = computed_->wiring();
  const std::uint32_t level = wiring.level_of(port.device);
  if (level > 0) {
    return tree_.switch_name(level, port.device - wiring.device_of(level, 0)) + number;
  }
  const std::uint32_t planes = tree_.up(1);
  const std::string plane = planes > 1 ? "/" + std::to_string(port.device % planes) : "";
  return tree_.host_name({port.device / planes}) + plane + number;
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
  if (written_) return topology_json(written_->graph, written_->routes.levels(), modules());
  return topology_json(build_pgft(tree_, link_), pgft_levels(tree_), modules());
}

}  // namespace holdfast::sim
