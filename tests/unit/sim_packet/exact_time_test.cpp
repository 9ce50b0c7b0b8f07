// Exact times of bytes against whole numbers of one fine unit.
#include "sim/packet/exact_time.hpp"

#include <gtest/gtest.h>

#include "sim/topology/link_rate.hpp"
#include "stack/base/random.hpp"

namespace holdfast::sim {
namespace {

__extension__ using Int = __int128;

Int gcd(Int a, Int b) {
  return b == 0 ? a : gcd(b, a % b);
}

const std::int64_t kRates[] = {*parse_link_rate("4xEDR"), *parse_link_rate("4xFDR"),
                               *parse_link_rate("1xFDR"), *parse_link_rate("4xQDR"),
                               *parse_link_rate("12xFDR")};

TEST(Serialisation, CommonRatesNeedNoParts) {
  Serialisation times;
  for (const std::int64_t rate : {2, 8, 16, 32, 40, 100, 200, 400, 800}) {
    times.add_rate(rate * 1'000'000'000);
  }
  EXPECT_TRUE(times.parts_per_unit() == 1);
  EXPECT_EQ(times.end({5, 0}, 100, times.add_rate(32'000'000'000)).units, 5 + 100 * 25);
}

// The same sums in units of 10 ps / (product of the rates, reduced).
TEST(Serialisation, ManyPacketsAtUnlikeRatesAddUpExactly) {
  Serialisation times;
  Int common = 1;
  for (const std::int64_t rate : kRates) {
    times.add_rate(rate);
    common = common / gcd(common, rate) * rate;
  }
  Random random(1, 2, 3);
  Instant at;
  Int sum = 0;  // bytes * common / rate: in 1/common of the time of a byte at 1 b/s
  for (int i = 0; i < 100'000; ++i) {
    const auto rate = static_cast<std::uint32_t>(random.below(std::size(kRates)));
    const auto bytes = static_cast<std::uint32_t>(1 + random.below(5000));
    at = times.end(at, bytes, rate);
    sum += bytes * (common / kRates[rate]);
  }
  // sum / common bytes at 1 b/s of 8 * 10^11 units each. Divide without overflow.
  const Int factor = Int{800'000'000'000};
  const Int whole = sum / common * factor +
                    sum % common / (common / gcd(common, factor)) * (factor / gcd(common, factor));
  const Int rest = sum % common % (common / gcd(common, factor));
  const Int more = rest * (factor / gcd(common, factor));
  const Int divisor = common / gcd(common, factor);
  EXPECT_EQ(at.units, static_cast<std::int64_t>(whole + more / divisor));
  // parts / parts_per_unit = (more mod divisor) / divisor.
  EXPECT_TRUE(static_cast<Int>(times.parts_per_unit()) % divisor == 0 ||
              divisor % static_cast<Int>(times.parts_per_unit()) == 0);
  const long double ours =
      static_cast<long double>(at.parts) / static_cast<long double>(times.parts_per_unit());
  const long double theirs =
      static_cast<long double>(more % divisor) / static_cast<long double>(divisor);
  EXPECT_NEAR(static_cast<double>(ours), static_cast<double>(theirs), 1e-15);
  EXPECT_EQ(round_up(at).value, at.units + (at.parts != 0 ? 1 : 0));
}

TEST(Serialisation, AFasterOutputStartsLateEnoughNotToRunDry) {
  Serialisation times;
  const std::uint32_t slow = times.add_rate(*parse_link_rate("4xFDR"));
  const std::uint32_t fast = times.add_rate(100'000'000'000);
  const Instant start{1'000, 0};
  EXPECT_EQ(times.start_to_keep_up(start, 4096, fast, slow), start);
  EXPECT_EQ(times.start_to_keep_up(start, 4096, slow, slow), start);
  const Instant later = times.start_to_keep_up(start, 4096, slow, fast);
  EXPECT_EQ(times.end(later, 4096, fast), times.end(start, 4096, slow));
}

}  // namespace
}  // namespace holdfast::sim
