// One process's end: slots, completions, watches.
#include "sim/fabric/message_fabric.hpp"

#include <algorithm>
#include <cstring>

#include "sim/fabric/message_network.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::sim {

namespace {

constexpr std::uint32_t kWatchBit = 0x8000'0000;  // of a Peer: a watch, not a way to send
constexpr std::size_t kPoisonedBytes = 64;        // enough to break every header
constexpr int kPoison = 0xa5;
constexpr std::uint32_t kSendDepth = 64;

}  // namespace

MessageFabric::MessageFabric(MessageNetwork& network) : network_(&network) {}

ProcessId MessageFabric::self() const {
  return {static_cast<std::uint32_t>(this - network_->fabrics_.begin())};
}

const Caps& MessageFabric::caps() const {
  static constexpr Caps kCaps{
      .kind = "message",
      .frame_bytes_max = FramePool::kFrameBytes,
      .inline_bytes_max = FramePool::kFrameBytes,
      .send_depth = kSendDepth,
      .receive_depth = kReceiveDepth,
      .datagram = true,
      .watch = true,
      .frames_protected = true,
      .stateless_attach = true,
  };
  return kCaps;
}

Address MessageFabric::local_address() const {
  return MessageNetwork::address(self());
}

Peer MessageFabric::attach(const Address& address, Service service) {
  if (address.size != sizeof(std::uint32_t) || service == Service::connected) return kNoPeer;
  const ProcessId process{load_le<std::uint32_t>(address.bytes.data())};
  if (process.value >= network_->processes()) return kNoPeer;
  if (service == Service::datagram) return {process.value};
  if (network_->node_of(process) != network_->node_of(self())) return kNoPeer;
  if (network_->fabrics_[process.value].up_) {
    rest().watched.push_back({process});
  } else {
    report_ended(process);
    network_->tell_soon(self(), process);  // or nobody would wake the process that asks
  }
  return {process.value | kWatchBit};
}

void MessageFabric::report_ended(ProcessId process) {
  eventful_ = true;
  rest().happened.push_back({EventKind::peer_down, Completion::ok, Peer{process.value | kWatchBit},
                             0, 0, network_->clock_});
}

bool MessageFabric::watched_ends(ProcessId process) {
  if (!rest_) return false;
  const auto found = std::ranges::find(rest_->watched, Watch{process});
  if (found == rest_->watched.end()) return false;
  found->ended = true;
  return true;
}

bool MessageFabric::watched_ended(ProcessId process) {
  if (!rest_) return false;
  if (std::erase(rest_->watched, Watch{process, true}) > 0) report_ended(process);
  return !rest_->happened.empty();
}

void MessageFabric::detach(Peer peer) {
  if ((peer.value & kWatchBit) != 0) {
    if (rest_) std::erase(rest_->watched, Watch{{peer.value & ~kWatchBit}});
  } else {
    reset(peer);
  }
}

void MessageFabric::reset(Peer peer) {
  if (!rest_) return;
  for (Posted& posted : rest_->posted) {
    if (posted.operation.peer == peer) posted.completion = Completion::flushed;
  }
}

Region MessageFabric::register_memory(std::span<std::byte>) {
  return {};
}

std::size_t MessageFabric::post(std::span<const Operation> operations) {
  std::size_t accepted = 0;
  for (const Operation& operation : operations) {
    const bool possible = operation.kind == OperationKind::send &&
                          operation.size <= FramePool::kFrameBytes &&
                          operation.peer.value < network_->processes();
    if (operation.inline_data) {
      HOLDFAST_ASSERT(possible);  // the caller's bug: there is no event that could tell of it
      network_->put_on_wire(self(), {operation.peer.value}, operation.data, operation.size);
    } else {
      if (rest().posted.size() + rest_->happened.size() >= kSendDepth) {
        refused_ = true;
        break;
      }
      eventful_ = true;
      ++network_->posted_;
      rest_->posted.push_back({operation, possible ? Completion::ok : Completion::local_error});
    }
    ++accepted;
  }
  return accepted;
}

void MessageFabric::flush() {
  if (!rest_) return;
  const Time at = network_->clock_;
  for (const Posted& posted : rest_->posted) {
    const Operation& operation = posted.operation;
    if (posted.completion == Completion::ok) {
      network_->put_on_wire(self(), {operation.peer.value}, operation.data, operation.size);
    }
    rest_->happened.push_back(
        {EventKind::sent, posted.completion, operation.peer, 0, operation.cookie, at});
  }
  forget_posted();
}

void MessageFabric::forget_posted() {
  network_->posted_ -= static_cast<std::uint32_t>(rest_->posted.size());
  rest_->posted.clear();
}

std::size_t MessageFabric::offer(std::span<const ReceiveSlot> slots) {
  std::size_t accepted = 0;
  for (const ReceiveSlot& slot : slots) {
    if (slot_count_ == kReceiveDepth) break;
    if (slot.size >= kPoisonedBytes) {
      std::memset(slot.data, kPoison, kPoisonedBytes);
    } else {
      std::memset(slot.data, kPoison, slot.size);
    }
    if (slot_count_ > 0) rest().below[slot_count_ - 1] = top_;
    top_ = {slot.data, slot.cookie, slot.size};
    ++slot_count_;
    ++accepted;
  }
  return accepted;
}

inline void MessageFabric::receive(Event& event) {
  FramePool& pool = network_->pool_;
  const std::uint32_t index = first_waiting_;
  FramePool::Frame& frame = pool.at(index);
  const Slot slot = top_;
  if (--slot_count_ > 0) top_ = rest_->below[slot_count_ - 1];
  // A slot that is too small loses the frame but still comes back, empty.
  const std::uint32_t size = frame.size <= slot.size ? frame.size : 0;
  copy_frame(slot.data, frame.bytes(), size);
  event = {EventKind::received, Completion::ok, kNoPeer, size, slot.cookie, Time{frame.arrival_ns}};
  first_waiting_ = frame.next;
  --waiting_;
  --network_->waiting_;
  pool.give(index);
}

std::size_t MessageFabric::poll_happened(std::span<Event> events) {
  std::vector<Event>& happened = rest_->happened;
  const std::size_t count = std::min(events.size(), happened.size());
  const auto end = happened.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(happened.begin(), end, events.begin());
  happened.erase(happened.begin(), end);
  if (refused_ && count > 0) {
    refused_ = false;
    happened.push_back({EventKind::writable, Completion::ok, kNoPeer, 0, 0, network_->clock_});
  }
  eventful_ = !happened.empty() || !rest_->posted.empty();
  return count;
}

std::size_t MessageFabric::poll_waiting(std::span<Event> events) {
  std::size_t count = eventful_ ? poll_happened(events) : 0;
  while (first_waiting_ != FramePool::kNone && slot_count_ > 0 && count < events.size()) {
    receive(events[count++]);
  }
  return count;
}

bool MessageFabric::set_path(Peer, PathChoice) {
  return false;
}

Armed MessageFabric::arm() {
  return {(!rest_ || rest_->happened.empty()) && (waiting_ == 0 || slot_count_ == 0), -1};
}

void MessageFabric::clear() {
  while (first_waiting_ != FramePool::kNone) {
    const std::uint32_t frame = first_waiting_;
    first_waiting_ = network_->pool_.at(frame).next;
    network_->pool_.give(frame);
  }
  network_->waiting_ -= waiting_;
  waiting_ = 0;
  slot_count_ = 0;
  if (rest_) forget_posted();
  rest_.reset();
  refused_ = false;
  eventful_ = false;
}

}  // namespace holdfast::sim
