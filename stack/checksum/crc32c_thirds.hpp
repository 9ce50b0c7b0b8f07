// Three computations with the crc32 instruction side by side, each over a third of what there is,
// joined by two carry-less products, for which a factor for each length is all that need be known.
#pragma once

#if defined(__x86_64__)

#include <wmmintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "stack/checksum/crc32c_polynomial.hpp"
#include "stack/checksum/crc32c_scalar.hpp"

#define HOLDFAST_PCLMUL __attribute__((target("sse4.2,pclmul")))
#define HOLDFAST_PCLMUL_INLINE HOLDFAST_PCLMUL __attribute__((always_inline)) inline
#define HOLDFAST_PCLMUL_LAMBDA HOLDFAST_PCLMUL __attribute__((always_inline))

namespace holdfast::crc32c_scalar {

// A register, to be multiplied on the way to the end of a block, `kBytes` away.
template <std::size_t kBytes>
HOLDFAST_PCLMUL_INLINE __m128i moved_register(std::uint64_t crc) {
  constexpr auto kFactor = static_cast<long long>(crc32c_polynomial::register_factor(kBytes));
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(crc)),
                              _mm_cvtsi64_si128(kFactor), 0x00);
}

// For a line of each third, kBlocks blocks on: the processor's prefetchers do not follow streams
// that end after so few lines.
template <std::size_t kThirdBytes, std::size_t kBlocks>
HOLDFAST_PCLMUL_INLINE void ask_ahead(const std::byte* from) {
  for (std::size_t third = 0; third < 3; ++third)
    __builtin_prefetch(from + (3 * kBlocks + third) * kThirdBytes);
}

// The three registers, with the next kBytes of each third.
template <std::size_t kBytes, bool kCopies>
HOLDFAST_PCLMUL_INLINE void step(std::uint64_t (&crcs)[3], std::byte* to, const std::byte* from,
                                 std::size_t third_bytes) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kBytes; i += sizeof(std::uint64_t)) {
    // All are read before one is written: which of them overlap the compiler cannot know.
    const auto a = load_le<std::uint64_t>(from + i);
    const auto b = load_le<std::uint64_t>(from + i + third_bytes);
    const auto c = load_le<std::uint64_t>(from + i + 2 * third_bytes);
    crcs[0] = _mm_crc32_u64(crcs[0], a);
    crcs[1] = _mm_crc32_u64(crcs[1], b);
    crcs[2] = _mm_crc32_u64(crcs[2], c);
    if constexpr (!kCopies) continue;
    store_le(to + i, a);
    store_le(to + i + third_bytes, b);
    store_le(to + i + 2 * third_bytes, c);
  }
}

HOLDFAST_PCLMUL_INLINE std::uint32_t joined(__m128i first, __m128i second, std::uint64_t third) {
  const __m128i ends = _mm_xor_si128(first, second);
  return static_cast<std::uint32_t>(
      _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(ends))) ^ third);
}

// As many blocks of three thirds of kThirdBytes as there are; crc, to, from and bytes go on. What
// is kAhead blocks away is asked for; nothing if 0.
template <std::size_t kThirdBytes, bool kCopies, std::size_t kAhead>
HOLDFAST_PCLMUL_INLINE void blocks_of_thirds(std::uint32_t& crc, std::byte*& to,
                                             const std::byte*& from, std::size_t& bytes) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kBlock = 3 * kThirdBytes;
  static_assert(kThirdBytes % kLine == 0);
  for (; bytes >= kBlock; bytes -= kBlock, from += kBlock) {
    std::uint64_t crcs[3] = {crc, 0, 0};
    for (std::size_t i = 0; i < kThirdBytes; i += kLine) {
      if constexpr (kAhead != 0) ask_ahead<kThirdBytes, kAhead>(from + i);
      step<kLine, kCopies>(crcs, kCopies ? to + i : nullptr, from + i, kThirdBytes);
    }
    crc = joined(moved_register<2 * kThirdBytes>(crcs[0]), moved_register<kThirdBytes>(crcs[1]),
                 crcs[2]);
    if constexpr (kCopies) to += kBlock;
  }
}

// Fewer bytes go one word after the other: from 72 bytes on that takes longer from call to result,
// but the processor does more of it side by side.
inline constexpr std::size_t kLeastThirds = 120;

// A load waits for a store that is under way to the same place of another page, as if it were the
// same place. Of three streams that are read and three that are written some pair meets at one
// distance of the two buffers or another; with thirds of a KiB at those that programs have: a page,
// half a page, a KiB. (Zen 3; the worst of 64 distances is a third slower than most.)
inline constexpr std::size_t kThird = 704;

// To move a register as many words as the index says.
inline constexpr std::array<std::uint32_t, 2 * kThird / sizeof(std::uint64_t)> kWordFactors = [] {
  std::array<std::uint32_t, 2 * kThird / sizeof(std::uint64_t)> factors{};
  for (std::size_t words = 1; words < factors.size(); ++words)
    factors[words] = static_cast<std::uint32_t>(
        crc32c_polynomial::register_factor(words * sizeof(std::uint64_t)));
  return factors;
}();

HOLDFAST_PCLMUL_INLINE __m128i moved_words(std::uint64_t crc, std::size_t words) {
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(crc)),
                              _mm_cvtsi32_si128(static_cast<int>(kWordFactors[words])), 0x00);
}

// Any number of bytes: blocks, and of what is left thirds of as many words as there are.
template <bool kCopies>
HOLDFAST_PCLMUL_INLINE std::uint32_t any_length(std::uint32_t crc, std::byte* to,
                                                const std::byte* from, std::size_t bytes) {
  blocks_of_thirds<kThird, kCopies, kCopies ? 1 : 0>(crc, to, from, bytes);
  if (bytes < kLeastThirds) return few<kCopies>(crc, to, from, bytes);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const std::size_t third_words = bytes / (3 * kWord), third = third_words * kWord;
  std::uint64_t crcs[3] = {crc, 0, 0};
#pragma GCC unroll 2
  for (std::size_t i = 0; i < third; i += kWord)
    step<kWord, kCopies>(crcs, kCopies ? to + i : nullptr, from + i, third);
  crc = joined(moved_words(crcs[0], 2 * third_words), moved_words(crcs[1], third_words), crcs[2]);
  const std::size_t done = 3 * third;
  return words<kCopies>(crc, kCopies ? to + done : nullptr, from + done, bytes - done);
}

// So few bytes take less time than the registers that kMany needs.
template <bool kCopies, auto kMany>
HOLDFAST_SSE42 std::uint32_t few_or(std::uint32_t crc, std::byte* to, const std::byte* from,
                                    std::size_t bytes) {
  if (bytes < kLeastThirds) return few<kCopies>(crc, to, from, bytes);
  return kMany(crc, to, from, bytes);
}

}  // namespace holdfast::crc32c_scalar

#endif
