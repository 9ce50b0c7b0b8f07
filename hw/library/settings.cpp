// Times, a number and addresses from the environment.
#include "hw/library/settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "stack/base/excerpt.hpp"
#include "stack/several_rails.hpp"

namespace holdfast::hw {

namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits{
    {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
constexpr std::int64_t kDay_ns = 86'400'000'000'000;

std::string expected(const char* variable, const char* text, const char* what) {
  return std::string("the environment's ") + variable + " is \"" + excerpt(text) + "\"; expected " +
         what;
}

constexpr const char* kATime =
    "a whole number and a unit (ns, us, ms, s), such as 100ms; above zero, and at most a day";

// Result as that of read_settings.
std::string read_fabric(JobFabric& fabric) {
  const char* text = std::getenv(kFabricVariable);
  if (text == nullptr) return "";
  for (const auto& [name, named] :
       {std::pair{"udp", JobFabric::udp}, std::pair{"tcp", JobFabric::tcp},
        std::pair{"verbs", JobFabric::verbs}}) {
    if (std::string_view(text) != name) continue;
    fabric = named;
    return "";
  }
  return expected(kFabricVariable, text, "udp, tcp or verbs");
}

// Likewise.
std::string read_places(RailPlaces& places) {
  const char* text = std::getenv(kAddressesVariable);
  if (text == nullptr) {
    if (places.fabric != JobFabric::verbs) return "";
    const std::string wrong = add_first_port(places);
    return wrong.empty() ? "" : std::string(kFabricVariable) + " \"verbs\" " + wrong;
  }
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string place(rest.substr(0, comma));
    if (places.rails() == SeveralRails::kRailsMax) {
      return std::string("the environment's ") + kAddressesVariable +
             " has too many addresses; expected at most " +
             std::to_string(SeveralRails::kRailsMax) + ", one for each rail";
    }
    if (const std::string wrong = add_place(place, places); !wrong.empty()) {
      return std::string("in the environment's ") + kAddressesVariable + " \"" + excerpt(place) +
             "\" " + wrong;
    }
    if (comma == std::string_view::npos) return "";
    rest.remove_prefix(comma + 1);
  }
}

// PROTOCOL 12.4: with one rail left every so-manyth heartbeat comes.
std::string check_times(const Settings& settings) {
  const std::size_t rails = std::max<std::size_t>(settings.places.rails(), 1);
  if (settings.timeout < static_cast<std::int64_t>(2 * rails) * settings.period) {
    const std::string many = rails == 1 ? "two" : std::to_string(2 * rails);
    return std::string(kTimeoutVariable) + " (1s if it is not set) must be at least " + many +
           " of " + kPeriodVariable + " (100ms if it is not set)" +
           (rails == 1 ? "" : ", two for each address of " + std::string(kAddressesVariable));
  }
  if (settings.timeout / settings.period > UINT32_MAX) {
    return std::string(kTimeoutVariable) + " must be at most 2^32 of " + kPeriodVariable;
  }
  return "";
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
      return expected(variable, text, kATime);
    }
  }
  if (std::string wrong = read_fabric(settings.places.fabric); !wrong.empty()) return wrong;
  if (std::string wrong = read_places(settings.places); !wrong.empty()) return wrong;
  if (std::string wrong = check_times(settings); !wrong.empty()) return wrong;
  const char* text = std::getenv(kPerNodeVariable);
  if (text == nullptr) return "";
  const std::string_view number = text;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), settings.per_node);
  if (error == std::errc{} && end == number.data() + number.size() && settings.per_node > 0)
    return "";
  return expected(kPerNodeVariable, text, "a whole number from 1 to 4294967295");
}

std::string read_unreachable_max(Duration& duration) {
  const char* text = std::getenv(kUnreachableVariable);
  if (text == nullptr || parse_setting(text, duration)) return "";
  return expected(kUnreachableVariable, text, kATime);
}

}  // namespace holdfast::hw
