// What the environment asks of a process: what a launcher would tell it, if there is none, and what
// none does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hw/launch/rail_places.hpp"
#include "stack/base/time.hpp"

namespace holdfast::hw {

constexpr const char* kPeriodVariable = "HOLDFAST_PERIOD";
constexpr const char* kTimeoutVariable = "HOLDFAST_TIMEOUT";
constexpr const char* kPerNodeVariable = "HOLDFAST_PER_NODE";
constexpr const char* kFabricVariable = "HOLDFAST_FABRIC";
constexpr const char* kAddressesVariable = "HOLDFAST_ADDRESSES";

// The same as the options of `holdfast launch`, with the same defaults.
struct Settings {
  Duration period = milliseconds(100);  // > 0
  Duration timeout = seconds(1);        // >= 2 periods for each rail
  std::uint32_t per_node = 0;           // 0: as machines have them
  // Where frames and messages arrive, on at most SeveralRails::kRailsMax rails. No place of
  // sockets: one rail, where the meeting says.
  RailPlaces places;
};

// A whole number and ns, us, ms or s, with or without a blank between: "100ms". False if it is
// anything else, zero, or more than a day.
bool parse_setting(std::string_view text, Duration& duration);

// A sentence about what is wrong; empty: nothing.
std::string read_settings(Settings& settings);

// How long all rails to a process may be down until its messages end as unreachable; left as it is
// if the environment says nothing. The result is as that of read_settings.
constexpr const char* kUnreachableVariable = "HOLDFAST_UNREACHABLE";
std::string read_unreachable_max(Duration& duration);

}  // namespace holdfast::hw
