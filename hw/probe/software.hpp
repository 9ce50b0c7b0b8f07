// Other people's software that a cluster's node may have: libraries, programs, kernel modules.
#pragma once

#include <string>

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// A part for each: what it is for, its Debian package, and whether it is here. `path` is searched
// for programs like PATH.
FactGroup probe_software(const std::string& path);

// Which of the kernel's modules for RDMA are loaded or built in.
FactGroup probe_modules(const KernelFiles& files = {});

}  // namespace holdfast::hw
