// The sum of all 32-bit words modulo 2^32, the last one filled up with zeros: as fast as memory is
// read. Misses words that changed places.
#include "stack/checksum/word_sums.hpp"

namespace holdfast {

std::unique_ptr<Checksum> make_sum32(const ChecksumPlan& plan) {
  return std::make_unique<BlockChecksum<word_sums::WordSum<word_sums::Add>>>(plan);
}

}  // namespace holdfast
