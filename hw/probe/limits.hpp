// What the administrator allows: sizes of socket buffers, open files, locked memory, processes.
#pragma once

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// Sysctls by their names (net.core.rmem_max, …), then limits of this process as `ulimit` has them:
// the soft one, and the hard one with "_most"; "unlimited" if they are.
FactGroup probe_limits(const KernelFiles& files = {});

}  // namespace holdfast::hw
