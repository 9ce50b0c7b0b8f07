// Times and a number from the environment.
#include "hw/library/settings.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "stack/base/excerpt.hpp"

namespace holdfast::hw {

namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits{
    {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
constexpr std::int64_t kDay_ns = 86'400'000'000'000;

std::string expected(const char* variable, const char* text, const char* what) {
  return std::string("the environment's ") + variable + " is \"" + excerpt(text) + "\"; expected " +
         what;
}

}  // namespace

bool parse_setting(std::string_view text, Duration& duration) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  for (const auto& [name, unit_ns] : kUnits) {
    if (text != name || count <= 0 || count > kDay_ns / unit_ns) continue;
    duration = {count * unit_ns};
    return true;
  }
  return false;
}

std::string read_settings(Settings& settings) {
  for (const auto& [variable, duration] : {std::pair{kPeriodVariable, &settings.period},
                                           std::pair{kTimeoutVariable, &settings.timeout}}) {
    const char* text = std::getenv(variable);
    if (text != nullptr && !parse_setting(text, *duration)) {
      return expected(variable, text, "a whole number and a unit (ns, us, ms, s), such as 100ms");
    }
  }
  if (settings.timeout < 2 * settings.period) {
    return std::string(kTimeoutVariable) + " (1s if it is not set) must be at least two of " +
           kPeriodVariable + " (100ms if it is not set)";
  }
  if (settings.timeout / settings.period > UINT32_MAX) {
    return std::string(kTimeoutVariable) + " must be at most 2^32 of " + kPeriodVariable;
  }
  const char* text = std::getenv(kPerNodeVariable);
  if (text == nullptr) return "";
  const std::string_view number = text;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), settings.per_node);
  if (error == std::errc{} && end == number.data() + number.size() && settings.per_node > 0)
    return "";
  return expected(kPerNodeVariable, text, "a whole number above zero");
}

}  // namespace holdfast::hw
