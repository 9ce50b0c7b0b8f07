// Adler-32 (RFC 1950): the sum of all bytes and the sum of these sums, modulo 65521. The value with
// seed 0 is zlib's.
#include "stack/checksum/block_checksum.hpp"

namespace holdfast {

namespace {

constexpr std::uint32_t kPrime = 65521;
// So many bytes may be added before a sum of sums overflows 32 bits (RFC 1950's own code says why).
constexpr std::size_t kBytesBetweenModulo = 5552;

class Adler32 {
 public:
  static constexpr unsigned kBits = 32;
  static constexpr std::size_t kWordBytes = 1;
  struct Sums {
    std::uint32_t low, high;  // < kPrime
  };

  static Sums begin(std::uint64_t seed, std::uint64_t /*bytes*/) {
    const std::uint32_t start = folded_seed(seed);
    return {(1 + (start & 0xffff)) % kPrime, (start >> 16) % kPrime};
  }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t piece = std::min(bytes - done, kBytesBetweenModulo);
      std::uint32_t low = sums.low, high = sums.high;
      take_bytes<kCopies>(kCopies ? to + done : nullptr, from + done, piece,
                          [&](std::uint32_t byte) {
                            low += byte;
                            high += low;
                          });
      sums = {low % kPrime, high % kPrime};
      done += piece;
    }
  }

  static std::uint64_t finish(Sums sums, const std::byte* /*tail*/, std::size_t /*tail_bytes*/,
                              std::uint64_t /*bytes*/) {
    return sums.high << 16 | sums.low;
  }
};

}  // namespace

std::unique_ptr<Checksum> make_adler32(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<Adler32>>(plan);
}

}  // namespace holdfast
