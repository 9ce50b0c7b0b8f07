// Frames on a stream: four bytes, little-endian, with the length of the frame that follows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::hw {

constexpr std::size_t kFramePrefixBytes = 4;

}  // namespace holdfast::hw
