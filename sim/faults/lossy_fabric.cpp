// Counts what it drops, and answers for it with the completion that the sender is owed.
#include "sim/faults/lossy_fabric.hpp"

#include <algorithm>

namespace holdfast::sim {

LossyFabric::LossyFabric(Fabric& inner, double loss, Random random)
    : inner_(inner), loss_(loss), random_(random) {}

Peer LossyFabric::attach(const Address& address, Service service) {
  return inner_.attach(address, service);
}

Region LossyFabric::register_memory(std::span<std::byte> memory) {
  return inner_.register_memory(memory);
}

std::size_t LossyFabric::post(std::span<const Operation> operations) {
  std::size_t accepted = 0;
  for (const Operation& operation : operations) {
    if (loss_ > 0.0 && random_.unit() < loss_) {
      ++lost_;
      if (!operation.inline_data) {
        completed_.push_back(
            {EventKind::sent, Completion::ok, operation.peer, 0, operation.cookie, Time{}});
      }
    } else if (inner_.post({&operation, 1}) == 0) {
      break;
    }
    ++accepted;
  }
  return accepted;
}

std::size_t LossyFabric::poll(std::span<Event> events) {
  const std::size_t count = std::min(events.size(), completed_.size());
  const auto end = completed_.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(completed_.begin(), end, events.begin());
  completed_.erase(completed_.begin(), end);
  return count == events.size() ? count : count + inner_.poll(events.subspan(count));
}

Armed LossyFabric::arm() {
  Armed armed = inner_.arm();
  armed.idle = armed.idle && completed_.empty();
  return armed;
}

}  // namespace holdfast::sim
