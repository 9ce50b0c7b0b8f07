// How a real fabric says what it has lost (Fabric::losses), from the counters that it keeps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>

#include "stack/base/assert.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

inline std::size_t write_losses(std::span<LostFrames> to,
                                std::initializer_list<LostFrames> losses) {
  HOLDFAST_ASSERT(losses.size() <= to.size());
  std::copy(losses.begin(), losses.end(), to.begin());
  return losses.size();
}

}  // namespace holdfast::hw
