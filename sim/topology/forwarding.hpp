// What a switch does with a packet: one output port for each destination, as in a linear forwarding
// table of InfiniBand. Tables are by destination only: the port by which a packet came in does not
// matter, so the packets to one host follow a tree that ends at it.
//
// A host has paths() addresses (LIDs; 2^LMC of them in InfiniBand), and each may be routed another
// way: path k of a host is the way to its base LID + k.
//
// Devices are numbered as in FabricGraph, whether or not the fabric is written out as one. A host
// sends by its endpoint (see fabric_graph.hpp), and the last switch gives the packet to that of the
// destination.
#pragma once

#include <cstdint>

#include "stack/base/ids.hpp"

namespace holdfast::sim {

class Forwarding {
 public:
  virtual ~Forwarding() = default;

  // The output port (>= 1) of switch `device` towards host `to` by path `path`, 0 … paths()-1;
  // 0: there is none, and the packet is dropped. What the tables say is not what can be done: the
  // port may be dead since they were made. The same question has the same answer as long as the
  // object lives. Not for devices that are no switches.
  virtual std::uint16_t port(std::uint32_t device, NodeId to, std::uint32_t path) const = 0;

  // How many addresses each host has; >= 1.
  virtual std::uint32_t paths() const = 0;
};

}  // namespace holdfast::sim
