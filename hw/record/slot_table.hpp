// The slots that are offered, under numbers of our own: a `received` event must lead back to the
// memory of its slot, and the caller's cookies need not be unique. The recorder and the replayer
// number alike: a number that was given back last is used first, else the lowest that never was.
// Memory grows with what is offered; a recording may say any capacity.
#pragma once

#include <cstdint>
#include <vector>

#include "stack/base/assert.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class SlotTable {
 public:
  explicit SlotTable(std::uint32_t capacity) : capacity_(capacity) {}

  std::size_t room() const { return free_.size() + (capacity_ - slots_.size()); }

  std::uint32_t put(const ReceiveSlot& slot) {
    HOLDFAST_ASSERT(room() > 0);
    if (free_.empty()) {
      slots_.push_back(slot);
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    slots_[number] = slot;
    return number;
  }

  bool holds(std::uint64_t number) const {
    return number < slots_.size() && slots_[number].data != nullptr;
  }

  ReceiveSlot take(std::uint64_t number) {
    HOLDFAST_ASSERT(holds(number));
    const ReceiveSlot slot = slots_[number];
    slots_[number] = ReceiveSlot{};
    free_.push_back(static_cast<std::uint32_t>(number));
    return slot;
  }

 private:
  std::uint32_t capacity_;
  std::vector<ReceiveSlot> slots_;  // by number; data is null where it is free
  std::vector<std::uint32_t> free_;
};

}  // namespace holdfast::hw
