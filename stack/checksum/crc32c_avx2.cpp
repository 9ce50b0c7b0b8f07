// CRC-32C by folding with AVX2: four registers of 256 bits, each two sums of 128 bits that are
// moved 128 bytes towards the end of the data by two carry-less products (VPCLMULQDQ). For
// processors that have these products and no AVX-512: AMD's of the family Zen 3, Intel's with cores
// of two kinds.
//
// Zen 3 folds 8 bytes a cycle, and the crc32 instruction, which uses another unit, takes 8 more. So
// a part of each block is left to three computations with it, as in the AVX-512 kernel. A copy only
// folds: with four streams that are written it is a sixth faster within the caches, and into memory
// a third slower.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

#include "stack/checksum/crc32c_polynomial.hpp"
#include "stack/checksum/crc32c_scalar.hpp"
#include "stack/checksum/crc32c_thirds.hpp"
#include "stack/checksum/processor.hpp"

#define HOLDFAST_AVX2 __attribute__((target("sse4.2,pclmul,avx2,vpclmulqdq")))
#define HOLDFAST_AVX2_INLINE HOLDFAST_AVX2 __attribute__((always_inline)) inline
#define HOLDFAST_AVX2_LAMBDA HOLDFAST_AVX2 __attribute__((always_inline))

namespace holdfast {

namespace {

namespace polynomial = crc32c_polynomial;

constexpr std::size_t kRegister = 32;
constexpr std::size_t kWide = 4 * kRegister;  // folded at once

// What is shorter is done sooner by the crc32 instruction alone.
constexpr std::size_t kLeastFolded = 256;

// A block: in each of so many steps so many times kWide are folded, and behind all of that three
// parts give so many words to the crc32 instruction.
template <std::size_t kOfSteps, std::size_t kOfFolds, std::size_t kOfWords>
struct Shape {
  static constexpr std::size_t kSteps = kOfSteps, kFolds = kOfFolds, kWords = kOfWords;
  static constexpr std::size_t kPart = kSteps * kWords * sizeof(std::uint64_t);
  static constexpr std::size_t kFolded = kSteps * kFolds * kWide;
  static constexpr std::size_t kBytes = kFolded + 3 * kPart;
};
// A tenth for the crc32 instruction, and three sevenths.
using Tenth = Shape<8, 2, 1>;
using ThreeSevenths = Shape<16, 1, 4>;

// Factors that move both sums of a register.
template <std::size_t kBytes>
HOLDFAST_AVX2_INLINE __m256i factors() {
  constexpr auto kLower = static_cast<long long>(polynomial::lower_half_factor(8 * kBytes));
  constexpr auto kUpper = static_cast<long long>(polynomial::upper_half_factor(8 * kBytes));
  return _mm256_set_epi64x(kUpper, kLower, kUpper, kLower);
}

HOLDFAST_AVX2_INLINE __m256i folded(__m256i sum, __m256i by, __m256i data) {
  const __m256i lower = _mm256_clmulepi64_epi128(sum, by, 0x00);
  const __m256i upper = _mm256_clmulepi64_epi128(sum, by, 0x11);
  return _mm256_xor_si256(_mm256_xor_si256(lower, upper), data);
}

template <Crc32cCopy kCopy>
HOLDFAST_AVX2_INLINE __m256i load(std::byte* to, const std::byte* from) {
  const __m256i data = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  if constexpr (kCopy == Crc32cCopy::cached)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), data);
  if constexpr (kCopy == Crc32cCopy::streamed)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), data);
  return data;
}

