// Rails at RDMA adapters. What a process has opened there is of no use to a copy of it, so each end
// opens its own, and they tell each other their addresses.
#pragma once

#include <cstdint>

#include "experiments/netpipe/address_board.hpp"
#include "experiments/netpipe/holdfast_end.hpp"
#include "hw/verbs/verbs.hpp"

namespace holdfast::netpipe {

// Most payload that a frame can carry through any of the active ports. An error: there is no port.
Status verbs_fragment_bytes(std::uint32_t& bytes);

// The active port of an end of a rail: the two ends take turns at the ports that there are, so with
// two of them what is sent leaves the adapter. An error: there is none.
Status verbs_port_of(std::size_t end, std::size_t rail, hw::VerbsPort& port);

// Of these, "rxe0:1" and the like, by rail and then by end; those that are no longer active are
// left out.
std::vector<std::string> verbs_port_names(std::uint32_t rails);

// The rails of one end, in the process that uses them; throws EndFailed.
void open_verbs_rails(const RailPlan& plan, bool is_first, AddressBoard& board, OpenRails& opened);

}  // namespace holdfast::netpipe
