// Fletcher's checksum of 32-bit words (Fletcher, 1982; Maxino and Koopman, 2009): their sum and the
// sum of these sums, modulo 2^32 - 1, the last word filled up with zeros.
#include "stack/checksum/block_checksum.hpp"

namespace holdfast {

namespace {

constexpr std::uint64_t kModulus = 0xffffffffu;
// After so many words the sum of sums is below 2^63, from where the modulo left it.
constexpr std::size_t kWordsBetweenModulo = 65536;

class Fletcher64 {
 public:
  static constexpr unsigned kBits = 64;
  static constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
  struct Sums {
    std::uint64_t low, high;  // < kModulus
  };

  static Sums begin(std::uint64_t seed, std::uint64_t /*bytes*/) {
    return {(seed & 0xffffffffu) % kModulus, (seed >> 32) % kModulus};
  }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    std::uint64_t low = sums.low, high = sums.high;
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t until = done + std::min(bytes - done, kWordsBetweenModulo * kWordBytes);
      for (; done < until; done += kWordBytes) {
        low += take_word<kCopies, std::uint32_t>(kCopies ? to + done : nullptr, from + done);
        high += low;
      }
      low %= kModulus;
      high %= kModulus;
    }
    sums = {low, high};
  }

  static std::uint64_t finish(Sums sums, const std::byte* tail, std::size_t tail_bytes,
                              std::uint64_t /*bytes*/) {
    if (tail_bytes != 0) {
      sums.low = (sums.low + padded_word<std::uint32_t>(tail, tail_bytes)) % kModulus;
      sums.high = (sums.high + sums.low) % kModulus;
    }
    return sums.high << 32 | sums.low;
  }
};

}  // namespace

std::unique_ptr<Checksum> make_fletcher64(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<Fletcher64>>(plan);
}

}  // namespace holdfast
