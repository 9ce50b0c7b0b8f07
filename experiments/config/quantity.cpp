// A decimal is kept as two whole numbers, what stands before and after the point; no floating point
// is involved.
#include "experiments/config/quantity.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "experiments/config/nearest.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::runner {

namespace {

struct Unit {
  std::string_view name;
  std::string_view singular;  // what 1 is written with; also read with other numbers
  std::int64_t factor;
};

__extension__ typedef __int128 Wide;  // holds the product of any two int64

constexpr std::size_t kUnitShownBytes = 16;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

constexpr std::array<Unit, 8> kTimeUnits{{{"ns", "ns", 1},
                                          {"us", "us", 1'000},
                                          {"ms", "ms", 1'000'000},
                                          {"s", "s", kSecond},
                                          {"min", "min", 60 * kSecond},
                                          {"h", "h", 3'600 * kSecond},
                                          {"days", "day", kDay},
                                          {"years", "year", 365 * kDay + kDay / 4}}};

constexpr std::array<Unit, 5> kRateUnits{{{"b/s", "b/s", 1},
                                          {"kb/s", "kb/s", 1'000},
                                          {"Mb/s", "Mb/s", 1'000'000},
                                          {"Gb/s", "Gb/s", 1'000'000'000},
                                          {"Tb/s", "Tb/s", 1'000'000'000'000}}};

constexpr std::array<Unit, 1> kShareUnits{{{"%", "%", 10'000}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                  text.begin());
}

// a * b + c, or nothing where that is over int64. All are non-negative.
std::optional<std::int64_t> multiply_add(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result)) {
    return std::nullopt;
  }
  return result;
}

// whole.fraction times the unit's factor, exactly. The fraction is numerator / denominator with a
// power of ten below; it is right only where that power divides numerator * factor.
Parsed<std::int64_t> scaled(std::string_view whole, std::string_view fraction, const Unit& unit,
                            std::string_view base_unit) {
  std::int64_t number = 0;
  for (const char digit : whole) {
    const auto next = multiply_add(number, 10, digit - '0');
    if (!next) return {std::nullopt, "a number that is too large", ""};
    number = *next;
  }
  fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);  // npos + 1 is 0
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  for (const char digit : fraction) {
    const auto next_numerator = multiply_add(numerator, 10, digit - '0');
    const auto next_denominator = multiply_add(denominator, 10, 0);
    if (!next_numerator || !next_denominator) {
      return {std::nullopt, "more decimals than fit a whole number of " + std::string(base_unit),
              ""};
    }
    numerator = *next_numerator;
    denominator = *next_denominator;
  }
  const Wide product = static_cast<Wide>(numerator) * unit.factor;
  if (product % denominator != 0) {
    return {std::nullopt, "more decimals than fit a whole number of " + std::string(base_unit), ""};
  }
  const auto result =
      multiply_add(number, unit.factor, static_cast<std::int64_t>(product / denominator));
  if (!result) return {std::nullopt, "a number that is too large", ""};
  return {result, "", ""};
}

Parsed<std::int64_t> unknown_unit(std::string_view name, std::span<const Unit> units) {
  std::vector<std::string> names;
  for (const Unit& unit : units) names.emplace_back(unit.name);
  const std::string known =
      (names.size() == 1 ? "the unit is " : "the units are ") + config::listed(names, "and");
  if (name.size() > kUnitShownBytes) return {std::nullopt, "no unit after its number", known};
  const std::string error = "the unknown unit " + config::quoted(name);
  if (name.ends_with("B/s")) {
    return {std::nullopt, error, "rates count bits: 1 GB/s is 8 Gb/s"};
  }
  return {std::nullopt, error, known + config::did_you_mean(name, names)};
}

Parsed<std::int64_t> parse(std::string_view text, std::span<const Unit> units,
                           std::string_view base_unit) {
  const std::string_view whole = text.substr(0, count_digits(text));
  std::string_view rest = text.substr(whole.size());
  if (text.empty()) return {std::nullopt, "no number", ""};
  if (text[0] == '-') return {std::nullopt, "a negative number", ""};
  if (whole.empty()) return {std::nullopt, "no number in front of a unit", ""};
  std::string_view fraction;
  if (rest.starts_with('.')) {
    fraction = rest.substr(1, count_digits(rest.substr(1)));
    if (fraction.empty()) return {std::nullopt, "no digit after the point", ""};
    rest.remove_prefix(1 + fraction.size());
  }
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) return {std::nullopt, "a number without a unit", ""};
  for (const Unit& unit : units) {
    if (rest == unit.name || rest == unit.singular) return scaled(whole, fraction, unit, base_unit);
  }
  return unknown_unit(rest, units);
}

// value / factor as a decimal, or nothing where the decimals do not end.
std::optional<std::string> exact_decimal(std::int64_t value, std::int64_t factor) {
  std::string text = std::to_string(value / factor);
  std::int64_t rest = value % factor;
  if (rest != 0) text += '.';
  for (int digits = 0; rest != 0; ++digits) {
    // No remainder of these units that ends at all needs more digits than 10^18 has.
    if (digits == 18) return std::nullopt;
    text += static_cast<char>('0' + rest * 10 / factor);
    rest = rest * 10 % factor;
  }
  return text;
}

std::string format(std::int64_t value, std::span<const Unit> units) {
  std::string shortest;
  for (const Unit& unit : units) {
    if (value < unit.factor) break;
    const auto number = exact_decimal(value, unit.factor);
    if (!number) continue;
    const std::string text =
        *number + " " + std::string(*number == "1" ? unit.singular : unit.name);
    if (shortest.empty() || text.size() <= shortest.size()) shortest = text;
  }
  return shortest;
}

}  // namespace

Parsed<Duration> parse_duration(std::string_view text) {
  const auto parsed = parse(text, kTimeUnits, "nanoseconds");
  if (!parsed.value) return {std::nullopt, parsed.error, parsed.hint};
  return {Duration{*parsed.value}, "", ""};
}

Parsed<std::int64_t> parse_rate(std::string_view text) {
  return parse(text, kRateUnits, "bits per second");
}

Parsed<std::int64_t> parse_percentage(std::string_view text) {
  return parse(text, kShareUnits, "millionths");
}

std::string format_duration(Duration duration) {
  HOLDFAST_ASSERT(duration.ns >= 0);
  return duration.ns == 0 ? "0 s" : format(duration.ns, kTimeUnits);
}

std::string format_rate(std::int64_t bits_per_second) {
  HOLDFAST_ASSERT(bits_per_second >= 0);
  return bits_per_second == 0 ? "0 b/s" : format(bits_per_second, kRateUnits);
}

}  // namespace holdfast::runner
