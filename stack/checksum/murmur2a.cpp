// MurmurHash2A (Appleby, 2009), of 32 bits, as published: a Merkle-Damgard construction whose last
// two words are what is left of the data and the length.
#include "stack/checksum/block_checksum.hpp"

namespace holdfast {

namespace {

constexpr std::uint32_t kMultiplier = 0x5bd1e995;

class Murmur2a {
 public:
  static constexpr unsigned kBits = 32;
  static constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
  struct Sums {
    std::uint32_t hash;
  };

  static Sums begin(std::uint64_t seed, std::uint64_t /*bytes*/) { return {folded_seed(seed)}; }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    std::uint32_t hash = sums.hash;
    for (std::size_t i = 0; i < bytes; i += kWordBytes) {
      hash = mixed(hash, take_word<kCopies, std::uint32_t>(kCopies ? to + i : nullptr, from + i));
    }
    sums.hash = hash;
  }

  static std::uint64_t finish(Sums sums, const std::byte* tail, std::size_t tail_bytes,
                              std::uint64_t bytes) {
    std::uint32_t hash = mixed(sums.hash, padded_word<std::uint32_t>(tail, tail_bytes));
    hash = mixed(hash, static_cast<std::uint32_t>(bytes));
    hash ^= hash >> 13;
    hash *= kMultiplier;
    hash ^= hash >> 15;
    return hash;
  }

 private:
  static std::uint32_t mixed(std::uint32_t hash, std::uint32_t word) {
    word *= kMultiplier;
    word ^= word >> 24;
    word *= kMultiplier;
    return (hash * kMultiplier) ^ word;
  }
};

}  // namespace

std::unique_ptr<Checksum> make_murmur2a(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<Murmur2a>>(plan);
}

}  // namespace holdfast
