// The exclusive or of all 32-bit words, the last one filled up with zeros: the parity of each of 32
// columns, so it misses any even number of flips in one.
#include "stack/checksum/word_sums.hpp"

namespace holdfast {

std::unique_ptr<Checksum> make_xor32(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<word_sums::WordSum<word_sums::ExclusiveOr>>>(plan);
}

}  // namespace holdfast
