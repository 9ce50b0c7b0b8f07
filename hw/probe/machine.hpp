// All there is to find out about this machine.
#pragma once

#include <string>

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// A part for each probe: processor, clock, memory, limits, sockets, network, rdma, software,
// modules. `path` is the PATH in which programs are looked for.
FactGroup probe_machine(const std::string& path);

}  // namespace holdfast::hw
