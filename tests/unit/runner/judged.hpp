// Words of the tests that tell a judge what happened.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"

namespace holdfast::runner {

inline Time at(std::int64_t ms) {
  return Time{0} + milliseconds(ms);
}
inline constexpr Incarnation kFirst{0};
inline const Incarnation kSecond = first_incarnation_of_boot(1);

inline std::vector<ProcessId> ids(std::initializer_list<std::uint32_t> ranks) {
  std::vector<ProcessId> result;
  for (const std::uint32_t rank : ranks) result.push_back({rank});
  return result;
}

}  // namespace holdfast::runner
