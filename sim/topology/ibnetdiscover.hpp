// Imports a fabric from the output of `ibnetdiscover` (infiniband-diags), with or without -g.
//
// The file has one section for each device: lines of vendor and GUIDs, then
//   Switch  36 "S-0008f10500108bba"  # "description" enhanced port 0 lid 7 lmc 0
// (or Ca, or Rt for a router), then one line for each cabled port:
//   [5]  "H-003048c7488b0000"[1](3048c7488b0001)  # "description" lid 86 4xDDR
// Every link is listed from both ends. What makes the import safe: the two ends must name each
// other; a wrong line is an error with its place and what was expected; what a correct discovery
// can also contain (a link listed from one end only, ends that disagree on the rate, a loop-back
// plug, an unknown kind of section) is a warning and the fabric is built without guessing.
//
// Hosts. The file has adapters, no hosts. Adapters are one host on this evidence, in this order:
//  1. the node-name map calls them the same, or the same but for an adapter suffix ("node7 HCA-1");
//  2. their descriptions do so with different suffixes: Linux sets "<host> HCA-<n>" or "<host>
//     <device>", such as "node7 mlx5_1". If a description occurs twice, its host name is not unique
//     (the factory's, or a cloned "localhost") and says nothing;
//  3. they have the same system image GUID, which the adapters of one board share, unless the names
//     above say that they are different hosts (one board can serve several), or more than 8 share
//     it.
// An equal description without a suffix ("MT25408 ConnectX Mellanox Technologies") says nothing.
// No host is what a switch chip shows of its part that reduces on the way (SHARP), an adapter
// described as "Mellanox Technologies Aggregation Node": it is left out, and a warning counts them.
// Hosts are numbered by the lowest GUID of their adapters, switches by theirs, wherever they are
// listed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/modules.hpp"
#include "sim/topology/part_names.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

struct ImportedFabric {
  FabricGraph graph;
  std::vector<std::string> warnings;  // each one line, with file:line where there is one
  Modules modules = {};               // those that -g names; else none
};

// Reads `text`; `file_name` is for messages. All links get `link_latency`, which the file does not
// say. The error has one line for each of the first 20 wrong lines. `fabric` is changed on success
// only.
Status parse_ibnetdiscover(std::string_view text, const std::string& file_name,
                           const NodeNames& names, Duration link_latency, ImportedFabric& fabric);

}  // namespace holdfast::sim
