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

// Fewer bytes than a word.
template <bool kCopies>
HOLDFAST_SSE42 inline std::uint32_t fewest(std::uint32_t crc, std::byte* to, const std::byte* from,
                                           std::size_t bytes) {
  const auto target = [&](std::size_t at) { return kCopies ? to + at : nullptr; };
  if ((bytes & 4) != 0) crc = _mm_crc32_u32(crc, take<std::uint32_t>(target(0), from, kCopies));
  if ((bytes & 2) != 0) {
    const std::size_t at = bytes & 4;
    crc = _mm_crc32_u16(crc, take<std::uint16_t>(target(at), from + at, kCopies));
  }
  if ((bytes & 1) != 0) {
    const std::size_t at = bytes & 6;
    crc = _mm_crc32_u8(crc, take<std::uint8_t>(target(at), from + at, kCopies));
  }
  return crc;
}

// The `bytes`, 0 to 7, before `end`; the word before it must be of the same call. Without a branch
// that may be guessed wrong: the register is added to the first of them, and zero bytes before
// leave a register of zero as it is.
HOLDFAST_SSE42 inline std::uint32_t last_bytes(std::uint32_t crc, const std::byte* end,
                                               std::size_t bytes) {
  const auto to_top = [&](std::uint64_t low) { return low << 8 << (56 - 8 * bytes); };
  const std::uint64_t word = load_le<std::uint64_t>(end - 8);
  const std::uint64_t added = (word ^ to_top(crc)) & to_top(~std::uint64_t{0});
  const std::uint64_t behind = static_cast<std::uint64_t>(crc) >> (8 * bytes);
  return static_cast<std::uint32_t>(_mm_crc32_u64(0, added) ^ behind);
}

// kWords words, one after the other; crc, to and from go on.
template <bool kCopies, std::size_t kWords>
HOLDFAST_SSE42 inline void next_words(std::uint64_t& crc, std::byte*& to, const std::byte*& from) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 8 * kWords; i += 8)
    crc = _mm_crc32_u64(crc, take<std::uint64_t>(kCopies ? to + i : nullptr, from + i, kCopies));
  from += 8 * kWords;
  if constexpr (kCopies) to += 8 * kWords;
}

// Any number of bytes, behind at least 8 of the same call. What is copied is read once: whoever
// changes it meanwhile does not change what has been summed.
template <bool kCopies>
HOLDFAST_SSE42 inline std::uint32_t words(std::uint64_t crc, std::byte* to, const std::byte* from,
                                          std::size_t bytes) {
  for (; bytes >= 8; bytes -= 8) next_words<kCopies, 1>(crc, to, from);
  const auto narrow = static_cast<std::uint32_t>(crc);
  return kCopies ? fewest<kCopies>(narrow, to, from, bytes)
                 : last_bytes(narrow, from + bytes, bytes);
}

// Any number of bytes.
template <bool kCopies>
HOLDFAST_SSE42 inline std::uint32_t few(std::uint32_t crc, std::byte* to, const std::byte* from,
                                        std::size_t bytes) {
  if (bytes < 8) return fewest<kCopies>(crc, to, from, bytes);
  std::uint64_t wide = crc;
  for (; bytes >= 32; bytes -= 32) next_words<kCopies, 4>(wide, to, from);
  return words<kCopies>(wide, to, from, bytes);
}

}  // namespace holdfast::crc32c_scalar

#endif
