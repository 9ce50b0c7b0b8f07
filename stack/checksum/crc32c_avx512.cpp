// CRC-32C by folding with AVX-512: four registers of 512 bits, each four sums of 128 bits that are
// moved 256 bytes towards the end of the data by two carry-less products (VPCLMULQDQ).
//
// Zen 4 and 5 fold 16 bytes a cycle, 256 in a step of 16 cycles; the crc32 instruction, which uses
// another unit, could take 8 bytes in each of them. So a part of each block is left to three
// computations with it, side by side, as one waits three cycles for the one before. There are two
// kernels because Zen 4 and 5 differ in when that pays.
//
// A copy only folds. In the first-level cache it could be a sixth faster by blocks of the form
// Fifth; from the cache of another processor they take a fifth longer, and into memory a quarter.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <utility>

#include "stack/checksum/crc32c_polynomial.hpp"
#include "stack/checksum/crc32c_scalar.hpp"
#include "stack/checksum/processor.hpp"

#define HOLDFAST_AVX512 \
  __attribute__((target("sse4.2,pclmul,avx512f,avx512bw,avx512vl,vpclmulqdq")))
#define HOLDFAST_AVX512_INLINE HOLDFAST_AVX512 __attribute__((always_inline)) inline

namespace holdfast {

namespace {

namespace polynomial = crc32c_polynomial;

constexpr std::size_t kRegister = 64;
constexpr std::size_t kWide = 4 * kRegister;  // folded in a step
constexpr std::size_t kPrefetchAhead = 4096;  // bytes; a page, where prefetchers of processors stop

// A block: what is folded in so many steps, and behind it three parts, of which each gives so many
// words to the crc32 instruction in a step.
template <std::size_t kOfSteps, std::size_t kOfWords>
struct Shape {
  static constexpr std::size_t kSteps = kOfSteps, kWords = kOfWords;
  static constexpr std::size_t kPart = kSteps * kWords * sizeof(std::uint64_t);
  static constexpr std::size_t kBytes = kSteps * kWide + 3 * kPart;
};
// A tenth for the crc32 instruction, and less than 4 KiB.
using Tenth = Shape<14, 1>;
// A fifth, nine instructions in a step.
using Fifth = Shape<12, 3>;

// Factors that move each of the four sums of a register by another number of bits.
template <std::uint64_t k0, std::uint64_t k1, std::uint64_t k2, std::uint64_t k3>
struct Factors {
  alignas(kRegister) static constexpr std::uint64_t kWords[8] = {
      polynomial::lower_half_factor(k0), polynomial::upper_half_factor(k0),
      polynomial::lower_half_factor(k1), polynomial::upper_half_factor(k1),
      polynomial::lower_half_factor(k2), polynomial::upper_half_factor(k2),
      polynomial::lower_half_factor(k3), polynomial::upper_half_factor(k3)};
};
template <std::size_t kBytes>
using Move = Factors<8 * kBytes, 8 * kBytes, 8 * kBytes, 8 * kBytes>;

template <class Moves>
HOLDFAST_AVX512_INLINE __m512i factors() {
  return _mm512_load_si512(Moves::kWords);
}

HOLDFAST_AVX512_INLINE __m512i folded(__m512i sum, __m512i by, __m512i data) {
  constexpr int kXorOfThree = 0x96;
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(sum, by, 0x00),
                                   _mm512_clmulepi64_epi128(sum, by, 0x11), data, kXorOfThree);
}

template <Crc32cCopy kCopy>
HOLDFAST_AVX512_INLINE __m512i load(std::byte* to, const std::byte* from) {
  const __m512i data = _mm512_loadu_si512(from);
  if constexpr (kCopy == Crc32cCopy::cached) _mm512_storeu_si512(to, data);
  if constexpr (kCopy == Crc32cCopy::streamed)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), data);
  return data;
}

HOLDFAST_AVX512_INLINE __m512i with_register(__m512i data, std::uint32_t crc) {
  return _mm512_xor_si512(data, _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(crc))));
}

