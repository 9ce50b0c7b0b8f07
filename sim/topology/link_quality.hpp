// What one direction of an impaired link lets pass.
#pragma once

#include <cstdint>

#include "stack/base/elementary.hpp"

namespace holdfast::sim {

// A frame passes with probability frames * bits^(its bits), each independently of the others. Both
// in [0, 1]; both 1: the link is as it should be.
struct LinkQuality {
  double frames = 1.0;
  double bits = 1.0;

  bool perfect() const { return frames == 1.0 && bits == 1.0; }
  // wire_bytes: of the frame with its headers.
  double passes(std::uint32_t wire_bytes) const {
    return bits == 1.0 ? frames : frames * power(bits, 8.0 * static_cast<double>(wire_bytes));
  }
};

}  // namespace holdfast::sim
