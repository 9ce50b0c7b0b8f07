// CRC-32C with SSE4.2 alone: three thirds of a block side by side, joined by tables that say what a
// register becomes after a third's length of zero bytes (Gopal and others, Intel, 2011).
#if defined(__x86_64__)

#include <algorithm>
#include <array>

#include "stack/checksum/crc32c_polynomial.hpp"
#include "stack/checksum/crc32c_scalar.hpp"
#include "stack/checksum/processor.hpp"
#include "stack/checksum/stream_copy.hpp"

namespace holdfast {

namespace {

using ShiftTables = std::array<std::array<std::uint32_t, 256>, 4>;  // by byte of the register

constexpr ShiftTables make_shift(std::size_t bytes) {
  ShiftTables tables{};
  const std::uint32_t factor = crc32c_polynomial::power_of_x(8 * bytes);
  for (std::size_t place = 0; place < 4; ++place) {
    for (std::uint32_t byte = 0; byte < 256; ++byte)
      tables[place][byte] = crc32c_polynomial::product(factor, byte << (8 * place));
  }
  return tables;
}

template <std::size_t kBytes>
constexpr ShiftTables kShift = make_shift(kBytes);

template <std::size_t kBytes>
std::uint32_t shifted(std::uint32_t crc) {
  const ShiftTables& tables = kShift<kBytes>;
  return tables[0][crc & 0xff] ^ tables[1][(crc >> 8) & 0xff] ^ tables[2][(crc >> 16) & 0xff] ^
         tables[3][crc >> 24];
}

// Three thirds of kThird bytes each.
template <std::size_t kThird, bool kCopies>
HOLDFAST_SSE42 std::uint32_t block(std::uint32_t crc, std::byte* to, const std::byte* from) {
  std::uint64_t a = crc, b = 0, c = 0;
  for (std::size_t i = 0; i < kThird; i += 8) {
    const auto take = [&](std::size_t at) {
      return crc32c_scalar::take<std::uint64_t>(kCopies ? to + at : nullptr, from + at, kCopies);
    };
    a = _mm_crc32_u64(a, take(i));
    b = _mm_crc32_u64(b, take(i + kThird));
    c = _mm_crc32_u64(c, take(i + 2 * kThird));
  }
  const std::uint32_t two =
      shifted<kThird>(static_cast<std::uint32_t>(a)) ^ static_cast<std::uint32_t>(b);
  return shifted<kThird>(two) ^ static_cast<std::uint32_t>(c);
}

template <std::size_t kThird, bool kCopies>
HOLDFAST_SSE42 void blocks(std::uint32_t& crc, std::byte*& to, const std::byte*& from,
                           std::size_t& bytes) {
  for (; bytes >= 3 * kThird; bytes -= 3 * kThird, from += 3 * kThird) {
    crc = block<kThird, kCopies>(crc, to, from);
    if constexpr (kCopies) to += 3 * kThird;
  }
}

template <bool kCopies>
HOLDFAST_SSE42 std::uint32_t run(std::uint32_t crc, std::byte* to, const std::byte* from,
                                 std::size_t bytes) {
  blocks<1024, kCopies>(crc, to, from, bytes);
  blocks<128, kCopies>(crc, to, from, bytes);
  return crc32c_scalar::few<kCopies>(crc, to, from, bytes);
}

std::uint32_t update(std::uint32_t crc, const std::byte* from, std::size_t bytes) {
  return run<false>(crc, nullptr, from, bytes);
}

std::uint32_t stream(std::uint32_t crc, std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kPieceBytes = 6144;
  stream_in_pieces(to, from, bytes, kPieceBytes, [&crc](const std::byte* piece, std::size_t size) {
    crc = update(crc, piece, size);
  });
  return crc;
}

}  // namespace

const Crc32cKernel kCrc32cSse42 = {"sse42",
                                   "the crc32 instruction on three parts side by side",
                                   [] { return processor_features().sse4_2; },
                                   update,
                                   run<true>,
                                   stream};

}  // namespace holdfast

#endif
