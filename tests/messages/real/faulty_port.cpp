// Operations are posted one by one while something is wrong, and events looked at one by one.
#include "tests/messages/real/faulty_port.hpp"

#include <algorithm>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::messages {

using sim::PortState;

FaultyPort::FaultyPort(Fabric& inner, std::function<ProcessId(const Address&)> process_at)
    : OuterFabric(inner), process_at_(std::move(process_at)) {}

void FaultyPort::set_state(PortState state) {
  const auto happens = [&](EventKind kind) {
    events_.push_back({kind, Completion::ok, kNoPeer, 0, 0, {}});
  };
  const PortState before = std::exchange(state_, state);
  if (before == state) return;
  if (before == PortState::down) happens(EventKind::port_up);
  if (state == PortState::down) happens(EventKind::port_down);
  if (before == PortState::stuck && std::exchange(owes_writable_, false)) {
    happens(EventKind::writable);
  }
}

Peer FaultyPort::attach(const Address& address, Service service) {
  const Peer peer = inner_.attach(address, service);
  if (peer != kNoPeer) processes_[peer.value] = process_at_(address);
  return peer;
}

void FaultyPort::mend(ProcessId to) {
  if (--cuts_.at(to.value) == 0) cuts_.erase(to.value);
}

bool FaultyPort::is_cut(Peer peer) const {
  return cuts_.contains(processes_.at(peer.value).value);
}

// It has been sent, as far as anybody can tell, or has failed.
void FaultyPort::end_at_once(const Operation& operation) {
  HOLDFAST_ASSERT(operation.inline_data);  // as all that these fabrics take may be
  if (state_ != PortState::failing) return;
  events_.push_back({EventKind::sent,
                     Completion::local_error,
                     operation.peer,
                     operation.size,
                     operation.cookie,
                     {}});
}

std::size_t FaultyPort::post(std::span<const Operation> operations) {
  if (state_ == PortState::well && cuts_.empty()) return inner_.post(operations);
  std::size_t accepted = 0;
  for (const Operation& operation : operations) {
    if (state_ == PortState::stuck) {
      owes_writable_ = true;
      break;
    }
    if (state_ != PortState::well || is_cut(operation.peer)) {
      end_at_once(operation);
    } else if (inner_.post({&operation, 1}) == 0) {
      break;
    }
    ++accepted;
  }
  return accepted;
}

std::size_t FaultyPort::offer(std::span<const ReceiveSlot> slots) {
  for (const ReceiveSlot& slot : slots) {
    if (slots_.size() <= slot.cookie) slots_.resize(slot.cookie + 1);
    slots_[slot.cookie] = slot;
  }
  return inner_.offer(slots);
}

// Fewer events than there is room for would mean that there are no more.
std::size_t FaultyPort::poll(std::span<Event> events) {
  std::size_t count = std::min(events.size(), events_.size());
  std::copy_n(events_.begin(), count, events.begin());
  events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
  while (count < events.size()) {
    const std::span<Event> room = events.subspan(count);
    const std::size_t got = inner_.poll(room);
    const bool has_more = got > 0 && room[got - 1].more;
    for (const Event& event : room.first(got)) {
      if (event.kind == EventKind::received && state_ == PortState::down) {
        const std::size_t taken = inner_.offer({&slots_.at(event.cookie), 1});
        HOLDFAST_ASSERT(taken == 1);
      } else {
        events[count++] = event;
      }
    }
    if (has_more && count > 0) {
      events[count - 1].more = true;
      break;
    }
    if (got < room.size() && !has_more) break;
  }
  return count;
}

}  // namespace holdfast::messages
