// Jenkins' one-at-a-time hash (Dr. Dobb's, 1997), of 32 bits, as published.
#include "stack/checksum/block_checksum.hpp"

namespace holdfast {

namespace {

class JenkinsOneAtATime {
 public:
  static constexpr unsigned kBits = 32;
  static constexpr std::size_t kWordBytes = 1;
  struct Sums {
    std::uint32_t hash;
  };

  static Sums begin(std::uint64_t seed, std::uint64_t /*bytes*/) { return {folded_seed(seed)}; }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    std::uint32_t hash = sums.hash;
    take_bytes<kCopies>(to, from, bytes, [&](std::uint32_t byte) {
      hash += byte;
      hash += hash << 10;
      hash ^= hash >> 6;
    });
    sums.hash = hash;
  }

  static std::uint64_t finish(Sums sums, const std::byte* /*tail*/, std::size_t /*tail_bytes*/,
                              std::uint64_t /*bytes*/) {
    std::uint32_t hash = sums.hash;
    hash += hash << 3;
    hash ^= hash >> 11;
    hash += hash << 15;
    return hash;
  }
};

}  // namespace

std::unique_ptr<Checksum> make_jenkins_oaat(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<JenkinsOneAtATime>>(plan);
}

}  // namespace holdfast
