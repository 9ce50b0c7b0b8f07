// What the kernels with SSE4.2's crc32 instruction share. It takes 8 bytes a cycle but gives its
// result after 3 cycles, so only three computations side by side keep it busy; joining them takes a
// carry-less product each (crc32c_thirds.hpp).
//
// Only for functions that are compiled for SSE4.2: the target is an attribute, not a flag of the
// build, so that nothing else is.
#pragma once

#if defined(__x86_64__)

#include <nmmintrin.h>

#include <cstddef>
#include <cstdint>

#include "stack/base/bytes.hpp"
#include "stack/checksum/crc32c_kernel.hpp"

namespace holdfast::crc32c_scalar {

#define HOLDFAST_SSE42 __attribute__((target("sse4.2")))

template <class Word>
inline Word take(std::byte* to, const std::byte* from, bool copies) {
  const Word word = load_le<Word>(from);
  if (copies) store_le<Word>(to, word);
  return word;
}

// Any number of bytes, one word after the other.
template <bool kCopies>
HOLDFAST_SSE42 inline std::uint32_t few(std::uint32_t crc, std::byte* to, const std::byte* from,
                                        std::size_t bytes) {
  std::uint64_t wide = crc;
  std::size_t done = 0;
  const auto target = [&] { return kCopies ? to + done : nullptr; };
#pragma GCC unroll 4
  for (; bytes - done >= 8; done += 8)
    wide = _mm_crc32_u64(wide, take<std::uint64_t>(target(), from + done, kCopies));
  crc = static_cast<std::uint32_t>(wide);
  if ((bytes & 4) != 0) {
    crc = _mm_crc32_u32(crc, take<std::uint32_t>(target(), from + done, kCopies));
    done += 4;
  }
  if ((bytes & 2) != 0) {
    crc = _mm_crc32_u16(crc, take<std::uint16_t>(target(), from + done, kCopies));
    done += 2;
  }
  if ((bytes & 1) != 0) crc = _mm_crc32_u8(crc, take<std::uint8_t>(target(), from + done, kCopies));
  return crc;
}

}  // namespace holdfast::crc32c_scalar

#endif
