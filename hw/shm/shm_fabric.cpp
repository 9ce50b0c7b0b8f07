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

constexpr std::uint32_t kNoLane = 0xffff'ffff;

// A lane that was empty as often is no longer watched, if another one is in use.
constexpr std::uint32_t kIdlePolls = 64;

constexpr std::size_t kLineBytes = 64;  // of a cache

// Has a line brought to this processor's cache, and taken from the others', as a store would.
void own_line(const std::byte* line) {
#if defined(__x86_64__)
  // The compiler's own has it stay in the others' too, unless all is compiled for newer processors.
  asm volatile("prefetchw %0" : : "m"(*line));
#else
  __builtin_prefetch(line, 1);
#endif
}

// Who is not there is not looked for with every frame.
constexpr Duration kLookAgain = milliseconds(1);

// To read the clock with each frame takes a short message about a sixth longer, where the clock
// is a virtual machine's. So what a sender says is believed up to this much beyond the time that
// was read last: that is how far in the future whoever writes what he likes can place a frame.
constexpr Duration kBelieved = microseconds(50);

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
      handles_(options.peers_max),
      queues_(options.send_depth, options.receive_depth),
      heads_(options.geometry.lanes),
      watched_(kShmLanesMax) {
  caps_.kind = "shm";
  caps_.frame_bytes_max = options.geometry.frame_bytes;
  caps_.inline_bytes_max = options.geometry.frame_bytes;
  caps_.send_depth = options.send_depth;
  caps_.receive_depth = options.receive_depth;
  caps_.peer_frames_max = options.geometry.frames;
  caps_.datagram = true;
  caps_.is_written_in_place = true;
  caps_.polls_memory = true;
}

ShmFabric::~ShmFabric() {
  for (Receiver& receiver : receivers_) leave(receiver);
}

Address ShmFabric::local_address() const {
  return to_shm_address(name_);
}

Peer ShmFabric::attach(const Address& address, Service service) {
  const auto name = to_shm_name(address);
  if (service != Service::datagram || !name || handles_.full()) return kNoPeer;
  std::uint32_t unused = 0;  // there are enough
  for (std::uint32_t place = 0; place < receivers_.size(); ++place) {
    if (!handles_.is_used(place)) {
      unused = place;
    } else if (receivers_[place].name == *name) {
      return handles_.give(place);
    }
  }
  receivers_[unused].name = *name;
  receivers_[unused].look_again = Time{};
  return handles_.give(unused);
}

void ShmFabric::detach(Peer peer) {
  const std::uint32_t place = handles_.place_of(peer);
  handles_.take_back(peer);
  if (!handles_.is_used(place)) leave(receivers_[place]);
}

void ShmFabric::reset(Peer peer) {
  HOLDFAST_ASSERT(handles_.is_given(peer));
}

Region ShmFabric::register_memory(std::span<std::byte>) {
  return Region{regions_++};
}

bool ShmFabric::is_possible(const Operation& operation) const {
  return operation.kind == OperationKind::send &&
         operation.frame_bytes() <= caps_.frame_bytes_max && handles_.is_given(operation.peer);
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
  receiver.passes = PassChoice(receiver.segment.geometry().frames);
  receiver.tail = receiver.segment.lane(*lane).tail.load(std::memory_order_relaxed);
  receiver.announced = receiver.tail;
  receiver.head_seen = receiver.segment.lane(*lane).head.load(std::memory_order_acquire);
  return true;
}

void ShmFabric::write_second(PassChoice& choice, const Operation& operation, std::byte* to) {
  const auto [passes, is_timed] = choice.next(operation.more_size);
  const Time begun = is_timed ? monotonic_now() : Time{};
  operation.writer->write(operation, to, passes);
  if (is_timed) choice.took(monotonic_now() - begun);
}

