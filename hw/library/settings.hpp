// What the environment asks of a process that has no launcher to tell it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stack/base/time.hpp"

namespace holdfast::hw {

constexpr const char* kPeriodVariable = "HOLDFAST_PERIOD";
constexpr const char* kTimeoutVariable = "HOLDFAST_TIMEOUT";
constexpr const char* kPerNodeVariable = "HOLDFAST_PER_NODE";

// The same as the options of `holdfast launch`, with the same defaults.
struct Settings {
  Duration period = milliseconds(100);  // > 0
  Duration timeout = seconds(1);        // >= 2 periods
  std::uint32_t per_node = 0;           // 0: as machines have them
};

// A whole number and ns, us, ms or s, with or without a blank between: "100ms". False if it is
// anything else, zero, or more than a day.
bool parse_setting(std::string_view text, Duration& duration);

// A sentence about what is wrong; empty: nothing.
std::string read_settings(Settings& settings);

}  // namespace holdfast::hw
