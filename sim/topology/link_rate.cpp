// Rates of InfiniBand links; see the header.
#include "sim/topology/link_rate.hpp"

#include <array>

namespace holdfast::sim {

namespace {

struct Speed {
  std::string_view name;
  std::int64_t lane_bits_per_second;  // of data
};

// Each entry: signalling rate of one lane times the code's share of data. FDR is rounded down to a
// whole number per lane (3e-11 of it), so that all rates have a small common multiple.
constexpr std::array<Speed, 9> kSpeeds = {{
    {"SDR", 2'500'000'000 / 10 * 8},
    {"DDR", 5'000'000'000 / 10 * 8},
    {"QDR", 10'000'000'000 / 10 * 8},
    {"FDR10", 10'312'500'000 / 66 * 64},
    {"FDR", 14'062'500'000 * 64 / 66},
    {"EDR", 25'781'250'000 / 66 * 64},
    {"HDR", 50'000'000'000},   // 53.125 Gb/s * 514/544 * 256/257 = 50.000
    {"NDR", 100'000'000'000},  // twice that
    {"XDR", 200'000'000'000},  // and again
}};

struct Width {
  std::string_view name;
  std::int64_t lanes;
};

constexpr std::int64_t kUsualLanes = 4;

constexpr std::array<Width, 5> kWidths = {{{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"12", 12}}};

}  // namespace

std::optional<std::int64_t> parse_link_rate(std::string_view text) {
  const std::size_t x = text.find('x');
  if (x == std::string_view::npos) return std::nullopt;
  for (const Width& width : kWidths) {
    if (width.name != text.substr(0, x)) continue;
    for (const Speed& speed : kSpeeds) {
      if (speed.name == text.substr(x + 1)) return width.lanes * speed.lane_bits_per_second;
    }
  }
  return std::nullopt;
}

std::uint32_t link_lanes(std::string_view text) {
  if (!parse_link_rate(text)) return 0;
  for (const Width& width : kWidths) {
    if (width.name == text.substr(0, text.find('x')))
      return static_cast<std::uint32_t>(width.lanes);
  }
  return 0;
}

std::string link_rate_name(std::int64_t bits_per_second, std::uint32_t lanes) {
  const auto with = [&](const Width& width) -> std::string {
    for (const Speed& speed : kSpeeds) {
      if (width.lanes * speed.lane_bits_per_second == bits_per_second)
        return std::string(width.name) + "x" + std::string(speed.name);
    }
    return "";
  };
  const std::int64_t preferred = lanes == 0 ? kUsualLanes : lanes;
  std::string name;
  for (const Width& width : kWidths) {
    if (width.lanes == preferred) name = with(width);
  }
  if (lanes != 0) return name;
  for (const Width& width : kWidths) {
    if (name.empty()) name = with(width);
  }
  return name;
}

std::string next_link_rate_name(std::int64_t bits_per_second) {
  for (const Speed& speed : kSpeeds) {
    if (kUsualLanes * speed.lane_bits_per_second > bits_per_second)
      return "4x" + std::string(speed.name);
  }
  return "4x" + std::string(kSpeeds.back().name);
}

std::string rate_text(std::int64_t bits_per_second) {
  const std::int64_t megabits = bits_per_second / 1'000'000;
  if (megabits < 1'000) return std::to_string(megabits) + " Mb/s";
  std::string text = std::to_string(megabits / 1'000);
  if (const std::int64_t rest = megabits % 1'000; rest != 0) {
    std::string decimals = std::to_string(1'000 + rest).substr(1);
    while (decimals.back() == '0') decimals.pop_back();
    text += "." + decimals;
  }
  return text + " Gb/s";
}

}  // namespace holdfast::sim
