// Processors, their instructions for checksums, and clocks.
#pragma once

#include "hw/probe/fact.hpp"

namespace holdfast::hw {

// model; cores: that this process may run on, online: of the machine; and whether processor and
// operating system let programs use sse4_2 (CRC-32C), pclmulqdq, avx2_vpclmulqdq and
// avx512_vpclmulqdq (folding CRCs 16, 32 and 64 bytes at a time).
FactGroup probe_processor(const KernelFiles& files = {});

// The kernel's clock source, the resolution of the monotonic clock, and the smallest step that was
// seen between two looks at it.
FactGroup probe_clock(const KernelFiles& files = {});

}  // namespace holdfast::hw
