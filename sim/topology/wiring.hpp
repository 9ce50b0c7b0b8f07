// How the ports of a fabric are joined, whether it is written out or computed. Devices and links
// are numbered as in FabricGraph; a generated tree as build_pgft would write it, without doing so:
// its wiring needs O(levels) memory for any number of hosts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/pgft.hpp"
#include "stack/base/ids.hpp"

namespace holdfast::sim {

class Wiring {
 public:
  virtual ~Wiring() = default;

  virtual std::uint32_t hosts() const = 0;
  virtual std::uint32_t devices() const = 0;
  virtual std::uint32_t links() const = 0;
  virtual bool is_switch(std::uint32_t device) const = 0;
  // Its ports are 1 … ports(device).
  virtual std::uint32_t ports(std::uint32_t device) const = 0;
  // The cable in a port; kNone: nothing is plugged in.
  virtual std::uint32_t link_at(LinkEnd port) const = 0;
  // In the order of FabricGraph's Link::ends.
  virtual std::array<LinkEnd, 2> ends(std::uint32_t link) const = 0;
  // The port by which a host sends and receives; device kNone if it has none that is cabled.
  virtual LinkEnd endpoint(NodeId node) const = 0;

  // Where the cable in `port` leads; there is one.
  LinkEnd far_end(LinkEnd port) const {
    const std::array<LinkEnd, 2> both = ends(link_at(port));
    return both[0].device == port.device ? both[1] : both[0];
  }
};

class GraphWiring final : public Wiring {
 public:
  // `graph` must outlive the wiring.
  explicit GraphWiring(const FabricGraph& graph) : graph_(&graph) {}

  std::uint32_t hosts() const override { return graph_->host_count(); }
  std::uint32_t devices() const override;
  std::uint32_t links() const override;
  bool is_switch(std::uint32_t device) const override;
  std::uint32_t ports(std::uint32_t device) const override;
  std::uint32_t link_at(LinkEnd port) const override;
  std::array<LinkEnd, 2> ends(std::uint32_t link) const override;
  LinkEnd endpoint(NodeId node) const override;

 private:
  const FabricGraph* graph_;
};

class PgftWiring final : public Wiring {
 public:
  explicit PgftWiring(const Pgft& tree);

  std::uint32_t hosts() const override { return tree_.host_count(); }
  std::uint32_t devices() const override { return first_device_.back(); }
  std::uint32_t links() const override { return first_link_.back(); }
  bool is_switch(std::uint32_t device) const override { return device >= first_device_[1]; }
  std::uint32_t ports(std::uint32_t device) const override;
  std::uint32_t link_at(LinkEnd port) const override;
  std::array<LinkEnd, 2> ends(std::uint32_t link) const override;
  LinkEnd endpoint(NodeId node) const override { return {node.value * tree_.up(1), 1}; }

  // Of a switch: 1 … levels; of an adapter: 0.
  std::uint32_t level_of(std::uint32_t device) const;
  // Of the switch at the upper end of a link.
  std::uint32_t level_above(std::uint32_t link) const;
  // The device that is switch `index` of `level`, >= 1.
  std::uint32_t device_of(std::uint32_t level, std::uint32_t index) const {
    return first_device_[level] + index;
  }

 private:
  // The number of the link that is the `parallel`-th between switch `upper` of `level` and its
  // `child`-th child.
  std::uint32_t link_number(std::uint32_t level, std::uint32_t upper, std::uint32_t child,
                            std::uint32_t parallel) const {
    return first_link_[level - 1] + (upper * tree_.down(level) + child) * tree_.parallel(level) +
           parallel;
  }

  Pgft tree_;
  std::vector<std::uint32_t> first_device_;    // by level, adapters being level 0; then the end
  std::vector<std::uint32_t> first_link_;      // of the links to level l + 1, by l; then the end
  std::vector<std::uint32_t> switches_below_;  // w_1 * ... * w_l by level
};

}  // namespace holdfast::sim
