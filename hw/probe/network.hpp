// Network devices and their addresses, as the kernel tells this process: of its network namespace,
// asked by system calls (files in /sys may be those of another one).
#pragma once

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// A part for each device: up, loopback, mtu, rate, hardware_address, addresses. Rates are what
// drivers say; many of virtual devices say none.
FactGroup probe_network();

}  // namespace holdfast::hw
