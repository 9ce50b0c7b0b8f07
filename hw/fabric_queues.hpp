// What every datagram fabric keeps beside its network: completions that nobody has heard of yet,
// slots that were offered, and the `writable` that is owed after a short post.
//
// Nothing allocates after the construction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "hw/fixed_queue.hpp"
#include "hw/monotonic_clock.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class FabricQueues {
 public:
  FabricQueues(std::size_t send_depth, std::size_t receive_depth)
      : completions_(send_depth), slots_(receive_depth) {}

  // How many operations may still complete.
  std::size_t room() const { return completions_.room(); }
  // Nothing for an inline operation that went well: it was over when it was accepted.
  void complete(const Operation& operation, Completion completion, Time at) {
    if (operation.inline_data && completion == Completion::ok) return;
    Event event;
    event.kind = EventKind::sent;
    event.completion = completion;
    event.peer = operation.peer;
    event.size = static_cast<std::uint32_t>(operation.frame_bytes());
    event.cookie = operation.cookie;
    event.at = at;
    completions_.push(event);
  }
  // A post took fewer than offered.
  void owe_writable() { owes_writable_ = true; }
  bool owes_writable() const { return owes_writable_; }
  bool has_completions() const { return !completions_.empty(); }

  // Slots that were offered, the oldest first.
  FixedQueue<ReceiveSlot>& slots() { return slots_; }
  const FixedQueue<ReceiveSlot>& slots() const { return slots_; }
  std::size_t offer(std::span<const ReceiveSlot> slots) {
    const std::size_t accepted = std::min(slots.size(), slots_.room());
    for (std::size_t i = 0; i < accepted; ++i) slots_.push(slots[i]);
    return accepted;
  }

  // Writes completions in the order of their posts, then `writable` if it is owed, there is room
  // for completions, and `network_has_room()`; returns how many.
  template <class NetworkHasRoom>
  std::size_t poll(std::span<Event> events, NetworkHasRoom network_has_room) {
    std::size_t count = 0;
    while (count < events.size() && !completions_.empty()) events[count++] = completions_.pop();
    if (count == events.size() || !owes_writable_ || completions_.full()) return count;
    if (!network_has_room()) return count;
    owes_writable_ = false;
    Event event;
    event.kind = EventKind::writable;
    event.at = monotonic_now();
    events[count++] = event;
    return count;
  }

 private:
  FixedQueue<Event> completions_;
  FixedQueue<ReceiveSlot> slots_;
  bool owes_writable_ = false;
};

}  // namespace holdfast::hw
