// Quantities with units: exact, and read back as they were written.
#include "experiments/config/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "stack/base/random.hpp"

namespace holdfast::runner {
namespace {

std::int64_t ns(std::string_view text) {
  const auto parsed = parse_duration(text);
  EXPECT_TRUE(parsed.value.has_value()) << text << ": " << parsed.error;
  return parsed.value.value_or(Duration{-1}).ns;
}

TEST(Quantity, ReadsEveryUnitOfTime) {
  EXPECT_EQ(ns("7 ns"), 7);
  EXPECT_EQ(ns("2.5 us"), 2'500);
  EXPECT_EQ(ns("100 ms"), 100'000'000);
  EXPECT_EQ(ns("1 s"), 1'000'000'000);
  EXPECT_EQ(ns("60 min"), 3'600'000'000'000);
  EXPECT_EQ(ns("1.5 h"), 5'400'000'000'000);
  EXPECT_EQ(ns("2 days"), 172'800'000'000'000);
  EXPECT_EQ(ns("1 day"), 86'400'000'000'000);
  EXPECT_EQ(ns("10 years"), 10 * 31'557'600 * std::int64_t{1'000'000'000});
  EXPECT_EQ(ns("100ms"), 100'000'000);
  EXPECT_EQ(ns("0 s"), 0);
}

TEST(Quantity, IsExactWhereFloatingPointIsNot) {
  EXPECT_EQ(ns("0.1 s"), 100'000'000);
  EXPECT_EQ(ns("9007199.254740993 s"), 9'007'199'254'740'993);  // 2^53 + 1
  EXPECT_EQ(ns("9223372036.854775807 s"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(ns("1.000000001000 s"), 1'000'000'001);
}

TEST(Quantity, RefusesWhatIsNoWholeNumberOfNanoseconds) {
  EXPECT_FALSE(parse_duration("0.5 ns").value);
  EXPECT_FALSE(parse_duration("1.0000000001 s").value);
  EXPECT_FALSE(parse_duration("9223372036.854775808 s").value);
  EXPECT_FALSE(parse_duration("293 years").value);
  EXPECT_FALSE(parse_duration("99999999999999999999 ns").value);
  EXPECT_FALSE(parse_duration("0.00000000000000000000000001 years").value);
}

TEST(Quantity, RefusesWhatIsNoQuantity) {
  for (const char* text : {"", " ", "s", "5", "5 ", "5  s", " 5 s", "5 s ", "-5 s", "+5 s", "5 S",
                           "5. s", ".5 s", "1e3 s", "5 sec", "0x5 s", "5,5 s", "1 2 s", "1 b/s"}) {
    const auto parsed = parse_duration(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_FALSE(parsed.error.empty()) << text;
  }
}

TEST(Quantity, ReadsRates) {
  EXPECT_EQ(parse_rate("100 Gb/s").value, 100'000'000'000);
  EXPECT_EQ(parse_rate("2.5 Gb/s").value, 2'500'000'000);
  EXPECT_EQ(parse_rate("10 Mb/s").value, 10'000'000);
  EXPECT_EQ(parse_rate("1 b/s").value, 1);
  EXPECT_FALSE(parse_rate("100 GB/s").value);
  EXPECT_NE(parse_rate("100 GB/s").hint.find("1 GB/s is 8 Gb/s"), std::string::npos);
  EXPECT_FALSE(parse_rate("100 s").value);
  EXPECT_FALSE(parse_rate("0.5 b/s").value);
}

TEST(Quantity, WritesTheShortestText) {
  EXPECT_EQ(format_duration(milliseconds(100)), "100 ms");
  EXPECT_EQ(format_duration(milliseconds(1500)), "1.5 s");
  EXPECT_EQ(format_duration(seconds(60)), "60 s");
  EXPECT_EQ(format_duration(seconds(3600)), "1 h");
  EXPECT_EQ(format_duration(seconds(86'400)), "24 h");
  EXPECT_EQ(format_duration(seconds(172'800)), "48 h");
  EXPECT_EQ(format_duration(seconds(31'557'600)), "1 year");
  EXPECT_EQ(format_duration(nanoseconds(2500)), "2.5 us");
  EXPECT_EQ(format_duration(nanoseconds(0)), "0 s");
  EXPECT_EQ(format_rate(100'000'000'000), "100 Gb/s");
  EXPECT_EQ(format_rate(2'500'000'000), "2.5 Gb/s");
  EXPECT_EQ(format_rate(0), "0 b/s");
}

TEST(Quantity, ReadsBackWhatItWrites) {
  Random random(1, 0, 0);
  for (int i = 0; i < 20'000; ++i) {
    // All magnitudes, and round numbers as well as odd ones.
    auto value = static_cast<std::int64_t>(random.next() >> (1 + random.below(62)));
    for (std::uint64_t zeros = random.below(10); zeros > 0; --zeros) {
      if (value < std::numeric_limits<std::int64_t>::max() / 10) value *= 10;
    }
    EXPECT_EQ(parse_duration(format_duration({value})).value, Duration{value});
    EXPECT_EQ(parse_rate(format_rate(value)).value, value);
  }
}

TEST(Quantity, ReadsShares) {
  EXPECT_EQ(parse_percentage("2 %").value, 20'000);
  EXPECT_EQ(parse_percentage("0.5%").value, 5'000);
  EXPECT_EQ(parse_percentage("0.0001 %").value, 1);
  EXPECT_EQ(parse_percentage("100 %").value, 1'000'000);
  for (const char* wrong : {"2", "0.00001 %", "-1 %", "%", "2 percent", "2 %%"})
    EXPECT_FALSE(parse_percentage(wrong).value.has_value()) << wrong;
}

}  // namespace
}  // namespace holdfast::runner
