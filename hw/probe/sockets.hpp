// What sockets and processes can do here, tried out.
#pragma once

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// udp_segment and udp_gro (many datagrams in one call), arrival_times (SO_TIMESTAMPNS), pidfd,
// receive_buffer and send_buffer: what a socket gets that asks for what the UDP fabric asks for;
// and what udp_runs.hpp says.
FactGroup probe_sockets();

}  // namespace holdfast::hw
