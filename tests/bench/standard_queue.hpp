// std::priority_queue of the same 24-byte events behind the interface of EventQueue: what the
// simulator's queue is measured against.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "sim/engine/event_queue.hpp"

namespace holdfast::bench {

class StandardQueue {
 public:
  void push(std::int64_t time, std::uint32_t target, std::uint32_t payload) {
    queue_.push({time, next_sequence_++, target, payload});
  }
  sim::QueuedEvent pop() {
    const sim::QueuedEvent event = queue_.top();
    queue_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const sim::QueuedEvent& a, const sim::QueuedEvent& b) const {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };
  std::priority_queue<sim::QueuedEvent, std::vector<sim::QueuedEvent>, Later> queue_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace holdfast::bench
