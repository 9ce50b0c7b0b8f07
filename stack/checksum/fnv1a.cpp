// FNV-1a of 64 bits (Fowler, Noll, Vo) over 64-bit words, as those have it who want speed; the
// bytes after the last whole word are taken one by one, so what is shorter than 8 bytes has the
// published value.
#include "stack/checksum/block_checksum.hpp"

namespace holdfast {

namespace {

constexpr std::uint64_t kOffsetBasis = 14695981039346656037u;
constexpr std::uint64_t kPrime = 1099511628211u;

class Fnv1a {
 public:
  static constexpr unsigned kBits = 64;
  static constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
  struct Sums {
    std::uint64_t hash;
  };

  static Sums begin(std::uint64_t seed, std::uint64_t /*bytes*/) { return {kOffsetBasis ^ seed}; }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    std::uint64_t hash = sums.hash;
    for (std::size_t i = 0; i < bytes; i += kWordBytes) {
      hash ^= take_word<kCopies, std::uint64_t>(kCopies ? to + i : nullptr, from + i);
      hash *= kPrime;
    }
    sums.hash = hash;
  }

  static std::uint64_t finish(Sums sums, const std::byte* tail, std::size_t tail_bytes,
                              std::uint64_t /*bytes*/) {
    for (std::size_t i = 0; i < tail_bytes; ++i) {
      sums.hash ^= std::to_integer<std::uint64_t>(tail[i]);
      sums.hash *= kPrime;
    }
    return sums.hash;
  }
};

}  // namespace

std::unique_ptr<Checksum> make_fnv1a(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<Fnv1a>>(plan);
}

}  // namespace holdfast
