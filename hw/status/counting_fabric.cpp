// Two sums over each batch.
#include "hw/status/counting_fabric.hpp"

namespace holdfast::hw {

std::size_t CountingFabric::post(std::span<const Operation> operations) {
  const std::size_t accepted = inner_.post(operations);
  counts_.frames_sent += accepted;
  for (const Operation& operation : operations.first(accepted)) {
    counts_.bytes_sent += operation.frame_bytes();
  }
  return accepted;
}

std::size_t CountingFabric::poll(std::span<Event> events) {
  const std::size_t count = inner_.poll(events);
  for (const Event& event : events.first(count)) {
    if (event.kind == EventKind::received) {
      ++counts_.frames_received;
      counts_.bytes_received += event.size;
    } else if (event.kind == EventKind::port_up || event.kind == EventKind::port_down) {
      up_ = event.kind == EventKind::port_up;
    }
  }
  return count;
}

}  // namespace holdfast::hw
