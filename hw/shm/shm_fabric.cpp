// Lanes are rings of one writer and one reader; see the header for what is promised.
#include "hw/shm/shm_fabric.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "hw/shm/claim_lane.hpp"
#include "hw/shm/shm_address.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

constexpr std::uint32_t kNobody = 0xffff'ffff;

// Who is not there is not looked for with every frame.
constexpr Duration kLookAgain = milliseconds(1);

}  // namespace

Status ShmFabric::open(const ShmOptions& options, std::unique_ptr<ShmFabric>& opened) {
  HOLDFAST_ASSERT(is_shm_name(options.name));
  HOLDFAST_ASSERT(options.send_depth >= 1 && options.receive_depth >= 1 && options.peers_max >= 1);
  const auto self = identify(static_cast<std::int32_t>(::getpid()));
  if (!self) return Status::error("shared memory: /proc/self/stat cannot be read; mount /proc");
  ShmSegment segment;
  Status status = ShmSegment::create(options.directory, options.name, options.geometry, segment);
  if (status.is_ok()) opened.reset(new ShmFabric(options, std::move(segment), *self));
  return status;
}

ShmFabric::ShmFabric(const ShmOptions& options, ShmSegment segment, ProcessIdentity self)
    : name_(options.name),
      directory_(options.directory),
      self_(self),
      segment_(std::move(segment)),
      receivers_(options.peers_max),
      receiver_of_(options.peers_max, kNobody),
      completions_(options.send_depth),
      slots_(options.receive_depth),
      heads_(options.geometry.lanes) {
  caps_.kind = "shm";
  caps_.frame_bytes_max = options.geometry.frame_bytes;
  caps_.inline_bytes_max = options.geometry.frame_bytes;
  caps_.send_depth = options.send_depth;
  caps_.receive_depth = options.receive_depth;
  caps_.datagram = true;
  free_handles_.reserve(options.peers_max);
  for (std::uint32_t i = options.peers_max; i > 0; --i) free_handles_.push_back(i - 1);
}

ShmFabric::~ShmFabric() {
  for (Receiver& receiver : receivers_) leave(receiver);
}

Address ShmFabric::local_address() const {
  return to_shm_address(name_);
}

Peer ShmFabric::attach(const Address& address, Service service) {
  const auto name = to_shm_name(address);
  if (service != Service::datagram || !name || free_handles_.empty()) return kNoPeer;
  auto place = std::ranges::find_if(
      receivers_, [&](const Receiver& r) { return r.handles > 0 && r.name == *name; });
  if (place == receivers_.end()) {
    place = std::ranges::find(receivers_, 0u, &Receiver::handles);  // there are enough of them
    place->name = *name;
    place->look_again = Time{};
  }
  ++place->handles;
  const Peer peer{free_handles_.back()};
  free_handles_.pop_back();
  receiver_of_[peer.value] = static_cast<std::uint32_t>(place - receivers_.begin());
  return peer;
}

void ShmFabric::detach(Peer peer) {
  HOLDFAST_ASSERT(peer.value < receiver_of_.size() && receiver_of_[peer.value] != kNobody);
  Receiver& receiver = receivers_[std::exchange(receiver_of_[peer.value], kNobody)];
  free_handles_.push_back(peer.value);
  if (--receiver.handles == 0) leave(receiver);
}

void ShmFabric::reset(Peer peer) {
  HOLDFAST_ASSERT(peer.value < receiver_of_.size() && receiver_of_[peer.value] != kNobody);
}

Region ShmFabric::register_memory(std::span<std::byte>) {
  return Region{regions_++};
}

bool ShmFabric::is_possible(const Operation& operation) const {
  return operation.kind == OperationKind::send && operation.size <= caps_.frame_bytes_max &&
         operation.peer.value < receiver_of_.size() &&
         receiver_of_[operation.peer.value] != kNobody;
}

void ShmFabric::leave(Receiver& receiver) {
  if (!receiver.segment.is_mapped()) return;
  give_back_lane(receiver.segment, receiver.lane);
  receiver.segment = ShmSegment();
}

// Whether there is a lane to write to.
bool ShmFabric::find(Receiver& receiver, Time now) {
  if (receiver.segment.is_mapped()) {
    if (receiver.segment.header().closed.load(std::memory_order_relaxed) == 0) return true;
    leave(receiver);
    receiver.look_again = Time{};
  }
  if (now < receiver.look_again) return false;
  receiver.look_again = now + kLookAgain;
  ShmSegment segment;
  if (!ShmSegment::open(directory_, receiver.name, segment)) return false;
  const auto lane = claim_lane(segment, self_);
  if (!lane) return false;
  receiver.segment = std::move(segment);
  receiver.lane = *lane;
  receiver.tail = receiver.segment.lane(*lane).tail.load(std::memory_order_relaxed);
  receiver.head_seen = receiver.segment.lane(*lane).head.load(std::memory_order_acquire);
  return true;
}

void ShmFabric::send(Receiver& receiver, const Operation& operation, Time now) {
  if (!find(receiver, now)) {
    ++counters_.unreachable;
    return;
  }
  const ShmSegment& segment = receiver.segment;
  if (operation.size > segment.geometry().frame_bytes) {
    ++counters_.oversized;
    return;
  }
  ShmLane& lane = segment.lane(receiver.lane);
  if (receiver.tail - receiver.head_seen >= segment.geometry().frames) {
    receiver.head_seen = lane.head.load(std::memory_order_acquire);
    if (receiver.tail - receiver.head_seen >= segment.geometry().frames) {
      ++counters_.full;
      return;
    }
  }
  ShmCell& cell = segment.cell(receiver.lane, receiver.tail);
  cell.sent_ns = now.ns;
  cell.size = operation.size;
  if (operation.size > 0) {
    std::memcpy(ShmSegment::frame_of(cell), operation.data, operation.size);
  }
  lane.tail.store(++receiver.tail, std::memory_order_release);
  // Either the owner, on its way to sleep, still sees this bit, or we see that it sleeps.
  ShmHeader& header = segment.header();
  header.pending[receiver.lane / 64].fetch_or(std::uint64_t{1} << (receiver.lane % 64));
  if (header.sleeping.load() != 0 && header.sleeping.exchange(0) != 0) segment.ring();
  ++counters_.frames_sent;
}

