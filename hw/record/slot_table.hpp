// The slots that are offered, under numbers of our own: a `received` event must lead back to the
// memory of its slot, and the caller's cookies need not be unique. The recorder and the replayer
// number alike.
#pragma once

#include <cstdint>
#include <vector>

#include "stack/base/assert.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class SlotTable {
 public:
  explicit SlotTable(std::uint32_t capacity) : slots_(capacity) {
    free_.reserve(capacity);
    for (std::uint32_t i = capacity; i > 0; --i) free_.push_back(i - 1);
  }

  std::size_t room() const { return free_.size(); }

  std::uint32_t put(const ReceiveSlot& slot) {
    HOLDFAST_ASSERT(!free_.empty());
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
  std::vector<ReceiveSlot> slots_;  // data is null where the number is free
  std::vector<std::uint32_t> free_;
};

}  // namespace holdfast::hw