void ShmFabric::send(Receiver& receiver, const Operation& operation, Time now) {
  if (!find(receiver, now)) {
    ++counters_.unreachable;
    return;
  }
  const ShmSegment& segment = receiver.segment;
  if (operation.frame_bytes() > segment.geometry().frame_bytes) {
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
  // A tail that is further behind is one that cannot be.
  if (receiver.tail - receiver.announced == segment.geometry().frames) announce(receiver);
  ShmCell& cell = segment.cell(receiver.lane, receiver.tail);
  cell.sent_ns = now.ns;
  cell.size = static_cast<std::uint32_t>(operation.frame_bytes());
  std::byte* const frame = ShmSegment::frame_of(cell);
  if (operation.more_size > 0) write_second(receiver.passes, operation, frame + operation.size);
  if (operation.size > 0) std::memcpy(frame, operation.data, operation.size);
  cell.published.store(++receiver.tail, std::memory_order_release);
  ++counters_.frames_sent;
}

// Tells the owner of what was published. Either it, on its way to sleep or when it no longer
// watches the lane, still sees the frame, or we see that it sleeps, or that it is to be told.
void ShmFabric::announce(Receiver& receiver) {
  if (!receiver.segment.is_mapped()) return;
  const ShmSegment& segment = receiver.segment;
  ShmHeader& header = segment.header();
  std::atomic<std::uint64_t>& pending = header.pending[receiver.lane / 64];
  const std::uint64_t bit = std::uint64_t{1} << (receiver.lane % 64);
  segment.lane(receiver.lane).tail.exchange(receiver.tail);  // it is published before we look
  receiver.announced = receiver.tail;
  if ((pending.load() & bit) == 0) pending.fetch_or(bit);
  if (header.sleeping.load() != 0 && header.sleeping.exchange(0) != 0) segment.ring();
}

std::size_t ShmFabric::post(std::span<const Operation> operations) {
  // Both ends write the word in which frames are announced, so short ones are announced together.
  constexpr std::uint32_t kAnnouncedBytes = 8192;
  if (operations.empty()) return 0;
  const bool is_told = operations.front().at != Time{};
  const Time now = is_told ? operations.front().at : monotonic_now();
  Receiver* unannounced = nullptr;
  std::size_t bytes = 0;
  std::size_t accepted = 0;
  for (; accepted < operations.size(); ++accepted) {
    const Operation& operation = operations[accepted];
    const bool possible = is_possible(operation);
    if ((!possible || !operation.inline_data) && queues_.room() == 0) {
      queues_.owe_writable();
      break;
    }
    if (possible) {
      Receiver& receiver = receivers_[handles_.place_of(operation.peer)];
      bytes += operation.frame_bytes();
      if (unannounced != nullptr && (unannounced != &receiver || bytes > kAnnouncedBytes)) {
        announce(*unannounced);
        bytes = operation.frame_bytes();
      }
      send(receiver, operation, now);
      unannounced = &receiver;
    }
    queues_.complete(operation, possible ? Completion::ok : Completion::local_error, now);
  }
  if (unannounced != nullptr) announce(*unannounced);
  return accepted;
}

// The receiver looks again and again where the frame will be published, so the processor of the
// receiver has that line, and a store waits until it has been taken from there. That may take as
// long as to make the frame (docs/speed.md).
void ShmFabric::prepare(Peer peer) {
  const Receiver& receiver = receivers_[handles_.place_of(peer)];
  if (!receiver.segment.is_mapped()) return;
  const auto* const cell =
      reinterpret_cast<const std::byte*>(&receiver.segment.cell(receiver.lane, receiver.tail));
  own_line(cell);
  own_line(cell + kLineBytes);  // a short message with its header and an acknowledgement
}

// Looks where something was published; whether there may be frames.
bool ShmFabric::gather() {
  bool any = false;
  for (std::size_t i = 0; i < words(); ++i) {
    std::atomic<std::uint64_t>& pending = segment_.header().pending[i];
    const std::uint64_t watched =
        watched_ / 64 == i ? std::uint64_t{1} << (watched_ % 64) : std::uint64_t{0};
    if ((pending.load() & ~watched) != 0) ready_[i] |= pending.fetch_and(watched);
    ready_[i] |= watched;
    any |= ready_[i] != 0;
  }
  return any;
}

// Who sends much is watched, until he has been silent while another one sent. The bit of the one
// before is then as any that was announced: his lane is looked at once more after it is taken back.
void ShmFabric::watch(std::uint32_t lane) {
  if (watched_ != lane) {
    if (watched_ != kShmLanesMax && idle_polls_ < kIdlePolls) return;
    segment_.header().pending[lane / 64].fetch_or(std::uint64_t{1} << (lane % 64));
    watched_ = lane;
  }
  idle_polls_ = 0;
}

bool ShmFabric::is_published(std::uint32_t lane) const {
  const std::uint32_t published =
      segment_.cell(lane, heads_[lane]).published.load(std::memory_order_acquire);
  return published == heads_[lane] + 1;
}

// Whether the lane holds a frame. If it shows none its tail says whether that is all; not with each
// poll of a lane that is looked at again with the next one.
bool ShmFabric::has_frame(std::uint32_t lane) {
  if (lane >= segment_.geometry().lanes) return false;
  if (is_published(lane)) return true;
  if (lane == watched_ && idle_polls_ < kIdlePolls && !armed_) return false;
  const std::uint32_t tail = segment_.lane(lane).tail.load();
  // It may be behind by what is published and will be announced, which is no more than a lane
  // holds.
  if (heads_[lane] - tail <= segment_.geometry().frames) return false;
  if (is_published(lane)) return true;
  ++counters_.corrupt;
  heads_[lane] = tail;
  segment_.lane(lane).head.store(tail, std::memory_order_release);
  return false;
}

// The lane of the oldest frame that waits. Lanes that hold none are struck off.
ShmFabric::Earliest ShmFabric::find_earliest() {
  Earliest earliest{kNoLane, 0, true};
  for (std::size_t i = 0; i < words(); ++i) {
    for (std::uint64_t left = ready_[i]; left != 0; left &= left - 1) {
      const auto lane =
          static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
      if (!has_frame(lane)) {
        ready_[i] &= ~(left & (~left + 1));
        continue;
      }
      const std::int64_t sent = segment_.cell(lane, heads_[lane]).sent_ns;
      if (earliest.lane != kNoLane) {
        earliest.is_only_lane = false;
        if (sent >= earliest.sent_ns) continue;
      }
      earliest.lane = lane;
      earliest.sent_ns = sent;
    }
  }
  return earliest;
}

// Takes the lane's oldest frame into a slot; false if it is lost.
bool ShmFabric::take(std::uint32_t lane, std::int64_t sent_ns, Event& event) {
  ShmCell& cell = segment_.cell(lane, heads_[lane]);
  const std::uint32_t size = cell.size;  // once: its writer may be anybody
  const bool whole = size <= segment_.geometry().frame_bytes && size <= queues_.slots()[0].size;
  if (whole) {
    const ReceiveSlot slot = queues_.slots().pop();
    if (size > 0) std::memcpy(slot.data, ShmSegment::frame_of(cell), size);
    Time sent{sent_ns};
    if (sent > clock_read_ + kBelieved) {
      clock_read_ = monotonic_now();
      sent = std::min(sent, clock_read_);
    }
    last_arrival_ = std::max(last_arrival_, sent);
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
  std::size_t count = queues_.poll(events, [] { return true; });
  if (count == events.size() || queues_.slots().empty() || !gather()) return count;
  if (idle_polls_ < kIdlePolls) ++idle_polls_;
  while (count < events.size() && !queues_.slots().empty()) {
    const Earliest earliest = find_earliest();
    if (earliest.lane == kNoLane) break;
    if (take(earliest.lane, earliest.sent_ns, events[count])) ++count;
    watch(earliest.lane);
    if (earliest.is_only_lane && !is_published(earliest.lane)) break;
  }
  return count;
}

Armed ShmFabric::arm() {
  if (queues_.has_completions() || queues_.owes_writable()) return {false, -1};
  if (!queues_.slots().empty()) {
    armed_ = true;
    segment_.header().sleeping.store(1);
    if (gather() && find_earliest().lane != kNoLane) return {false, -1};
  }
  return {true, segment_.bell()};
}

}  // namespace holdfast::hw
