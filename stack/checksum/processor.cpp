// The compiler's helper looks at XCR0 as well, so it says no where the kernel does not save the
// registers of AVX or AVX-512.
#include "stack/checksum/processor.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>

namespace holdfast {

namespace {

constexpr std::uint64_t kAssumedCacheBytes = std::uint64_t{8} << 20;

ProcessorFeatures ask_features() {
  ProcessorFeatures found;
#if defined(__x86_64__)
  __builtin_cpu_init();
  found.sse4_2 = __builtin_cpu_supports("sse4.2") != 0;
  found.pclmulqdq = found.sse4_2 && __builtin_cpu_supports("pclmul") != 0;
  found.avx2_vpclmulqdq = found.pclmulqdq && __builtin_cpu_supports("avx2") != 0 &&
                          __builtin_cpu_supports("vpclmulqdq") != 0;
  found.avx512_vpclmulqdq = found.pclmulqdq && __builtin_cpu_supports("avx512f") != 0 &&
                            __builtin_cpu_supports("avx512bw") != 0 &&
                            __builtin_cpu_supports("avx512vl") != 0 &&
                            __builtin_cpu_supports("vpclmulqdq") != 0;
#endif
  return found;
}

#if defined(__x86_64__)
// The largest cache of those that a leaf lists; Intel's leaf 4 and AMD's 8000001Dh have one form:
// ways, partitions, line size and sets, each less one. 0: there is no such leaf.
std::uint64_t largest_cache(unsigned leaf) {
  std::uint64_t largest = 0;
  for (unsigned index = 0; index < 16; ++index) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(leaf, index, &a, &b, &c, &d) == 0 || (a & 0x1f) == 0) break;
    const std::uint64_t ways = (b >> 22) + 1, partitions = ((b >> 12) & 0x3ff) + 1;
    const std::uint64_t line = (b & 0xfff) + 1, sets = std::uint64_t{c} + 1;
    largest = std::max(largest, ways * partitions * line * sets);
  }
  return largest;
}
#endif

std::uint64_t ask_cache() {
#if defined(__x86_64__)
  const std::uint64_t found = std::max(largest_cache(4), largest_cache(0x8000001d));
  if (found != 0) return found;
#endif
  return kAssumedCacheBytes;
}

}  // namespace

const ProcessorFeatures& processor_features() {
  static const ProcessorFeatures features = ask_features();
  return features;
}

std::uint64_t last_level_cache_bytes() {
  static const std::uint64_t bytes = ask_cache();
  return bytes;
}

}  // namespace holdfast
