// CRC-32C by folding (Gopal and others, Intel, 2009): a register of 128 bits is moved 64 bytes
// towards the end of the data by two carry-less products. Four of these and three computations with
// the crc32 instruction run side by side, each over a part of a block of its own, since they use
// different units of the processor. Which share each takes: what one step of both costs on Zen and
// on Intel's. What is shorter than a block is left to the crc32 instruction, as folding takes long
// to end.
#if defined(__x86_64__)

#include <smmintrin.h>
#include <wmmintrin.h>

#include <algorithm>

#include "stack/checksum/crc32c_polynomial.hpp"
#include "stack/checksum/crc32c_scalar.hpp"
#include "stack/checksum/crc32c_thirds.hpp"
#include "stack/checksum/processor.hpp"
#include "stack/checksum/stream_copy.hpp"

namespace holdfast {

namespace {

namespace polynomial = crc32c_polynomial;
using crc32c_scalar::moved_register;

constexpr std::size_t kWide = 4 * sizeof(__m128i);  // folded in a step
constexpr std::size_t kNarrow = 32;                 // each crc32 computation's share of a step

HOLDFAST_PCLMUL_INLINE __m128i factors(std::uint64_t lower, std::uint64_t upper) {
  return _mm_set_epi64x(static_cast<long long>(upper), static_cast<long long>(lower));
}

template <std::uint64_t kBits>
HOLDFAST_PCLMUL_INLINE __m128i moved(__m128i sum) {
  constexpr std::uint64_t kLower = polynomial::lower_half_factor(kBits);
  constexpr std::uint64_t kUpper = polynomial::upper_half_factor(kBits);
  const __m128i by = factors(kLower, kUpper);
  return _mm_xor_si128(_mm_clmulepi64_si128(sum, by, 0x00), _mm_clmulepi64_si128(sum, by, 0x11));
}

template <bool kCopies>
HOLDFAST_PCLMUL_INLINE __m128i load(std::byte* to, const std::byte* from) {
  const __m128i data = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  if constexpr (kCopies) _mm_storeu_si128(reinterpret_cast<__m128i*>(to), data);
  return data;
}

HOLDFAST_PCLMUL_INLINE std::uint64_t reduced(__m128i sum) {
  const auto lower = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum));
  const auto upper = static_cast<std::uint64_t>(_mm_extract_epi64(sum, 1));
  return _mm_crc32_u64(_mm_crc32_u64(0, lower), upper);
}

// For what a step reads, two blocks on: the processor's prefetchers do not follow four streams that
// end after so few lines. Blocks that are copied do not ask: with it those of 64 KiB are slower,
// longer ones faster (Zen 3), and the longest take stream().
template <std::size_t kSteps>
HOLDFAST_PCLMUL_INLINE void ask_ahead(const std::byte* wide, const std::byte* narrow,
                                      std::size_t step) {
  constexpr std::size_t kPart = kSteps * kNarrow;
  constexpr std::size_t kAhead = 2 * (kSteps * kWide + 3 * kPart);
  _mm_prefetch(reinterpret_cast<const char*>(wide + kAhead), _MM_HINT_T0);
  if (step % 2 != 0) return;  // a step of a part is half a line
  for (std::size_t part = 0; part < 3; ++part)
    _mm_prefetch(reinterpret_cast<const char*>(narrow + part * kPart + kAhead), _MM_HINT_T0);
}

// kSteps steps: first the folded part, then the three others.
template <std::size_t kSteps, bool kCopies>
HOLDFAST_PCLMUL std::uint32_t block(std::uint32_t crc, std::byte* to, const std::byte* from) {
  constexpr std::size_t kPart = kSteps * kNarrow;
  const std::byte* narrow = from + kSteps * kWide;
  std::byte* narrow_to = kCopies ? to + kSteps * kWide : nullptr;
  const auto wide = [&](std::size_t at) HOLDFAST_PCLMUL_LAMBDA {
    return load<kCopies>(kCopies ? to + at : nullptr, from + at);
  };
  __m128i s0 = wide(0), s1 = wide(16), s2 = wide(32), s3 = wide(48);
  s0 = _mm_xor_si128(s0, _mm_cvtsi32_si128(static_cast<int>(crc)));
  std::uint64_t a = 0, b = 0, c = 0;
  for (std::size_t step = 0;; ++step) {
    if constexpr (!kCopies) ask_ahead<kSteps>(from, narrow + step * kNarrow, step);
    for (std::size_t i = step * kNarrow; i < (step + 1) * kNarrow; i += 8) {
      const auto take = [&](std::size_t at) {
        return crc32c_scalar::take<std::uint64_t>(kCopies ? narrow_to + at : nullptr, narrow + at,
                                                  kCopies);
      };
      a = _mm_crc32_u64(a, take(i));
      b = _mm_crc32_u64(b, take(i + kPart));
      c = _mm_crc32_u64(c, take(i + 2 * kPart));
    }
    if (step + 1 == kSteps) break;
    from += kWide;
    if constexpr (kCopies) to += kWide;
    s0 = _mm_xor_si128(moved<8 * kWide>(s0), wide(0));
    s1 = _mm_xor_si128(moved<8 * kWide>(s1), wide(16));
    s2 = _mm_xor_si128(moved<8 * kWide>(s2), wide(32));
    s3 = _mm_xor_si128(moved<8 * kWide>(s3), wide(48));
  }
  s1 = _mm_xor_si128(s1, moved<128>(s0));
  s3 = _mm_xor_si128(s3, moved<128>(s2));
  s3 = _mm_xor_si128(s3, moved<256>(s1));
  const __m128i folded = moved_register<3 * kPart>(reduced(s3));
  return crc32c_scalar::joined(_mm_xor_si128(folded, moved_register<2 * kPart>(a)),
                               moved_register<kPart>(b), c);
}

template <std::size_t kSteps, bool kCopies>
HOLDFAST_PCLMUL void blocks(std::uint32_t& crc, std::byte*& to, const std::byte*& from,
                            std::size_t& bytes) {
  constexpr std::size_t kBlock = kSteps * (kWide + 3 * kNarrow);
  for (; bytes >= kBlock; bytes -= kBlock, from += kBlock) {
    crc = block<kSteps, kCopies>(crc, to, from);
    if constexpr (kCopies) to += kBlock;
  }
}

template <bool kCopies>
HOLDFAST_PCLMUL std::uint32_t many(std::uint32_t crc, std::byte* to, const std::byte* from,
                                   std::size_t bytes) {
  blocks<40, kCopies>(crc, to, from, bytes);
  return crc32c_scalar::any_length<kCopies>(crc, to, from, bytes);
}

std::uint32_t update(std::uint32_t crc, const std::byte* from, std::size_t bytes) {
  return crc32c_scalar::few_or<false, many<false>>(crc, nullptr, from, bytes);
}

std::uint32_t stream(std::uint32_t crc, std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kPieceBytes = 6400;
  stream_in_pieces(to, from, bytes, kPieceBytes, [&crc](const std::byte* piece, std::size_t size) {
    crc = update(crc, piece, size);
  });
  return crc;
}

}  // namespace

const Crc32cKernel kCrc32cPclmulqdq = {
    "pclmulqdq",
    "folding 64 bytes a step, beside three parts for the crc32 instruction",
    [] { return processor_features().pclmulqdq; },
    update,
    crc32c_scalar::few_or<true, many<true>>,
    stream};

}  // namespace holdfast

#endif
