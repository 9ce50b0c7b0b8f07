// Everything that a simulation of a scenario refers to, put up in the order in which it is needed.
#pragma once

#include "sim/run/simulation.hpp"
#include "sim/topology/topology.hpp"
#include "tests/swarm/scenario.hpp"

namespace holdfast::swarm {

struct Stage {
  // `scenario` must outlive the stage. It ends a long time after the calm: beyond every bound.
  explicit Stage(const Scenario& scenario)
      : roster(scenario.roster),
        topology(scenario.topology()),
        paths(topology.path_times(nanoseconds(90))),
        graph(topology.written_out()),
        options(scenario.simulation) {
    options.routing = &topology.routing();
    options.duration =
        (scenario.calm - Time{}) + 10'000 * options.engine.membership.detection.timeout;
    if (!scenario.packets) return;
    options.packets = &*scenario.packets;
    options.graph = &graph;
    options.forwarding = &topology.routing().tables();
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  Roster roster;
  sim::Topology topology;
  sim::PathTimes paths;
  sim::FabricGraph graph;
  sim::SimulationOptions options;
};

}  // namespace holdfast::swarm
