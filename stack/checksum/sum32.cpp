// The sum of all 32-bit words modulo 2^32, the last one filled up with zeros: as fast as memory is
// read. Misses words that changed places.
#include "stack/checksum/block_checksum.hpp"
#include "stack/checksum/word_sums.hpp"

namespace holdfast {

namespace {

class Sum32 {
 public:
  static constexpr unsigned kBits = 32;
  static constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
  struct Sums {
    std::uint32_t value;
  };

  static Sums begin(std::uint64_t seed, std::uint64_t /*bytes*/) { return {folded_seed(seed)}; }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    sums.value = word_sums::of_words<word_sums::Add, kCopies>(sums.value, to, from, bytes);
  }

  static std::uint64_t finish(Sums sums, const std::byte* tail, std::size_t tail_bytes,
                              std::uint64_t /*bytes*/) {
    return sums.value + padded_word<std::uint32_t>(tail, tail_bytes);
  }
};

}  // namespace

std::unique_ptr<Checksum> make_sum32(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<Sum32>>(plan);
}

}  // namespace holdfast
