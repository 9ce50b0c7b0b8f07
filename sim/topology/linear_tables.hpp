// Imports linear forwarding tables, for a fabric that is known already, from what InfiniBand's
// tools write: `dump_lfts` and `ibroute` (infiniband-diags), and OpenSM's opensm-lfts.dump. All
// have one section for each switch,
//   Unicast lids [0x0-0x53] of switch Lid 8 guid 0x0000000000200000 (S1_0_0):
// and in it one line for each LID with the output port in decimal digits,
//   0x0004 005 : (Channel Adapter portguid 0x0000000000100001: 'H_0_0')
//   0x0005 006 : (path #2 out of 4: portguid 0x0000000000100001)
//   0x0004 005 # Channel Adapter portguid 0x0000000000100001: 'H_0_0'
// Other lines (captions, counts, what OpenSM could not reach) say nothing about a packet's way.
//
// The LIDs of a host are those that any section gives to its endpoint's port GUID. Counted from the
// lowest they are its paths; every host must have as many: 2^LMC. Output port 0 is the switch
// itself and 255 means no way: both drop the packet. Tables that lead a packet in a circle are an
// error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/forwarding_tables.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

// Reads `text`; `file_name` is for messages. The error has one line for each of the first 20 wrong
// lines. `tables` and `warnings` (switches and hosts that the file does not name) are changed on
// success only.
Status parse_linear_tables(std::string_view text, const std::string& file_name,
                           const FabricGraph& graph, std::optional<ForwardingTables>& tables,
                           std::vector<std::string>& warnings);

}  // namespace holdfast::sim
