// The number of a job as people read and type it: eight hexadecimal digits.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::hw {

constexpr std::size_t kJobNameSize = 8;

inline std::string job_name(std::uint32_t job) {
  std::array<char, kJobNameSize> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), job, 16).ptr;
  const std::string text(digits.data(), end);
  return std::string(kJobNameSize - text.size(), '0') + text;
}

// Absent if the text is not one.
inline std::optional<std::uint32_t> job_of_name(std::string_view name) {
  std::uint32_t job = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), job, 16);
  const bool whole = error == std::errc{} && end == name.data() + name.size();
  if (!whole || name != job_name(job)) return std::nullopt;
  return job;
}

}  // namespace holdfast::hw
