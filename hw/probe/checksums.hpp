// What stack/checksum says of itself on this processor.
#pragma once

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// crc32c: the kernel that computes it; and a part for each kernel that was compiled in: its idea,
// and whether it runs_here.
FactGroup probe_checksums();

}  // namespace holdfast::hw