// The CRC register after what the four sums stand for.
HOLDFAST_AVX512_INLINE std::uint32_t reduced(__m512i sum) {
  // The last sum stays; its place in the products is multiplied by zero.
  alignas(kRegister) static constexpr std::uint64_t kMoves[8] = {polynomial::lower_half_factor(384),
                                                                 polynomial::upper_half_factor(384),
                                                                 polynomial::lower_half_factor(256),
                                                                 polynomial::upper_half_factor(256),
                                                                 polynomial::lower_half_factor(128),
                                                                 polynomial::upper_half_factor(128),
                                                                 0,
                                                                 0};
  const __m128i last = _mm512_extracti32x4_epi32(sum, 3);
  const __m512i moved = folded(sum, _mm512_load_si512(kMoves), _mm512_zextsi128_si512(last));
  const __m256i two =
      _mm256_xor_si256(_mm512_castsi512_si256(moved), _mm512_extracti64x4_epi64(moved, 1));
  const __m128i one = _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
  const auto lower = static_cast<std::uint64_t>(_mm_cvtsi128_si64(one));
  const auto upper = static_cast<std::uint64_t>(_mm_extract_epi64(one, 1));
  return static_cast<std::uint32_t>(_mm_crc32_u64(_mm_crc32_u64(0, lower), upper));
}

// Four registers in a row as one in the place of the last.
HOLDFAST_AVX512_INLINE __m512i joined(__m512i s0, __m512i s1, __m512i s2, __m512i s3) {
  const __m512i far = folded(s0, factors<Move<3 * kRegister>>(), s3);
  const __m512i near = folded(s1, factors<Move<2 * kRegister>>(), far);
  return folded(s2, factors<Move<kRegister>>(), near);
}

template <Crc32cCopy kCopy>
HOLDFAST_AVX512_INLINE void prefetch(const std::byte* from) {
  if constexpr (kCopy == Crc32cCopy::streamed) {
    for (std::size_t line = 0; line < kWide; line += kRegister)
      _mm_prefetch(from + kPrefetchAhead + line, _MM_HINT_T0);
  }
}

// `bytes`: a positive multiple of kRegister.
template <Crc32cCopy kCopy>
HOLDFAST_AVX512 std::uint32_t fold_all(std::uint32_t crc, std::byte* to, const std::byte* from,
                                       std::size_t bytes) {
  const auto target = [&](std::size_t at) { return kCopy == Crc32cCopy::none ? nullptr : to + at; };
  __m512i s0 = with_register(load<kCopy>(target(0), from), crc);
  std::size_t done = kRegister;
  if (bytes >= kWide) {
    __m512i s1 = load<kCopy>(target(64), from + 64), s2 = load<kCopy>(target(128), from + 128);
    __m512i s3 = load<kCopy>(target(192), from + 192);
    const __m512i by = factors<Move<kWide>>();
    for (done = kWide; bytes - done >= kWide; done += kWide) {
      prefetch<kCopy>(from + done);
      s0 = folded(s0, by, load<kCopy>(target(done), from + done));
      s1 = folded(s1, by, load<kCopy>(target(done + 64), from + done + 64));
      s2 = folded(s2, by, load<kCopy>(target(done + 128), from + done + 128));
      s3 = folded(s3, by, load<kCopy>(target(done + 192), from + done + 192));
    }
    s0 = joined(s0, s1, s2, s3);
  }
  for (; done < bytes; done += kRegister)
    s0 = folded(s0, factors<Move<kRegister>>(), load<kCopy>(target(done), from + done));
  return reduced(s0);
}

template <std::size_t kBytes>
HOLDFAST_AVX512_INLINE __m128i moved_register(std::uint64_t crc) {
  constexpr std::uint64_t kFactor = polynomial::register_factor(kBytes);
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(crc)),
                              _mm_cvtsi64_si128(static_cast<long long>(kFactor)), 0x00);
}

