// Arguments are reduced to a short interval about the point where a series is at its best.
#include "stack/base/elementary.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "stack/base/assert.hpp"

namespace holdfast {

namespace {

// ln 2 in two parts: the upper one has 32 bits, so its product with an exponent is exact.
constexpr double kLn2Upper = 0x1.62e42fee00000p-1;
constexpr double kLn2Lower = 0x1.a39ef35793c76p-33;
constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
constexpr double kHalfLogOfTwoPi = 0x1.d67f1c864beb5p-1;

constexpr std::uint64_t kFractionMask = 0x000f'ffff'ffff'ffff;
constexpr int kBias = 1023;
constexpr int kLeastExponent = -1022;

// 2^exponent for a normal result.
double power_of_two(int exponent) {
  HOLDFAST_ASSERT(exponent >= kLeastExponent && exponent <= kBias);
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kBias) << 52);
}

}  // namespace

// x = 2^k m with m about 1, and with s = (m - 1) / (m + 1)
//   ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...),  |s| < 0.172.
// f = m - 1 is exact, and 2 s = f - s f, so that only what is small beside f is rounded twice.
double natural_log(double x) {
  HOLDFAST_ASSERT(x > 0.0 && x <= std::numeric_limits<double>::max());
  int k = 0;
  if (x < power_of_two(kLeastExponent)) {
    x *= 0x1p54;
    k = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<int>(bits >> 52) - kBias;
  double m = std::bit_cast<double>((bits & kFractionMask) | std::uint64_t{kBias} << 52);
  if (m > kSqrt2) {
    m *= 0.5;
    ++k;
  }
  const double f = m - 1.0;
  const double s = f / (m + 1.0);
  const double s2 = s * s;
  double series = 0.0;  // s^2/3 + s^4/5 + ...
  for (int n = 23; n >= 3; n -= 2) series = s2 * (1.0 / n + series);
  const double rest = s * (f - 2.0 * series);  // ln m = f - rest
  const double whole = k;
  return whole * kLn2Upper + (f - (rest - whole * kLn2Lower));
}

// x = k ln 2 + r with |r| <= ln 2 / 2; e^r by its Taylor series, then 2^k in two steps, as a
// subnormal result needs.
double exponential(double x) {
  HOLDFAST_ASSERT(x == x);
  if (x > 709.8) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0.0;
  const double scaled = x * (1.0 / (kLn2Upper + kLn2Lower));
  const int k = static_cast<int>(scaled + (x < 0.0 ? -0.5 : 0.5));
  const double whole = k;
  const double upper = x - whole * kLn2Upper;
  const double lower = whole * kLn2Lower;
  const double r = upper - lower;
  const double lost = (upper - r) - lower;  // of r, when it was rounded
  double series = 0.0;                      // r^2/2! + r^3/3! + ... without its first factor r
  for (int n = 14; n >= 2; --n) series = r / n * (1.0 + series);
  const double result = 1.0 + (r + (r * series + lost));
  const int half = k / 2;
  return result * power_of_two(half) * power_of_two(k - half);
}

double power(double x, double y) {
  HOLDFAST_ASSERT(x >= 0.0);
  if (x == 0.0) {
    HOLDFAST_ASSERT(y > 0.0);
    return 0.0;
  }
  return exponential(y * natural_log(x));
}

// Stirling's series at z = x + n >= 20, then gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1)).
double gamma_function(double x) {
  HOLDFAST_ASSERT(x > 0.0 && x <= 170.0);
  double product = 1.0;
  double z = x;
  while (z < 20.0) {
    product *= z;
    z += 1.0;
  }
  // Bernoulli numbers B_2n / (2n (2n - 1)), n = 1 ... 6.
  constexpr double kStirling[] = {1.0 / 12.0,    -1.0 / 360.0, 1.0 / 1260.0,
                                  -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360360.0};
  const double inverse = 1.0 / z;
  const double inverse2 = inverse * inverse;
  double series = 0.0;
  for (int n = 5; n >= 0; --n) series = series * inverse2 + kStirling[n];
  series *= inverse;
  // z^(z - 1/2) in two factors: the whole would overflow before e^-z brings it back.
  const double half = power(z, 0.5 * z - 0.25);
  return half * exponential(-z) * half * exponential(kHalfLogOfTwoPi + series) / product;
}

}  // namespace holdfast