// The CRC register after what both sums stand for.
HOLDFAST_AVX2_INLINE std::uint32_t reduced(__m256i sum) {
  const __m128i by = _mm256_castsi256_si128(factors<sizeof(__m128i)>());
  const __m128i first = _mm256_castsi256_si128(sum), last = _mm256_extracti128_si256(sum, 1);
  const __m128i moved =
      _mm_xor_si128(_mm_clmulepi64_si128(first, by, 0x00), _mm_clmulepi64_si128(first, by, 0x11));
  const __m128i one = _mm_xor_si128(moved, last);
  const auto lower = static_cast<std::uint64_t>(_mm_cvtsi128_si64(one));
  const auto upper = static_cast<std::uint64_t>(_mm_extract_epi64(one, 1));
  return static_cast<std::uint32_t>(_mm_crc32_u64(_mm_crc32_u64(0, lower), upper));
}

// Four registers in a row.
struct Sums {
  __m256i first, second, third, fourth;
};

template <Crc32cCopy kCopy>
HOLDFAST_AVX2_INLINE Sums load_wide(std::byte* to, const std::byte* from) {
  const auto take = [&](std::size_t at) HOLDFAST_AVX2_LAMBDA {
    return load<kCopy>(kCopy == Crc32cCopy::none ? nullptr : to + at, from + at);
  };
  return {take(0), take(kRegister), take(2 * kRegister), take(3 * kRegister)};
}

HOLDFAST_AVX2_INLINE void with_register(Sums& sums, std::uint32_t crc) {
  const __m128i added = _mm_cvtsi32_si128(static_cast<int>(crc));
  sums.first = _mm256_xor_si256(sums.first, _mm256_zextsi128_si256(added));
}

template <Crc32cCopy kCopy>
HOLDFAST_AVX2_INLINE void fold_wide(Sums& sums, std::byte* to, const std::byte* from) {
  const __m256i by = factors<kWide>();
  const auto next = [&](__m256i sum, std::size_t at) HOLDFAST_AVX2_LAMBDA {
    return folded(sum, by, load<kCopy>(kCopy == Crc32cCopy::none ? nullptr : to + at, from + at));
  };
  sums.first = next(sums.first, 0);
  sums.second = next(sums.second, kRegister);
  sums.third = next(sums.third, 2 * kRegister);
  sums.fourth = next(sums.fourth, 3 * kRegister);
}

// As one in the place of the last.
HOLDFAST_AVX2_INLINE __m256i joined(const Sums& sums) {
  const __m256i far = folded(sums.first, factors<3 * kRegister>(), sums.fourth);
  const __m256i near = folded(sums.second, factors<2 * kRegister>(), far);
  return folded(sums.third, factors<kRegister>(), near);
}

// `bytes`: a multiple of kRegister, at least kWide.
template <Crc32cCopy kCopy>
HOLDFAST_AVX2 std::uint32_t fold_all(std::uint32_t crc, std::byte* to, const std::byte* from,
                                     std::size_t bytes) {
  const auto target = [&](std::size_t at) { return kCopy == Crc32cCopy::none ? nullptr : to + at; };
  Sums sums = load_wide<kCopy>(to, from);
  with_register(sums, crc);
  std::size_t done = kWide;
  for (; bytes - done >= kWide; done += kWide) fold_wide<kCopy>(sums, target(done), from + done);
  __m256i sum = joined(sums);
  for (; done < bytes; done += kRegister)
    sum = folded(sum, factors<kRegister>(), load<kCopy>(target(done), from + done));
  return reduced(sum);
}

