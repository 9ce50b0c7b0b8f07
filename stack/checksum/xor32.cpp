// The exclusive or of all 32-bit words, the last one filled up with zeros: the parity of each of 32
// columns, so it misses any even number of flips in one.
#include "stack/checksum/block_checksum.hpp"
#include "stack/checksum/word_sums.hpp"

namespace holdfast {

namespace {

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
    sums.value = word_sums::of_words<word_sums::ExclusiveOr, kCopies>(sums.value, to, from, bytes);
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
