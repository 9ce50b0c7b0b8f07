// A fabric in the forms of other programs. A new form is a file and a line in the table of
// formats.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/topology/fabric_graph.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

struct FabricFormat {
  std::string_view name;
  std::string_view what;  // a line for the help
  // Sets `text`, which ends with a newline. The error says what the form cannot hold, and what to
  // do; `text` is then unchanged.
  Status (*write)(const FabricGraph& graph, std::string& text);
};

std::span<const FabricFormat> fabric_formats();

// As `ibnetdiscover` prints it, without -g. What it says and a graph does not know is 0 (vendor,
// device) or counted from 1 (LIDs). Reading it again gives the same graph but for the order of
// links, names (which become descriptions) and latencies. An adapter of a generated host with name
// "n" is "n HCA-1", as Linux calls it.
Status write_ibnetdiscover(const FabricGraph& graph, std::string& text);

// The net file of ibsim, a simulator of the management network. It knows links of 1, 4, 8 and 12
// lanes of SDR, DDR and QDR; faster ones are written as QDR, the fastest that it has.
Status write_ibsim_net(const FabricGraph& graph, std::string& text);

// For graphviz: hosts below, each level of switches above them in a row, a line for each cable.
Status write_dot(const FabricGraph& graph, std::string& text);

// topology.conf of Slurm's topology/tree. Slurm wants a tree in the strict sense, in which a switch
// has one parent, and needs no more than that; its guide advises against listing every connection
// of a fat tree. So all switches of a level that are joined by cables below them are one "switch":
// in a tree of 18-port leaves below 9 spines, the leaves and one line for all spines. A host is
// below the switch of its endpoint.
Status write_slurm(const FabricGraph& graph, std::string& text);

}  // namespace holdfast::sim
