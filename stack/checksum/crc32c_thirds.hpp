// Three computations with the crc32 instruction side by side, each over a third of what there is,
// joined by two carry-less products, which need no tables that take their part of the caches.
#pragma once

#if defined(__x86_64__)

#include <wmmintrin.h>

#include "stack/checksum/crc32c_polynomial.hpp"
#include "stack/checksum/crc32c_scalar.hpp"

#define HOLDFAST_PCLMUL __attribute__((target("sse4.2,pclmul")))
#define HOLDFAST_PCLMUL_INLINE HOLDFAST_PCLMUL __attribute__((always_inline)) inline

namespace holdfast::crc32c_scalar {

// A register, to be multiplied on the way to the end of a block, `kBytes` away.
template <std::size_t kBytes>
HOLDFAST_PCLMUL_INLINE __m128i moved_register(std::uint64_t crc) {
  constexpr auto kFactor = static_cast<long long>(crc32c_polynomial::register_factor(kBytes));
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(crc)),
                              _mm_cvtsi64_si128(kFactor), 0x00);
}

// For a line of each third, two blocks on: the processor's prefetchers do not follow streams that
// end after so few lines.
template <std::size_t kThird>
HOLDFAST_PCLMUL_INLINE void ask_ahead(const std::byte* from) {
  for (std::size_t third = 0; third < 3; ++third)
    _mm_prefetch(reinterpret_cast<const char*>(from + (6 + third) * kThird), _MM_HINT_T0);
}

// As many blocks of three thirds of kThird bytes as there are; crc, to, from and bytes go on.
template <std::size_t kThird, bool kCopies, bool kAsks = false>
HOLDFAST_PCLMUL_INLINE void thirds(std::uint32_t& crc, std::byte*& to, const std::byte*& from,
                                   std::size_t& bytes) {
  constexpr std::size_t kLine = 64;
  for (; bytes >= 3 * kThird; bytes -= 3 * kThird, from += 3 * kThird) {
    std::uint64_t a = crc, b = 0, c = 0;
    for (std::size_t i = 0; i < kThird; i += sizeof(std::uint64_t)) {
      if (kAsks && i % kLine == 0) ask_ahead<kThird>(from + i);
      const auto take_at = [&](std::size_t at) {
        return take<std::uint64_t>(kCopies ? to + at : nullptr, from + at, kCopies);
      };
      a = _mm_crc32_u64(a, take_at(i));
      b = _mm_crc32_u64(b, take_at(i + kThird));
      c = _mm_crc32_u64(c, take_at(i + 2 * kThird));
    }
    const __m128i ends = _mm_xor_si128(moved_register<2 * kThird>(a), moved_register<kThird>(b));
    const auto joined = static_cast<std::uint64_t>(_mm_cvtsi128_si64(ends));
    crc = static_cast<std::uint32_t>(_mm_crc32_u64(0, joined) ^ c);
    if constexpr (kCopies) to += 3 * kThird;
  }
}

// Fewer bytes go one word after the other.
inline constexpr std::size_t kLeastThirds = 96;

// What is left when the blocks of a kernel are done.
template <bool kCopies>
HOLDFAST_PCLMUL_INLINE std::uint32_t rest(std::uint32_t crc, std::byte* to, const std::byte* from,
                                          std::size_t bytes) {
  thirds<320, kCopies>(crc, to, from, bytes);
  thirds<128, kCopies>(crc, to, from, bytes);
  thirds<64, kCopies>(crc, to, from, bytes);
  thirds<kLeastThirds / 3, kCopies>(crc, to, from, bytes);
  return few<kCopies>(crc, to, from, bytes);
}

}  // namespace holdfast::crc32c_scalar

#endif
