// The order of numbers that wrap around at 2^32: those of messages, virtual fragments and packets.
#pragma once

#include <cstdint>

namespace holdfast::reliable {

// a is before b if b is at most 2^31 ahead.
constexpr bool is_before(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace holdfast::reliable
