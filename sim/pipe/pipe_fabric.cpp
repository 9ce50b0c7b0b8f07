// Posts wait for the cable in their order; arrivals wait for slots.
#include "sim/pipe/pipe_fabric.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/pipe/pipe_network.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::sim {

namespace {

constexpr std::size_t kPoisonedBytes = 64;  // enough to break every header
constexpr int kPoison = 0xa5;

}  // namespace

PipeFabric::PipeFabric(PipeNetwork& network, ProcessId self)
    : network_(network),
      self_(self),
      caps_{.kind = "pipe",
            .frame_bytes_max = network.options().frame_bytes_max,
            .inline_bytes_max = network.options().inline_bytes_max,
            .send_depth = network.options().send_depth,
            .receive_depth = network.options().receive_depth,
            .datagram = true,
            .polls_memory = true,
            .frames_protected = true,
            .stateless_attach = true},
      state_(PortState::well) {}

Address PipeFabric::local_address() const {
  return PipeNetwork::address(self_);
}

Peer PipeFabric::attach(const Address& address, Service service) {
  if (address.size != sizeof(std::uint32_t) || service != Service::datagram) return kNoPeer;
  const auto process = load_le<std::uint32_t>(address.bytes.data());
  return process < network_.options().processes ? Peer{process} : kNoPeer;
}

// Each in its place, so that completions stay in the order of the posts.
void PipeFabric::reset(Peer peer) {
  for (Posted& posted : posted_) {
    if (posted.operation.peer == peer) posted.completion = Completion::flushed;
  }
}

std::size_t PipeFabric::post(std::span<const Operation> operations) {
  std::size_t accepted = 0;
  while (accepted < operations.size() && room()) take(operations[accepted++]);
  refused_ = refused_ || accepted < operations.size();
  return accepted;
}

void PipeFabric::take(const Operation& operation) {
  Posted posted{operation};
  const bool possible = operation.kind == OperationKind::send &&
                        operation.size <= caps_.frame_bytes_max &&
                        operation.peer.value < network_.options().processes;
  if (!possible || state_ == PortState::failing) posted.completion = Completion::local_error;
  if (operation.inline_data) {
    HOLDFAST_ASSERT(possible && operation.size <= caps_.inline_bytes_max);
    posted.frame =
        network_.take_frame(self_, {operation.peer.value}, operation.data, operation.size);
  }
  posted.handled = network_.now_;
  if (network_.options().work.any() && posted.completion == Completion::ok) {
    posted.handled = processor_.work(network_.now_, network_.options().work.of(operation.size));
  }
  posted_.push_back(posted);
  if (posted_.size() == 1) start_first();
}

// What has failed takes no time on the cable, but its turn in the order. A frame that follows
// another one starts where that ends, which may be a fraction before this event; but none before it
// has been handled.
void PipeFabric::start_first() {
  const Posted& first = posted_.front();
  if (first.completion == Completion::ok) {
    const Instant now{network_.now_.value, 0};
    const Instant free = round_up(free_at_) >= network_.now_ ? free_at_ : now;
    const Instant start = first.handled > round_up(free) ? Instant{first.handled.value, 0} : free;
    free_at_ = network_.rates_.end(start, first.operation.size, network_.rate_);
    network_.push_departure(self_, round_up(free_at_));
  } else {
    network_.push_departure(self_, network_.now_);
  }
}

// The last bit of the first one leaves. True: there is something to poll.
bool PipeFabric::depart() {
  held_ = state_ == PortState::stuck;
  if (held_) return false;
  const Posted first = posted_.front();
  posted_.pop_front();
  end(first);
  if (!posted_.empty()) start_first();
  if (refused_) {
    refused_ = false;
    happened_.push_back(
        {EventKind::writable, Completion::ok, kNoPeer, 0, 0, network_.stack_time()});
  }
  return !happened_.empty();
}

void PipeFabric::end(const Posted& posted) {
  const Operation& operation = posted.operation;
  const bool sends = posted.completion == Completion::ok;
  if (operation.inline_data) {
    if (sends) {
      network_.put_on_wire(posted.frame, free_at_);
    } else {
      network_.give_frame(posted.frame);
    }
    if (posted.completion != Completion::local_error) return;
  } else if (sends) {
    const std::uint32_t frame =
        network_.take_frame(self_, {operation.peer.value}, operation.data, operation.size);
    network_.put_on_wire(frame, free_at_);
  }
  happened_.push_back({EventKind::sent, posted.completion, operation.peer, 0, operation.cookie,
                       network_.stack_time()});
}

bool PipeFabric::set_state(PortState state) {
  const PortState before = std::exchange(state_, state);
  if (!up_ || before == state) return false;
  if (held_ && state != PortState::stuck) {
    held_ = false;
    free_at_ = {network_.now_.value, 0};
    network_.push_departure(self_, network_.now_);
  }
  const bool tells = before == PortState::down || state == PortState::down;
  if (tells) {
    const EventKind kind = state == PortState::down ? EventKind::port_down : EventKind::port_up;
    happened_.push_back({kind, Completion::ok, kNoPeer, 0, 0, network_.stack_time()});
  }
  return tells;
}

std::size_t PipeFabric::offer(std::span<const ReceiveSlot> slots) {
  std::size_t accepted = 0;
  for (const ReceiveSlot& slot : slots) {
    if (slots_.size() == caps_.receive_depth) break;
    if (slot.size > 0) {
      std::memset(slot.data, kPoison, std::min<std::size_t>(slot.size, kPoisonedBytes));
    }
    slots_.push_back(slot);
    ++accepted;
  }
  return accepted;
}

bool PipeFabric::has_room() const {
  return arrived_.size() + in_hands_ < network_.options().frames_waiting_max;
}

std::size_t PipeFabric::poll(std::span<Event> events) {
  std::size_t count = std::min(events.size(), happened_.size());
  const auto end = happened_.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(happened_.begin(), end, events.begin());
  happened_.erase(happened_.begin(), end);
  // What nobody had polled had taken the room, and nothing leaves any more that would tell of it.
  if (refused_ && posted_.empty() && happened_.empty() && count < events.size()) {
    refused_ = false;
    events[count++] = {EventKind::writable, Completion::ok, kNoPeer, 0, 0, network_.stack_time()};
  }
  while (!arrived_.empty() && !slots_.empty() && count < events.size()) {
    const std::uint32_t index = arrived_.front();
    const PipeNetwork::Frame& frame = network_.cells_[index];
    const ReceiveSlot slot = slots_.back();
    arrived_.pop_front();
    slots_.pop_back();
    // A slot that is too small loses the frame but still comes back, empty.
    const std::uint32_t size = frame.size <= slot.size ? frame.size : 0;
    if (size > 0) std::memcpy(slot.data, frame.bytes.get(), size);
    events[count++] = {EventKind::received,
                       Completion::ok,
                       kNoPeer,
                       size,
                       slot.cookie,
                       Time{} + round_up(round_up(frame.arrives))};
    network_.give_frame(index);
  }
  return count;
}

Armed PipeFabric::arm() {
  return {happened_.empty() && (arrived_.empty() || slots_.empty()), -1};
}

void PipeFabric::clear() {
  for (const Posted& posted : posted_) {
    if (posted.operation.inline_data) network_.give_frame(posted.frame);
  }
  for (const std::uint32_t frame : arrived_) network_.give_frame(frame);
  posted_.clear();
  happened_.clear();
  slots_.clear();
  arrived_.clear();
  held_ = refused_ = false;
  processor_ = {};
  ++lives_;
}

}  // namespace holdfast::sim
