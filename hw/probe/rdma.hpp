// RDMA devices and their ports, as the kernel's files in /sys/class/infiniband say.
#pragma once

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// A part for each device, in it a part for each port, named by its number: state, link_layer, rate,
// lid, lmc (2^lmc addresses), sm_lid. Path migration is asked of the adapters; see
// verbs_library.hpp.
FactGroup probe_rdma(const KernelFiles& files = {});

}  // namespace holdfast::hw
