// Data to compute checksums of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/base/random.hpp"

namespace holdfast {

inline std::vector<std::uint8_t> random_octets(std::size_t bytes, std::uint64_t seed) {
  Random random(seed, 0, 0);
  std::vector<std::uint8_t> octets(bytes);
  for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(random.next() >> 56);
  return octets;
}

inline std::span<const std::byte> as_data(std::span<const std::uint8_t> octets) {
  return std::as_bytes(octets);
}

}  // namespace holdfast
