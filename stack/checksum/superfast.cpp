// SuperFastHash (Hsieh, 2004), of 32 bits, as published: starts from the length, takes 32 bits as
// two halves; of the last bytes a single one, and the third of three, count as signed.
#include "stack/checksum/block_checksum.hpp"

namespace holdfast {

namespace {

class SuperFast {
 public:
  static constexpr unsigned kBits = 32;
  static constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
  struct Sums {
    std::uint32_t hash;
  };

  static Sums begin(std::uint64_t seed, std::uint64_t bytes) {
    return {folded_seed(seed) ^ static_cast<std::uint32_t>(bytes)};
  }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    std::uint32_t hash = sums.hash;
    for (std::size_t i = 0; i < bytes; i += kWordBytes) {
      const std::uint32_t word =
          take_word<kCopies, std::uint32_t>(kCopies ? to + i : nullptr, from + i);
      hash += word & 0xffff;
      hash = (hash << 16) ^ (((word >> 16) << 11) ^ hash);
      hash += hash >> 11;
    }
    sums.hash = hash;
  }

  static std::uint64_t finish(Sums sums, const std::byte* tail, std::size_t tail_bytes,
                              std::uint64_t /*bytes*/) {
    std::uint32_t hash = sums.hash;
    if (tail_bytes >= 2) hash += load_le<std::uint16_t>(tail);
    if (tail_bytes == 3) {
      hash ^= hash << 16;
      hash ^= signed_byte(tail[2]) << 18;
      hash += hash >> 11;
    } else if (tail_bytes == 2) {
      hash ^= hash << 11;
      hash += hash >> 17;
    } else if (tail_bytes == 1) {
      hash += signed_byte(tail[0]);
      hash ^= hash << 10;
      hash += hash >> 1;
    }
    hash ^= hash << 3;
    hash += hash >> 5;
    hash ^= hash << 4;
    hash += hash >> 17;
    hash ^= hash << 25;
    hash += hash >> 6;
    return hash;
  }

 private:
  static std::uint32_t signed_byte(std::byte byte) {
    return static_cast<std::uint32_t>(static_cast<std::int8_t>(std::to_integer<int>(byte)));
  }
};

}  // namespace

std::unique_ptr<Checksum> make_superfast(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<SuperFast>>(plan);
}

}  // namespace holdfast
