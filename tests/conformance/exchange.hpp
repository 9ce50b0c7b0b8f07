// Helpers of the suites: slots, frames, and polls that wait for a number of events.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {

// Memory of one end: registered once, cut into slots of equal size.
class Slots {
 public:
  Slots(Fabric& fabric, std::size_t count, Service service = Service::datagram)
      : service_(service),
        size_(fabric.caps().frame_bytes_max),
        memory_(count * size_),
        region_(fabric.register_memory(memory_)) {}

  Region region() const { return region_; }
  std::byte* data(std::size_t i) { return memory_.data() + i * size_; }

  ReceiveSlot receive_slot(std::size_t i) {
    return {region_, data(i), static_cast<std::uint32_t>(size_), i, service_};
  }

  std::vector<ReceiveSlot> receive_slots(std::size_t first, std::size_t count) {
    std::vector<ReceiveSlot> slots;
    for (std::size_t i = first; i < first + count; ++i) slots.push_back(receive_slot(i));
    return slots;
  }

  // A send of `size` bytes out of slot i, which are `value` throughout.
  Operation send(std::size_t i, Peer peer, std::uint32_t size, std::uint8_t value) {
    std::memset(data(i), value, size);
    Operation operation;
    operation.peer = peer;
    operation.region = region_;
    operation.data = data(i);
    operation.size = size;
    operation.cookie = i;
    return operation;
  }

  bool holds(std::size_t i, std::uint32_t size, std::uint8_t value) {
    return std::all_of(data(i), data(i) + size,
                       [value](std::byte byte) { return byte == std::byte{value}; });
  }

 private:
  Service service_;
  std::size_t size_;
  std::vector<std::byte> memory_;
  Region region_;
};

inline std::vector<Event> poll_all(Fabric& fabric) {
  std::vector<Event> all;
  std::vector<Event> events(16);
  for (std::size_t count = events.size(); count == events.size();) {
    count = fabric.poll(events);
    all.insert(all.end(), events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

// Settles and polls until `count` events have come, or for so long that they never will.
inline std::vector<Event> poll_for(FabricPair& pair, Fabric& fabric, std::size_t count) {
  std::vector<Event> all;
  // Of real fabrics each takes a millisecond: as long as tests wait elsewhere.
  for (int attempt = 0; attempt < 20'000 && all.size() < count; ++attempt) {
    pair.settle();
    const std::vector<Event> some = poll_all(fabric);
    all.insert(all.end(), some.begin(), some.end());
  }
  pair.settle();
  const std::vector<Event> surplus = poll_all(fabric);
  all.insert(all.end(), surplus.begin(), surplus.end());
  return all;
}

inline std::vector<std::uint64_t> cookies_of(const std::vector<Event>& events, EventKind kind) {
  std::vector<std::uint64_t> cookies;
  for (const Event& event : events) {
    if (event.kind == kind) cookies.push_back(event.cookie);
  }
  return cookies;
}

// first, first + 1, …
inline std::vector<std::uint64_t> numbers(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(first + i);
  return all;
}

}  // namespace holdfast::conformance
