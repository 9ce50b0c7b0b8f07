// Handles of which several may stand for the same receiver, each given back by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "stack/base/assert.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class SharedHandles {
 public:
  // Receivers have places 0 … handles_max-1.
  explicit SharedHandles(std::uint32_t handles_max)
      : place_of_(handles_max, kNoPlace), handles_of_(handles_max) {
    free_.reserve(handles_max);
    for (std::uint32_t i = handles_max; i > 0; --i) free_.push_back(i - 1);
  }

  bool full() const { return free_.empty(); }
  bool is_given(Peer handle) const {
    return handle.value < place_of_.size() && place_of_[handle.value] != kNoPlace;
  }
  bool is_used(std::uint32_t place) const { return handles_of_[place] > 0; }
  // Of a handle that is given.
  std::uint32_t place_of(Peer handle) const {
    HOLDFAST_ASSERT(is_given(handle));
    return place_of_[handle.value];
  }

  // Must not be full.
  Peer give(std::uint32_t place) {
    const Peer handle{free_.back()};
    free_.pop_back();
    place_of_[handle.value] = place;
    ++handles_of_[place];
    return handle;
  }
  // Afterwards the place may be unused.
  void take_back(Peer handle) {
    --handles_of_[place_of(handle)];
    place_of_[handle.value] = kNoPlace;
    free_.push_back(handle.value);
  }

 private:
  static constexpr std::uint32_t kNoPlace = 0xffff'ffff;

  std::vector<std::uint32_t> place_of_;    // by handle
  std::vector<std::uint32_t> handles_of_;  // by place
  std::vector<std::uint32_t> free_;        // the last one is given next
};

}  // namespace holdfast::hw