// CRC registers of the three parts, so far.
struct PartSums {
  std::uint64_t a = 0, b = 0, c = 0;
};

// The next words of each; `from` is where the first part's are. Without a loop, which GCC keeps.
template <class Form, std::size_t... kWord>
HOLDFAST_AVX512_INLINE PartSums with_words(PartSums sums, const std::byte* from,
                                           std::index_sequence<kWord...>) {
  constexpr std::size_t kPart = Form::kPart, kBytes = sizeof(std::uint64_t);
  ((sums.a = _mm_crc32_u64(sums.a, load_le<std::uint64_t>(from + kWord * kBytes)),
    sums.b = _mm_crc32_u64(sums.b, load_le<std::uint64_t>(from + kPart + kWord * kBytes)),
    sums.c = _mm_crc32_u64(sums.c, load_le<std::uint64_t>(from + 2 * kPart + kWord * kBytes))),
   ...);
  return sums;
}

// What the processor is asked for in advance, as its prefetchers do not follow four streams at
// once. They do bring a line's neighbour, and to ask for each line is slower where another thread
// has the other half of the core; from memory it is faster all the same.
enum class Fetch : std::uint8_t { nothing, every_other_line, every_line };

// As much as a step takes, in the order in which it lies, two blocks ahead.
template <class Form, Fetch kFetch>
HOLDFAST_AVX512_INLINE void prefetch_step(const std::byte* from) {
  if constexpr (kFetch != Fetch::nothing) {
    constexpr std::size_t kOfStep = Form::kBytes / Form::kSteps;
    constexpr std::size_t kLines = kFetch == Fetch::every_line ? 1 : 2;
    for (std::size_t at = 0; at < kOfStep; at += kLines * kRegister)
      _mm_prefetch(from + 2 * Form::kBytes + at, _MM_HINT_T0);
  }
}

// Form::kBytes.
template <class Form, Fetch kFetch>
HOLDFAST_AVX512_INLINE std::uint32_t block(std::uint32_t crc, const std::byte* from) {
  constexpr auto kNone = Crc32cCopy::none;
  constexpr std::size_t kPart = Form::kPart;
  const std::byte* narrow = from + Form::kSteps * kWide;
  const std::byte* ahead = from;
  __m512i s0 = with_register(load<kNone>(nullptr, from), crc);
  __m512i s1 = load<kNone>(nullptr, from + 64), s2 = load<kNone>(nullptr, from + 128);
  __m512i s3 = load<kNone>(nullptr, from + 192);
  const __m512i by = factors<Move<kWide>>();
  PartSums sums;
  for (const std::byte* const end = narrow + kPart;;) {
    sums = with_words<Form>(sums, narrow, std::make_index_sequence<Form::kWords>());
    narrow += Form::kWords * sizeof(std::uint64_t);
    prefetch_step<Form, kFetch>(ahead);
    ahead += Form::kBytes / Form::kSteps;
    if (narrow == end) break;
    from += kWide;
    s0 = folded(s0, by, load<kNone>(nullptr, from));
    s1 = folded(s1, by, load<kNone>(nullptr, from + 64));
    s2 = folded(s2, by, load<kNone>(nullptr, from + 128));
    s3 = folded(s3, by, load<kNone>(nullptr, from + 192));
  }
  const __m128i ends =
      _mm_xor_si128(_mm_xor_si128(moved_register<3 * kPart>(reduced(joined(s0, s1, s2, s3))),
                                  moved_register<2 * kPart>(sums.a)),
                    moved_register<kPart>(sums.b));
  const auto together = static_cast<std::uint64_t>(_mm_cvtsi128_si64(ends));
  return static_cast<std::uint32_t>(_mm_crc32_u64(0, together) ^ sums.c);
}

