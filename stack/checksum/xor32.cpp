// The exclusive or of all 32-bit words, the last one filled up with zeros: the parity of each of 32
// columns, so it misses any even number of flips in one.
#include "stack/checksum/block_checksum.hpp"

namespace holdfast {

namespace {

// Four 32-bit words; the compiler's vector, 16 bytes on every x86-64.
using Words = std::uint32_t __attribute__((vector_size(16)));

class Xor32 {
 public:
  static constexpr unsigned kBits = 32;
  static constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
  struct Sums {
    std::uint32_t value;
  };

  static Sums begin(std::uint64_t seed, std::uint64_t /*bytes*/) { return {folded_seed(seed)}; }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr std::size_t kStep = 4 * sizeof(Words);
    Words a{}, b{}, c{}, d{};
    std::size_t done = 0;
    for (; bytes - done >= kStep; done += kStep) {
      std::array<Words, 4> words;
      std::memcpy(words.data(), from + done, kStep);
      if constexpr (kCopies) std::memcpy(to + done, words.data(), kStep);
      a ^= words[0], b ^= words[1], c ^= words[2], d ^= words[3];
    }
    a ^= b, c ^= d, a ^= c;
    for (std::size_t i = 0; i < 4; ++i) sums.value ^= a[i];
    for (; done < bytes; done += kWordBytes) {
      sums.value ^= take_word<kCopies, std::uint32_t>(kCopies ? to + done : nullptr, from + done);
    }
  }

  static std::uint64_t finish(Sums sums, const std::byte* tail, std::size_t tail_bytes,
                              std::uint64_t /*bytes*/) {
    return sums.value ^ padded_word<std::uint32_t>(tail, tail_bytes);
  }
};

}  // namespace

std::unique_ptr<Checksum> make_xor32(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<Xor32>>(plan);
}

}  // namespace holdfast