// Form::kBytes. With kAsks what lies two blocks on is asked for, as the processor's prefetchers do
// not follow four streams at once.
template <class Form, bool kAsks>
HOLDFAST_AVX2_INLINE std::uint32_t block(std::uint32_t crc, const std::byte* from) {
  constexpr auto kNone = Crc32cCopy::none;
  constexpr std::size_t kLine = 64, kStepBytes = Form::kBytes / Form::kSteps;
  constexpr std::size_t kPart = Form::kPart, kPartStep = Form::kWords * sizeof(std::uint64_t);
  const std::byte* const narrow = from + Form::kFolded;
  Sums sums = load_wide<kNone>(nullptr, from);
  with_register(sums, crc);
  std::uint64_t crcs[3] = {0, 0, 0};
  for (std::size_t step = 0; step < Form::kSteps; ++step) {
    crc32c_scalar::step<kPartStep, false>(crcs, nullptr, narrow + step * kPartStep, kPart);
    if constexpr (kAsks) {
      for (std::size_t at = 0; at < kStepBytes; at += kLine)
        __builtin_prefetch(from + 2 * Form::kBytes + step * kStepBytes + at);
    }
    for (std::size_t fold = step == 0 ? 1 : 0; fold < Form::kFolds; ++fold)
      fold_wide<kNone>(sums, nullptr, from + (step * Form::kFolds + fold) * kWide);
  }
  using crc32c_scalar::moved_register;
  const __m128i folded_part = moved_register<3 * kPart>(reduced(joined(sums)));
  return crc32c_scalar::joined(_mm_xor_si128(folded_part, moved_register<2 * kPart>(crcs[0])),
                               moved_register<kPart>(crcs[1]), crcs[2]);
}

// Nothing of what is shorter than a block.
template <class Form, bool kAsks>
HOLDFAST_AVX2 std::uint32_t blocks(std::uint32_t crc, const std::byte*& from, std::size_t& bytes) {
  for (; bytes >= Form::kBytes; bytes -= Form::kBytes, from += Form::kBytes)
    crc = block<Form, kAsks>(crc, from);
  return crc;
}

template <Crc32cCopy kCopy>
HOLDFAST_AVX2 std::uint32_t run(std::uint32_t crc, std::byte* to, const std::byte* from,
                                std::size_t bytes) {
  constexpr bool kCopies = kCopy != Crc32cCopy::none;
  if (bytes < kLeastFolded) return crc32c_scalar::any_length<kCopies>(crc, to, from, bytes);
  const std::size_t whole = bytes / kRegister * kRegister;
  crc = fold_all<kCopy>(crc, to, from, whole);
  return crc32c_scalar::few<kCopies>(crc, kCopies ? to + whole : nullptr, from + whole,
                                     bytes - whole);
}

// In the first two caches ThreeSevenths would be a third faster than Tenth, or more. Then a copy,
// which only folds, would have 0.7 of a sum, and 0.9 are promised. What is longer may be a part of
// something that the first two do not hold, a fragment of a long message.
HOLDFAST_AVX2 std::uint32_t update_many(std::uint32_t crc, std::byte* to, const std::byte* from,
                                        std::size_t bytes) {
  constexpr std::size_t kTenthMax = 64 << 10;
  crc = bytes <= kTenthMax ? blocks<Tenth, false>(crc, from, bytes)
                           : blocks<ThreeSevenths, true>(crc, from, bytes);
  return run<Crc32cCopy::none>(crc, to, from, bytes);
}

std::uint32_t update(std::uint32_t crc, const std::byte* from, std::size_t bytes) {
  return crc32c_scalar::few_or<false, update_many>(crc, nullptr, from, bytes);
}

HOLDFAST_AVX2 std::uint32_t stream(std::uint32_t crc, std::byte* to, const std::byte* from,
                                   std::size_t bytes) {
  const std::size_t ahead = (0 - reinterpret_cast<std::uintptr_t>(to)) % kRegister;
  const std::size_t head = std::min(bytes, ahead);
  crc = crc32c_scalar::few<true>(crc, to, from, head);
  crc = run<Crc32cCopy::streamed>(crc, to + head, from + head, bytes - head);
  _mm_sfence();
  return crc;
}

}  // namespace

const Crc32cKernel kCrc32cAvx2 = {"avx2",
                                  "folding 128 bytes at a time, beside the crc32 instruction",
                                  [] { return processor_features().avx2_vpclmulqdq; },
                                  update,
                                  crc32c_scalar::few_or<true, run<Crc32cCopy::cached>>,
                                  stream};

}  // namespace holdfast

#endif