template <Crc32cCopy kCopy>
HOLDFAST_AVX512 std::uint32_t run(std::uint32_t crc, std::byte* to, const std::byte* from,
                                  std::size_t bytes) {
  const std::size_t whole = bytes / kRegister * kRegister;
  if (whole != 0) {
    crc = fold_all<kCopy>(crc, to, from, whole);
    from += whole;
    if constexpr (kCopy != Crc32cCopy::none) to += whole;
  }
  return crc32c_scalar::few<kCopy != Crc32cCopy::none>(crc, to, from, bytes - whole);
}

// Nothing of what is shorter than a block.
template <class Form, Fetch kFetch>
HOLDFAST_AVX512 std::uint32_t blocks(std::uint32_t crc, const std::byte*& from,
                                     std::size_t& bytes) {
  for (; bytes >= Form::kBytes; bytes -= Form::kBytes, from += Form::kBytes)
    crc = block<Form, kFetch>(crc, from);
  return crc;
}

// Between these both kernels have blocks.
constexpr std::size_t kShortMax = 64 << 10;
constexpr std::size_t kInCachesMax = 16 << 20;

// In the first two caches Fifth would be a seventh faster than Tenth. Then a copy, which only
// folds, would have 0.82 of a sum, and 0.9 are promised. What is longer may be a part of something
// that the first two do not hold, a fragment of a long message, so its next lines are asked for.
// From memory Fifth is a quarter slower. That is a Zen 5. On a Zen 4 what is shorter, and what
// comes from memory, is faster without blocks: `kBlocks` tells whether these have them, too.
template <bool kBlocks>
HOLDFAST_AVX512 std::uint32_t update_many(std::uint32_t crc, const std::byte* from,
                                          std::size_t bytes) {
  if (bytes > kShortMax && bytes <= kInCachesMax) {
    crc = blocks<Fifth, Fetch::every_other_line>(crc, from, bytes);
  } else if (kBlocks && bytes <= kShortMax) {
    crc = blocks<Tenth, Fetch::nothing>(crc, from, bytes);
  } else if (kBlocks) {
    crc = blocks<Tenth, Fetch::every_line>(crc, from, bytes);
  }
  return run<Crc32cCopy::none>(crc, nullptr, from, bytes);
}

// What is shorter than a register needs none, nor what saving and clearing them costs.
template <bool kBlocks>
HOLDFAST_SSE42 std::uint32_t update(std::uint32_t crc, const std::byte* from, std::size_t bytes) {
  if (bytes < kRegister) return crc32c_scalar::few<false>(crc, nullptr, from, bytes);
  return update_many<kBlocks>(crc, from, bytes);
}

HOLDFAST_SSE42 std::uint32_t copy(std::uint32_t crc, std::byte* to, const std::byte* from,
                                  std::size_t bytes) {
  if (bytes < kRegister) return crc32c_scalar::few<true>(crc, to, from, bytes);
  return run<Crc32cCopy::cached>(crc, to, from, bytes);
}

HOLDFAST_AVX512 std::uint32_t stream(std::uint32_t crc, std::byte* to, const std::byte* from,
                                     std::size_t bytes) {
  const std::size_t ahead = (0 - reinterpret_cast<std::uintptr_t>(to)) % kRegister;
  const std::size_t head = std::min(bytes, ahead);
  crc = crc32c_scalar::few<true>(crc, to, from, head);
  crc = run<Crc32cCopy::streamed>(crc, to + head, from + head, bytes - head);
  _mm_sfence();
  return crc;
}

bool runs_here() {
  return processor_features().avx512_vpclmulqdq;
}

}  // namespace

const Crc32cKernel kCrc32cAvx512Folding = {
    "avx512_folding",
    "folding 256 bytes a step, from 64 KiB to 16 MiB beside the crc32 instruction",
    runs_here,
    update<false>,
    copy,
    stream};

const Crc32cKernel kCrc32cAvx512 = {
    "avx512",  "folding 256 bytes a step, beside the crc32 instruction",
    runs_here, update<true>,
    copy,      stream};

}  // namespace holdfast

#endif
