// The topology of an experiment; see the header.
#include "experiments/runner/load_topology.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "sim/faults/text_file.hpp"
#include "sim/topology/linear_tables.hpp"
#include "sim/topology/presets.hpp"
#include "sim/topology/updn_tables.hpp"

namespace holdfast::runner {
namespace {

Status load_imported(const Experiment& experiment, sim::ImportedFabric& fabric) {
  const TopologyConfig& config = experiment.topology;
  sim::NodeNames names;
  std::string text;
  if (!config.names.empty()) {
    if (Status status = sim::read_text_file(config.names, text); !status.is_ok()) return status;
    if (Status status = sim::parse_node_names(text, config.names, names); !status.is_ok())
      return status;
  }
  if (Status status = sim::read_text_file(config.file, text); !status.is_ok()) return status;
  return sim::parse_ibnetdiscover(text, config.file, names, experiment.fabric.link.latency, fabric);
}

// A fabric that is written out, with routes of our own making.
sim::Topology routed(sim::ImportedFabric fabric, const RoutingConfig& routing) {
  const std::uint32_t paths = 1u << routing.lmc;
  if (routing.kind != RoutingKind::updn) return sim::Topology::imported(std::move(fabric), paths);
  sim::ForwardingTables tables = sim::updn_tables(fabric.graph, paths);
  return sim::Topology::imported(std::move(fabric), std::move(tables));
}

Status generate(const Experiment& experiment, std::optional<sim::Topology>& topology) {
  const TopologyConfig& config = experiment.topology;
  const RoutingConfig& routing = experiment.fabric.routing;
  const sim::LinkSpec link{experiment.fabric.link.bits_per_second, experiment.fabric.link.latency};
  if (config.kind == TopologyKind::composed) {
    topology =
        routed({sim::ibnft_oversubscribed(link), {}, sim::ibnft_oversubscribed_modules()}, routing);
    return Status::ok();
  }
  sim::Pgft tree;
  Status status = sim::Pgft::create({config.down, config.up, config.parallel}, tree);
  if (!status.is_ok()) return Status::error("/topology: " + status.message());
  topology = routing.kind == RoutingKind::balanced || routing.kind == RoutingKind::updn
                 ? routed({sim::build_pgft(tree, link), {}, sim::modules_of(tree)}, routing)
                 : sim::Topology::generated(tree, link, 1u << routing.lmc);
  return Status::ok();
}

Status load_cluster(const Experiment& experiment, std::optional<sim::Topology>& topology) {
  const RoutingConfig& routing = experiment.fabric.routing;
  sim::ImportedFabric fabric;
  if (Status status = load_imported(experiment, fabric); !status.is_ok()) return status;
  if (routing.kind != RoutingKind::tables) {
    topology = routed(std::move(fabric), routing);
    return Status::ok();
  }
  std::string text;
  std::optional<sim::ForwardingTables> tables;
  if (Status status = sim::read_text_file(routing.file, text); !status.is_ok()) return status;
  if (Status status =
          sim::parse_linear_tables(text, routing.file, fabric.graph, tables, fabric.warnings);
      !status.is_ok())
    return status;
  topology = sim::Topology::imported(std::move(fabric), *std::move(tables));
  return Status::ok();
}

}  // namespace

Status load_topology(const Experiment& experiment, std::optional<sim::Topology>& topology) {
  return experiment.topology.kind == TopologyKind::ibnetdiscover
             ? load_cluster(experiment, topology)
             : generate(experiment, topology);
}

}  // namespace holdfast::runner
