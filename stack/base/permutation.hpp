// A keyed permutation of 0 … size-1 in O(1) memory: four Feistel rounds over the smallest even
// number of bits that holds the range, walked along its cycle until the value falls inside. Every
// process computes the same shuffle from the same key; nobody stores it.
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
  static constexpr int kRounds = 4;
  std::uint32_t round(int index, std::uint32_t half) const;

  std::uint32_t size_;
  std::uint32_t half_bits_;
  std::uint32_t half_mask_;
  std::array<std::uint64_t, kRounds> keys_;
};

}  // namespace holdfast
