// Logarithm, exponential and gamma function against values of 60 digits (mpmath 1.3), and against
// each other and long doubles over many arguments.
#include "stack/base/elementary.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "stack/base/random.hpp"

namespace holdfast {
namespace {

// The exact value is upper + lower: the nearest double, and what it lacks.
struct Expected {
  double x, upper, lower;
};

// The distance from the exact value, in units of the last place.
double units_off(double found, double upper, double lower) {
  const double unit = std::nextafter(std::abs(upper), HUGE_VAL) - std::abs(upper);
  return std::abs(((found - upper) - lower) / unit);
}

constexpr Expected kLogs[] = {
    {0x1.0000000000000p+0, 0x0.0p+0, 0x0.0p+0},
    {0x1.0000000000000p+1, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
    {0x1.0000000000000p-1, -0x1.62e42fefa39efp-1, -0x1.abc9e3b39803fp-56},
    {0x1.4000000000000p+3, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53},
    {0x1.999999999999ap-4, -0x1.26bb1bbb55515p+1, -0x1.8b752b6b15c17p-53},
    {0x1.0000000000001p+0, 0x1.fffffffffffffp-53, 0x1.5555555555554p-158},
    {0x1.fffffffffffffp-1, -0x1.0000000000000p-53, -0x1.0000000000000p-107},
    {0x1.6a09e667f3bcdp+0, 0x1.62e42fefa39f0p-2, 0x1.c2e0e1b1548c2p-56},
    {0x1.6a09e667f3bcep+0, 0x1.62e42fefa39f3p-2, 0x1.133014f0f271fp-56},
    {0x1.6a09e667f3bcdp-1, -0x1.62e42fefa39eep-2, 0x1.716fdfdbc882ep-60},
    {0x1.8000000000000p+1, 0x1.193ea7aad030bp+0, -0x1.a256f99caabebp-54},
    {0x1.56e1fc2f8f359p-997, -0x1.5963447f87fb5p+9, -0x1.aa670d35324e6p-46},
    {0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9, 0x1.abccc0710fcd4p-46},
    {0x0.0000000000001p-1022, -0x1.74385446d71c3p+9, -0x1.8e569fa8ee781p-45},
    {0x1.0000000000000p-1022, -0x1.6232bdd7abcd2p+9, -0x1.eef3fec1be37fp-46},
    {0x1.fffffffffffffp+1023, 0x1.62e42fefa39efp+9, 0x1.a9c9e3b39803fp-46},
    {0x1.000001ad7f29bp+0, 0x1.ad7f2847b6492p-24, 0x1.d7f4a57fcf3ddp-80},
    {0x1.fffffca501acbp-1, -0x1.ad7f2b1049b9fp-24, -0x1.abda442e82e0dp-78},
    {0x1.4b9ad0f953a6ep-2, -0x1.20a5adb6d4b80p+0, 0x1.8070e0b110a91p-54},
    {0x1.34f0696513270p-3, -0x1.e437b11a3e0dap+0, 0x1.763bb5923f67fp-56},
    {0x1.4d474883171ffp-1, -0x1.b7a68e4cfdc68p-2, 0x1.026a1cf345b52p-57},
    {0x1.28b2f3a47e100p-4, -0x1.500191e1d2c0cp+1, -0x1.478b38da43a75p-53},
    {0x1.125f2046063a0p-1, -0x1.3f681febe4ac7p-1, -0x1.10b3357c054d5p-55},
    {0x1.767727ca98cc2p-2, -0x1.018765e8c378bp+0, -0x1.628a7e42b62c2p-55},
    {0x1.f1f46d8d58d19p-54, -0x1.261deeefc4416p+5, 0x1.8bef3851a95fbp-50},
    {0x1.db2a82f09a7d0p+0, 0x1.3caa509c846fap-1, 0x1.37a2d781b3a3ap-57},
    {0x1.69e86fcccd95bp-56, -0x1.33c29ee69aba0p+5, 0x1.a1f870296094cp-51},
    {0x1.06bcf937a2a10p-8, -0x1.613a858707204p+2, -0x1.d1c0493e54dd8p-52},
    {0x1.4dc1965a81bf8p-52, -0x1.1e3a3449fd236p+5, 0x1.e7e7165849a3dp-50},
    {0x1.d8f4b0596f28ep-50, -0x1.1059289dcbd81p+5, -0x1.c4404673770c4p-49},
};

constexpr Expected kExponentials[] = {
    {0x1.0000000000000p+0, 0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53},
    {-0x1.0000000000000p+0, 0x1.78b56362cef38p-2, -0x1.ca8a4270fadf5p-57},
    {0x1.62e42fefa39efp-2, 0x1.6a09e667f3bccp+0, 0x1.f68d3de197eeap-54},
    {-0x1.62e42fefa39f0p-2, 0x1.6a09e667f3bccp-1, 0x1.23c2594027c9ep-55},
    {0x1.70ef54646d497p-57, 0x1.0000000000000p+0, 0x1.70ef54646d497p-57},
    {-0x1.b7cdfd9d7bdbbp-34, 0x1.ffffffff24190p-1, 0x1.31714b6a191dcp-57},
    {0x1.0000000000000p-1, 0x1.a61298e1e069cp+0, -0x1.b4690082a4906p-55},
    {0x1.4000000000000p+3, 0x1.5829dcf950560p+14, -0x1.83e055cfea4bbp-40},
    {-0x1.4000000000000p+3, 0x1.7cd79b5647c9bp-15, -0x1.8e936e2abd9dep-69},
    {0x1.9000000000000p+6, 0x1.3494a9b171bf5p+144, -0x1.4cf76bdb3376fp+90},
    {-0x1.9000000000000p+6, 0x1.a8c1f14e2af5dp-145, -0x1.43089bb228e2cp-199},
    {0x1.62d999999999ap+9, 0x1.d75ae7a50ee14p+1023, -0x1.a7242fe782b54p+968},
    {-0x1.6200000000000p+9, 0x1.7c8ab2288c9abp-1022, 0x0.0p+0},
    {-0x1.2c00000000000p+5, 0x1.dd5c566301ec8p-55, -0x1.884835ad01ca7p-109},
    {-0x1.8276355a2b560p+2, 0x1.38a2a0438eca3p-9, 0x1.2aa15ba1c892ep-64},
    {0x1.a25ee77a78fbcp+4, 0x1.a6cd119d80201p+37, 0x1.3f2e04499dc20p-18},
    {-0x1.e18892c86875ep+4, 0x1.7ee9f865556ecp-44, -0x1.0613f7c9c712cp-101},
    {-0x1.62410e5b19902p+4, 0x1.0a66c59737d4dp-32, 0x1.cd241a268523ap-88},
    {0x1.463aa2fa8f1b0p+3, 0x1.a21f6335dfef2p+14, -0x1.07d6746e6355bp-40},
    {0x1.1e88a214f2ef4p+5, 0x1.980c7a57d46e5p+51, 0x1.d0eb459ea5e49p-4},
    {0x1.8ac46076bf1b0p+2, 0x1.dd57e0f8da4a5p+8, 0x1.275022a8c2758p-47},
    {-0x1.087f7bf021a4ep+3, 0x1.0db8206a60b6cp-12, 0x1.672b8d83e68c5p-66},
};

constexpr Expected kGammas[] = {
    {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.0000000000000p-1, 0x1.c5bf891b4ef6bp+0, -0x1.618f13eb7ca89p-54},
    {0x1.8000000000000p+0, 0x1.c5bf891b4ef6bp-1, -0x1.618f13eb7ca89p-55},
    {0x1.0000000000000p+1, 0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.36db6db6db6dcp+1, 0x1.440d0261062adp+0, -0x1.1ecc11a44d2a3p-54},
    {0x1.8000000000000p+1, 0x1.0000000000000p+1, 0x0.0p+0},
    {0x1.5555555555555p+0, 0x1.c9349c4c603edp-1, -0x1.87b6bd27de5b9p-55},
    {0x1.6000000000000p+3, 0x1.baf8000000000p+21, 0x0.0p+0},
    {0x1.0624dd2f1a9fcp-10, 0x1.f3b63e2d41242p+9, -0x1.0698a477896e6p-45},
    {0x1.4800000000000p+4, 0x1.e02bbbd549cbbp+58, -0x1.f0d78d98779d4p+3},
    {0x1.9100000000000p+6, 0x1.b7d035f47bc48p+519, 0x1.f205b60a96eb5p+463},
    {0x1.5400000000000p+7, 0x1.f2054eb4d96ecp+1011, 0x1.5e1f856336480p+957},
};

TEST(Elementary, LogarithmIsWithinTwoUnits) {
  for (const auto& [x, upper, lower] : kLogs) {
    EXPECT_LE(units_off(natural_log(x), upper, lower), 2.0) << x;
  }
  EXPECT_EQ(natural_log(1.0), 0.0);
  Random random(1, 2, 3);
  for (int i = 0; i < 200'000; ++i) {
    const double x = i % 2 == 0 ? random.unit() + 0x1p-54 : 0.5 + 1.5 * random.unit();
    const long double exact = std::log(static_cast<long double>(x));
    const auto upper = static_cast<double>(exact);
    if (upper == 0.0) continue;
    ASSERT_LE(units_off(natural_log(x), upper, static_cast<double>(exact - upper)), 2.0) << x;
  }
}

TEST(Elementary, ExponentialIsWithinTwoUnits) {
  for (const auto& [x, upper, lower] : kExponentials) {
    EXPECT_LE(units_off(exponential(x), upper, lower), 2.0) << x;
  }
  EXPECT_EQ(exponential(0.0), 1.0);
  EXPECT_EQ(exponential(-746.0), 0.0);
  EXPECT_EQ(exponential(-745.0), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(exponential(710.0), HUGE_VAL);
  Random random(1, 2, 4);
  for (int i = 0; i < 200'000; ++i) {
    const double x = (random.unit() - 0.5) * (i % 2 == 0 ? 2.0 : 200.0);
    const long double exact = std::exp(static_cast<long double>(x));
    const auto upper = static_cast<double>(exact);
    ASSERT_LE(units_off(exponential(x), upper, static_cast<double>(exact - upper)), 2.0) << x;
  }
}

TEST(Elementary, PowerIsAsExactAsItSays) {
  Random random(1, 2, 5);
  for (int i = 0; i < 100'000; ++i) {
    const double x = random.unit() * 20.0 + 0x1p-53;
    const double y = random.unit() * 10.0 - 5.0;
    const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    const double most = (2.0 + 2.0 * std::abs(y * std::log(x))) * 0x1p-53;
    ASSERT_LE(std::abs((power(x, y) - exact) / exact), most) << x << " ^ " << y;
  }
  EXPECT_EQ(power(0.0, 0.3), 0.0);
  EXPECT_EQ(power(1.0, 123.0), 1.0);
}

TEST(Elementary, GammaFunction) {
  for (const auto& [x, upper, lower] : kGammas) {
    EXPECT_LE(std::abs((gamma_function(x) - upper) / upper), 1e-12) << x;
  }
}

// The very bits: what one compiler or machine makes must be what every other makes.
TEST(Elementary, TheSameBitsEverywhere) {
  Random random(5, 6, 7);
  std::uint64_t h = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double x = random.unit() + 0x1p-53;
    for (const double value :
         {natural_log(x), exponential(-x), power(x, 1.0 / 0.7), gamma_function(1.0 + 10.0 * x)}) {
      h = mix64(h ^ std::bit_cast<std::uint64_t>(value));
    }
  }
  EXPECT_EQ(h, 0xffec586933d3eaeeu);
}

}  // namespace
}  // namespace holdfast
