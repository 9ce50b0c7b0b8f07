// Division by a number that is fixed at run time, in one multiplication instead of some twenty
// cycles. Exact for every 32-bit dividend: q = floor(n * M / 2^64) with M = ceil(2^64 / d) is n /
// d, because n * (M - 2^64/d) stays below 2^64 / d (Granlund and Montgomery, PLDI 1994).
#pragma once

#include <cstdint>

#include "stack/base/assert.hpp"

namespace holdfast {

class Divisor {
 public:
  explicit Divisor(std::uint32_t divisor)
      : divisor_(divisor), reciprocal_(divisor > 1 ? UINT64_MAX / divisor + 1 : 0) {
    HOLDFAST_ASSERT(divisor > 0);
  }

  std::uint32_t quotient(std::uint32_t n) const {
    if (reciprocal_ == 0) return n;
    return static_cast<std::uint32_t>(static_cast<Wide>(n) * reciprocal_ >> 64);
  }

  std::uint32_t remainder(std::uint32_t n) const { return n - quotient(n) * divisor_; }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint32_t divisor_;
  std::uint64_t reciprocal_;  // 0 for a divisor of 1, whose reciprocal would be 2^64
};

}  // namespace holdfast
