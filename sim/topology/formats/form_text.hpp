// What the writers of several forms share. Private to this folder.
#pragma once

#include <cstdint>
#include <string>

#include "sim/topology/fabric_graph.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

// "S-0002000100000003": how InfiniBand's tools call a device where its GUID is meant.
std::string node_id(const Device& device);

// What a device says of itself: its description, or the one that its name would give it.
std::string node_description(const FabricGraph& graph, std::uint32_t device);

// "4xEDR"; the error names the cable and a rate that has such a name.
Status rate_name(const FabricGraph& graph, const Link& link, std::string& name);

// An error if a device has more ports than InfiniBand can number.
Status check_port_counts(const FabricGraph& graph);

}  // namespace holdfast::sim
