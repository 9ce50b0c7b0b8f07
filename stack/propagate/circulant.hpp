// What chord and bmg share: targets at fixed offsets along the ring. A target known to be dead is
// left out, but at offset 1 the sender walks on to the next live one, so that the live processes
// stay connected along the ring however many are dead.
#pragma once

#include <vector>

#include "stack/propagate/propagation.hpp"

namespace holdfast {

enum class Direction : std::uint8_t { forward, backward };

void add_circulant_target(const Ring& ring, Position from, std::uint32_t offset,
                          Direction direction, std::vector<Target>& to);

}  // namespace holdfast
