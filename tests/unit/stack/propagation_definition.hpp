// The topologies as the papers define them (bmg: Angskun et al. 2007; chord and neighbours: Rosso
// and Francesquini 2021; hba: Ramanathan and Shin 1988 over a ring), written with sets and signed
// arithmetic, for the tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "stack/propagate/propagation.hpp"

namespace holdfast {

using Targets = std::set<std::uint32_t>;

inline std::int64_t modulo(std::int64_t value, std::int64_t n) {
  return (value % n + n) % n;
}

inline std::int64_t floor_log2(std::int64_t n) {
  std::int64_t k = 0;
  while (std::int64_t{1} << (k + 1) <= n) ++k;
  return k;
}

// The offsets of `from` by the definition: p + 2^i for 2^i < n; p ± 2^i for 2^i <= n/2; everybody;
// p ± 1 ... max(1, k-1); or those of the cube of 2^k corners that `course` names.
inline std::set<std::int64_t> offsets(std::string_view name, std::int64_t n, std::int64_t from,
                                      Course course) {
  std::set<std::int64_t> all;
  const std::int64_t k = floor_log2(n);
  for (std::int64_t i = 0; i < 63 && std::int64_t{1} << i < 2 * n; ++i) {
    const std::int64_t power = std::int64_t{1} << i;
    if (name == "chord" && power < n) all.insert(power);
    if (name == "bmg" && 2 * power <= n) all.insert({power, -power});
    const std::int64_t sign = course.cube == 0 ? 1 : -1;
    const std::int64_t corner = modulo(sign * (from - std::int64_t{course.starter.value}), n);
    if (name == "hba" && i < k && corner < std::int64_t{1} << k) {
      const bool set = corner / power % 2 == 1;
      all.insert(sign * (set ? -power : power));
    }
  }
  for (std::int64_t step = 1; step < n; ++step) {
    if (name == "flood") all.insert(step);
    if (name == "neighbours" && step <= std::max<std::int64_t>(1, k - 1)) {
      all.insert({step, -step});
    }
  }
  return all;
}

// A dead target: chord and bmg walk on to the next live one at offset 1, else it is skipped.
inline Targets definition(std::string_view name, const std::vector<bool>& live, std::uint32_t from,
                          Course course = {}) {
  const auto n = static_cast<std::int64_t>(live.size());
  const bool walks = name == "chord" || name == "bmg";
  Targets targets;
  for (const std::int64_t offset : offsets(name, n, from, course)) {
    std::int64_t at = modulo(from + offset, n);
    while (walks && (offset == 1 || offset == -1) && !live[static_cast<std::size_t>(at)] &&
           at != from) {
      at = modulo(at + offset, n);
    }
    if (at != from && live[static_cast<std::size_t>(at)]) {
      targets.insert(static_cast<std::uint32_t>(at));
    }
  }
  return targets;
}

}  // namespace holdfast
