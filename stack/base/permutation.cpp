// The Feistel rounds, forwards and backwards, and the walk along the cycle.
#include "stack/base/permutation.hpp"

#include <bit>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast {

Permutation::Permutation(std::uint32_t size, std::uint64_t key) : size_(size) {
  HOLDFAST_ASSERT(size > 0);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(size - 1));
  half_bits_ = bits < 2 ? 1 : (bits + 1) / 2;
  half_mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << half_bits_) - 1);
  std::uint64_t x = key;
  for (std::uint64_t& round_key : keys_) round_key = x = mix64(x);
}

std::uint32_t Permutation::round(int index, std::uint32_t half) const {
  const std::uint64_t mixed = mix64(keys_[static_cast<std::size_t>(index)] ^ half);
  return static_cast<std::uint32_t>(mixed >> 32) & half_mask_;
}

std::uint32_t Permutation::forward(std::uint32_t x) const {
  HOLDFAST_ASSERT(x < size_);
  // The cycle that leads out of the range comes back into it: x itself lies on it.
  do {
    std::uint32_t left = x >> half_bits_;
    std::uint32_t right = x & half_mask_;
    for (int i = 0; i < kRounds; ++i) {
      const std::uint32_t next_right = left ^ round(i, right);
      left = right;
      right = next_right;
    }
    x = left << half_bits_ | right;
  } while (x >= size_);
  return x;
}

std::uint32_t Permutation::inverse(std::uint32_t x) const {
  HOLDFAST_ASSERT(x < size_);
  do {
    std::uint32_t left = x >> half_bits_;
    std::uint32_t right = x & half_mask_;
    for (int i = kRounds - 1; i >= 0; --i) {
      const std::uint32_t previous_left = right ^ round(i, left);
      right = left;
      left = previous_left;
    }
    x = left << half_bits_ | right;
  } while (x >= size_);
  return x;
}

}  // namespace holdfast
