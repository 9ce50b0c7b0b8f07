// Polynomials over GF(2) modulo Castagnoli's 0x1EDC6F41, for constants and for joining CRCs.
//
// As CRC-32C sends the lowest bit first, a polynomial is written reflected: bit 31 is the
// coefficient of x^0, bit 0 that of x^31. A CRC register is such a polynomial; n more zero bytes
// multiply it by x^(8n).
#pragma once

#include <array>
#include <cstdint>

namespace holdfast::crc32c_polynomial {

constexpr std::uint32_t kReflected = 0x82f63b78;
constexpr std::uint32_t kOne = 0x80000000;

constexpr std::uint32_t times_x(std::uint32_t a) {
  return (a >> 1) ^ ((a & 1) != 0 ? kReflected : 0);
}

constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (; b != 0; b <<= 1, a = times_x(a)) {
    if ((b & kOne) != 0) sum ^= a;
  }
  return sum;
}

// x^(2^k); after x^(2^30) they repeat, as x^(2^31 - 1) is one.
constexpr std::array<std::uint32_t, 31> make_squares() {
  std::array<std::uint32_t, 31> squares{};
  std::uint32_t square = times_x(kOne);
  for (std::uint32_t& entry : squares) {
    entry = square;
    square = product(square, square);
  }
  return squares;
}
inline constexpr std::array<std::uint32_t, 31> kSquares = make_squares();

constexpr std::uint32_t power_of_x(std::uint64_t exponent) {
  std::uint32_t power = kOne;
  for (unsigned k = 0; exponent != 0; exponent >>= 1, k = k == 30 ? 0 : k + 1) {
    if ((exponent & 1) != 0) power = product(power, kSquares[k]);
  }
  return power;
}

// Factors for carry-less products. In a register of 128 bits, bit m is the coefficient of
// x^(127 - m). The product of a 64-bit half with a factor kept in the lowest 32 bits is theirs
// times x^33 if it was the upper half (the later bytes), and times x^33 / x^64 if the lower. So
// these move the halves of a register `bits` further towards the end of the data:
constexpr std::uint64_t lower_half_factor(std::uint64_t bits) {
  return power_of_x(bits + 31);
}
constexpr std::uint64_t upper_half_factor(std::uint64_t bits) {
  return power_of_x(bits - 33);
}
// And this moves a CRC: crc32 of the product of both, begun from zero, is the CRC after `bytes`
// zero bytes, at least 5.
constexpr std::uint64_t register_factor(std::uint64_t bytes) {
  return power_of_x(8 * bytes - 33);
}

}  // namespace holdfast::crc32c_polynomial
