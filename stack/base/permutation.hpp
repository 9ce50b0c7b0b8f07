// A keyed permutation of 0 … size-1 in O(1) memory: ten Feistel rounds over the smallest even
// number of bits that holds the range, walked along its cycle until the value falls inside. Every
// process computes the same shuffle from the same key; nobody stores it.
//
// Fewer rounds would do for secrecy of large ranges, but not for statistics of small ones: with
// four, two neighbours of 48 stay neighbours a quarter more often than in a random permutation, and
// of 1,024 half as often again. With ten no difference is left to be seen in 400,000 keys.
#pragma once

#include <array>
#include <cstdint>

namespace holdfast {

class Permutation {
 public:
  // size must be positive.
  Permutation(std::uint32_t size, std::uint64_t key);

  // Both take and return values below size(); inverse(forward(x)) == x.
  std::uint32_t forward(std::uint32_t x) const;
  std::uint32_t inverse(std::uint32_t x) const;
  std::uint32_t size() const { return size_; }

 private:
  static constexpr int kRounds = 10;
  std::uint32_t round(int index, std::uint32_t half) const;

  std::uint32_t size_;
  std::uint32_t half_bits_;
  std::uint32_t half_mask_;
  std::array<std::uint64_t, kRounds> keys_;
};

}  // namespace holdfast
