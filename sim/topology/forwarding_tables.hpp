// Forwarding tables that are written out: an output port for each switch, host and path of a graph.
// Two bytes an entry.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/forwarding.hpp"

namespace holdfast::sim {

class ForwardingTables final : public Forwarding {
 public:
  // All entries 0; paths >= 1. The graph is not needed afterwards.
  ForwardingTables(const FabricGraph& graph, std::uint32_t paths);

  std::uint16_t port(std::uint32_t device, NodeId to, std::uint32_t path) const override {
    return ports_[place(device, to, path)];
  }
  std::uint32_t paths() const override { return paths_; }

  void set_port(std::uint32_t device, NodeId to, std::uint32_t path, std::uint16_t port) {
    ports_[place(device, to, path)] = port;
  }

 private:
  std::size_t place(std::uint32_t device, NodeId to, std::uint32_t path) const {
    return (std::size_t{row_of_device_[device]} * hosts_ + to.value) * paths_ + path;
  }

  std::uint32_t hosts_;
  std::uint32_t paths_;
  std::vector<std::uint32_t> row_of_device_;  // kNone: not a switch
  std::vector<std::uint16_t> ports_;          // [row][host][path]
};

}  // namespace holdfast::sim
