// What this processor and its operating system offer to checksums. Asked through cpuid, so the
// answers depend on the machine; no value of a checksum does.
#pragma once

#include <cstdint>

namespace holdfast {

// Instructions that programs may use: the processor has them, and where they have registers of
// their own the operating system saves these.
struct ProcessorFeatures {
  bool sse4_2 = false;             // crc32
  bool pclmulqdq = false;          // carry-less products of 64 bits
  bool avx2_vpclmulqdq = false;    // two of them at once, with AVX2
  bool avx512_vpclmulqdq = false;  // four of them at once, with AVX-512 F, BW and VL
};

const ProcessorFeatures& processor_features();

// Bytes of the largest cache, shared or not; 8 MiB where the processor does not say.
std::uint64_t last_level_cache_bytes();

}  // namespace holdfast
