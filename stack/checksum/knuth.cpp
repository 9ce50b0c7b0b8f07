// Knuth's hash by rotation (The Art of Computer Programming, volume 3, section 6.4): starts from
// the length; each byte is added without carry after a rotation by five bits. Linear, and two equal
// flips 32 bytes apart cancel out.
#include <bit>

#include "stack/checksum/block_checksum.hpp"

namespace holdfast {

namespace {

class Knuth {
 public:
  static constexpr unsigned kBits = 32;
  static constexpr std::size_t kWordBytes = 1;
  struct Sums {
    std::uint32_t hash;
  };

  static Sums begin(std::uint64_t seed, std::uint64_t bytes) {
    return {folded_seed(seed) ^ static_cast<std::uint32_t>(bytes)};
  }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    std::uint32_t hash = sums.hash;
    take_bytes<kCopies>(to, from, bytes,
                        [&](std::uint32_t byte) { hash = std::rotl(hash, 5) ^ byte; });
    sums.hash = hash;
  }

  static std::uint64_t finish(Sums sums, const std::byte* /*tail*/, std::size_t /*tail_bytes*/,
                              std::uint64_t /*bytes*/) {
    return sums.hash;
  }
};

}  // namespace

std::unique_ptr<Checksum> make_knuth(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<Knuth>>(plan);
}

}  // namespace holdfast
