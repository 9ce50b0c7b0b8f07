// CRC-32C with the crc32 instruction alone: three thirds of a block side by side (Gopal and others,
// Intel, 2011), joined by carry-less products. Processors of 2008 and 2009 that have the one
// instruction and not the other take the portable kernel.
#if defined(__x86_64__)

#include "stack/checksum/crc32c_kernel.hpp"
#include "stack/checksum/crc32c_thirds.hpp"
#include "stack/checksum/processor.hpp"
#include "stack/checksum/stream_copy.hpp"

namespace holdfast {

namespace {

// Thirds of a page, asked for in advance, give a sum from memory half as much again as thirds of
// 1 KiB (Zen 3). Copies are slower with thirds of a page.
constexpr std::size_t kPage = 4096;

template <bool kCopies>
HOLDFAST_PCLMUL std::uint32_t many(std::uint32_t crc, std::byte* to, const std::byte* from,
                                   std::size_t bytes) {
  if constexpr (!kCopies) crc32c_scalar::blocks_of_thirds<kPage, false, 2>(crc, to, from, bytes);
  return crc32c_scalar::any_length<kCopies>(crc, to, from, bytes);
}

std::uint32_t update(std::uint32_t crc, const std::byte* from, std::size_t bytes) {
  return crc32c_scalar::few_or<false, many<false>>(crc, nullptr, from, bytes);
}

std::uint32_t stream(std::uint32_t crc, std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kPieceBytes = 3 * kPage;
  stream_in_pieces(to, from, bytes, kPieceBytes, [&crc](const std::byte* piece, std::size_t size) {
    crc = update(crc, piece, size);
  });
  return crc;
}

}  // namespace

const Crc32cKernel kCrc32cSse42 = {"sse42",
                                   "the crc32 instruction on three parts side by side",
                                   [] { return processor_features().pclmulqdq; },
                                   update,
                                   crc32c_scalar::few_or<true, many<true>>,
                                   stream};

}  // namespace holdfast

#endif