void ShmFabric::complete(const Operation& operation, Completion completion, Time now) {
  Event event;
  event.kind = EventKind::sent;
  event.completion = completion;
  event.peer = operation.peer;
  event.size = operation.size;
  event.cookie = operation.cookie;
  event.at = now;
  completions_.push(event);
}

std::size_t ShmFabric::post(std::span<const Operation> operations) {
  const Time now = monotonic_now();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    const bool possible = is_possible(operation);
    const bool completes = !possible || !operation.inline_data;
    if (completes && completions_.full()) {
      post_was_short_ = true;
      return i;
    }
    if (possible) send(receivers_[receiver_of_[operation.peer.value]], operation, now);
    if (completes) complete(operation, possible ? Completion::ok : Completion::local_error, now);
  }
  return operations.size();
}

std::size_t ShmFabric::offer(std::span<const ReceiveSlot> slots) {
  const std::size_t accepted = std::min(slots.size(), slots_.room());
  for (std::size_t i = 0; i < accepted; ++i) slots_.push(slots[i]);
  return accepted;
}

// Looks where something was published; whether there may be frames.
bool ShmFabric::gather() {
  bool any = false;
  const std::size_t words = (segment_.geometry().lanes + 63) / 64;
  for (std::size_t i = 0; i < words; ++i) {
    std::atomic<std::uint64_t>& pending = segment_.header().pending[i];
    if (pending.load() != 0) ready_[i] |= pending.exchange(0);
    any |= ready_[i] != 0;
  }
  return any;
}

// Of the oldest frame that waits, or kNobody. Lanes that hold none are struck off.
std::uint32_t ShmFabric::earliest_lane(std::int64_t& sent_ns) {
  std::uint32_t earliest = kNobody;
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    for (std::uint64_t left = ready_[i]; left != 0; left &= left - 1) {
      const auto lane =
          static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
      std::uint32_t waiting = 0;
      if (lane < segment_.geometry().lanes) {
        waiting = segment_.lane(lane).tail.load(std::memory_order_acquire) - heads_[lane];
      }
      if (waiting > segment_.geometry().frames) {
        ++counters_.corrupt;
        heads_[lane] += waiting;
        segment_.lane(lane).head.store(heads_[lane], std::memory_order_release);
        waiting = 0;
      }
      if (waiting == 0) {
        ready_[i] &= ~(left & (~left + 1));
        continue;
      }
      const std::int64_t sent = segment_.cell(lane, heads_[lane]).sent_ns;
      if (earliest != kNobody && sent >= sent_ns) continue;
      earliest = lane;
      sent_ns = sent;
    }
  }
  return earliest;
}

// Takes the lane's oldest frame into a slot; false if it is lost.
bool ShmFabric::take(std::uint32_t lane, std::int64_t sent_ns, Time now, Event& event) {
  ShmCell& cell = segment_.cell(lane, heads_[lane]);
  const std::uint32_t size = cell.size;  // once: its writer may be anybody
  const bool whole = size <= segment_.geometry().frame_bytes && size <= slots_[0].size;
  if (whole) {
    const ReceiveSlot slot = slots_.pop();
    if (size > 0) std::memcpy(slot.data, ShmSegment::frame_of(cell), size);
    last_arrival_ = std::clamp(Time{sent_ns}, last_arrival_, std::max(now, last_arrival_));
    event = Event{};
    event.kind = EventKind::received;
    event.size = size;
    event.cookie = slot.cookie;
    event.at = last_arrival_;
    ++counters_.frames_received;
  } else {
    ++counters_.truncated;
  }
  segment_.lane(lane).head.store(++heads_[lane], std::memory_order_release);
  return whole;
}

std::size_t ShmFabric::poll(std::span<Event> events) {
  if (armed_) {
    armed_ = false;
    segment_.header().sleeping.store(0);
    segment_.silence();
  }
  std::size_t count = 0;
  while (count < events.size() && !completions_.empty()) events[count++] = completions_.pop();
  if (count < events.size() && post_was_short_ && !completions_.full()) {
    post_was_short_ = false;
    Event event;
    event.kind = EventKind::writable;
    event.at = monotonic_now();
    events[count++] = event;
  }
  if (count == events.size() || slots_.empty() || !gather()) return count;
  const Time now = monotonic_now();
  std::int64_t sent_ns = 0;
  while (count < events.size() && !slots_.empty()) {
    const std::uint32_t lane = earliest_lane(sent_ns);
    if (lane == kNobody) break;
    if (take(lane, sent_ns, now, events[count])) ++count;
  }
  return count;
}

Armed ShmFabric::arm() {
  if (!completions_.empty() || post_was_short_) return {false, -1};
  if (!slots_.empty()) {
    armed_ = true;
    segment_.header().sleeping.store(1);
    std::int64_t sent_ns = 0;
    if (gather() && earliest_lane(sent_ns) != kNobody) return {false, -1};
  }
  return {true, segment_.bell()};
}

}  // namespace holdfast::hw
