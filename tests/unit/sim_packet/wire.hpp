// What the tests of sim/packet share: a tree with its wire, and somebody who drives it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "sim/packet/packet_wire.hpp"
#include "sim/topology/dmodk.hpp"
#include "sim/topology/path_times.hpp"
#include "sim/topology/pgft.hpp"
#include "tests/unit/sim_topology/trees.hpp"

namespace holdfast::sim {

// Time that a packet with this payload takes on a link of 100 Gb/s.
inline SimTime takes_100(std::uint32_t payload) {
  return {8 * (std::int64_t{payload} + 34)};
}

// Says what the wire does, in order; the wire is made by who derives.
class Driver {
 public:
  explicit Driver(PacketWire& driven) : wire(driven) {}

  // All that comes before an outside event at `time`.
  void until(SimTime time) {
    while (wire.precedes(time)) {
      wire.step();
      collect();
    }
  }
  void inject(SimTime at, const Shipment& shipment) {
    until(at);
    wire.inject(at, shipment);
  }
  void set_link_up(SimTime at, std::uint32_t link, bool up) {
    until(at);
    wire.set_link_up(at, link, up);
    collect();
  }
  void finish() {
    until(SimTime::never());
    EXPECT_TRUE(wire.at_rest());
  }
  // The report about this token; there must be one.
  PacketReport of(std::uint64_t token) const {
    for (const PacketReport& report : reports) {
      if (report.token == token) return report;
    }
    ADD_FAILURE() << "nothing is known of packet " << token;
    return {};
  }
  std::uint64_t delivered_by(SimTime time, const std::function<bool(std::uint64_t)>& counts) const {
    std::uint64_t count = 0;
    for (const PacketReport& report : reports) {
      if (report.fate == PacketFate::delivered && report.at <= time && counts(report.token)) {
        ++count;
      }
    }
    return count;
  }

  PacketWire& wire;
  std::vector<PacketReport> reports;

 private:
  void collect() {
    for (const PacketReport& report : wire.reports()) reports.push_back(report);
    wire.clear_reports();
  }
};

// A generated tree, routed by D-Mod-K, with a wire and its driver.
struct TreeWire {
  explicit TreeWire(const Pgft& tree, const PacketWireOptions& options = {},
                    const LinkSpec& link = kLink100)
      : graph(build_pgft(tree, link)),
        forwarding(tree, 1),
        wire(graph, forwarding, options),
        drive(wire) {}

  FabricGraph graph;
  DmodkForwarding forwarding;
  PacketWire wire;
  Driver drive;
};

}  // namespace holdfast::sim
