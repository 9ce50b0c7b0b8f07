// Random streams: one seed, many independent streams, the same numbers on every machine.
//
// xoshiro256** (Blackman and Vigna, 2018) seeded through splitmix64. A stream is named by (seed,
// purpose, index), so that adding a consumer does not shift the numbers of the others. No
// std::*_distribution: their algorithms differ between libraries.
#pragma once

#include <cstdint>

namespace holdfast {

// One step of splitmix64: a well mixed 64-bit function of its argument.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Random {
 public:
  // The stream `index` of those that `purpose` draws from `seed`.
  Random(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index) {
    std::uint64_t x = mix64(mix64(mix64(seed) ^ purpose) ^ index);
    for (std::uint64_t& word : state_) word = x = mix64(x);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), without bias (Lemire, 2019). bound must be positive.
  std::uint64_t below(std::uint64_t bound);

  // Uniform in [0, 1): a multiple of 2^-53.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  friend bool operator==(const Random&, const Random&) = default;

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }
  std::uint64_t state_[4];
};

}  // namespace holdfast
