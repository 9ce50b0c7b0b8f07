// What the UDP fabric does with the kernel's offloads here: tried out with two of them on the
// loopback, which count what they do.
#pragma once

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// Adds sends_runs (UDP_SEGMENT) and receives_runs (UDP_GRO): whether frames that follow each other
// to the same process went to the kernel, and came from it, as one buffer. Not known where there is
// no loopback.
void probe_udp_runs(FactGroup& sockets);

}  // namespace holdfast::hw
