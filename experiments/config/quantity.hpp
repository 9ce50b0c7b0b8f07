// Quantities with units, as people write them: "100 ms", "2.5 us", "10 years", "100 Gb/s", "2 %".
// The arithmetic is exact: a text that is not a whole number of nanoseconds, of bits per second or
// of millionths is an error, never rounded. A year is 365.25 days.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stack/base/time.hpp"

namespace holdfast::runner {

// A value, or what is wrong with the text: `error` ends the sentence "the text has ...", as in "a
// negative number"; `hint` helps to mend it and may be empty.
template <class Value>
struct Parsed {
  std::optional<Value> value;
  std::string error;
  std::string hint;
};

// Units: ns, us, ms, s, min, h, day(s), year(s). No sign, no exponent; at most about 292 years.
Parsed<Duration> parse_duration(std::string_view text);

// Bits per second in units of b/s, kb/s, Mb/s, Gb/s, Tb/s, in powers of ten.
Parsed<std::int64_t> parse_rate(std::string_view text);

// A share of one, as "2 %" or "0.5%", in millionths.
Parsed<std::int64_t> parse_percentage(std::string_view text);

// The shortest exact text whose number is at least 1, of two equally short the one in the larger
// unit; zero is "0 s". parse_duration gives the same duration back. `duration` must not be
// negative.
std::string format_duration(Duration duration);

// The same for a rate, which must not be negative.
std::string format_rate(std::int64_t bits_per_second);

}  // namespace holdfast::runner
