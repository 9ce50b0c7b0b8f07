// Memory and huge pages.
#pragma once

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// total, available; transparent_huge_pages ("always", "madvise" or "never"); a part for each size
// of reserved huge pages, with how many there are and are free.
FactGroup probe_memory(const KernelFiles& files = {});

}  // namespace holdfast::hw
