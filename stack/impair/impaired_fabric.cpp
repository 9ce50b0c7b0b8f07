// Each frame has a fate of its own; what nothing happens to goes on together, as it was posted.
#include "stack/impair/impaired_fabric.hpp"

#include <algorithm>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast {

ImpairedFabric::ImpairedFabric(Fabric& inner, ImpairedOptions options)
    : inner_(inner),
      options_(std::move(options)),
      caps_(inner.caps()),
      scheduled_(options_.windows, options_.self, options_.rail),
      fates_(options_.seed, options_.life),
      spoilt_(std::min(caps_.frame_bytes_max, caps_.inline_bytes_max)) {
  caps_.frame_bytes_max = std::min(caps_.frame_bytes_max, caps_.inline_bytes_max);
  caps_.connected = caps_.one_sided = caps_.fetch_add = false;
  caps_.gathers = caps_.is_written_in_place = false;
  const FrameFaults worst = options_.faults.and_then(scheduled_.worst());
  caps_.frames_protected = caps_.frames_protected && worst.corrupt == 0.0 && worst.truncate == 0.0;
  completions_.reserve(caps_.send_depth);
  if (worst.delays()) late_.emplace(options_.late_max, caps_.frame_bytes_max);
  HOLDFAST_ASSERT(!late_ || options_.clock);
  HOLDFAST_ASSERT(!scheduled_.any() || (options_.clock && options_.process_at));
}

Peer ImpairedFabric::attach(const Address& address, Service service) {
  if (service == Service::connected) return kNoPeer;
  const Peer peer = inner_.attach(address, service);
  if (scheduled_.any() && service == Service::datagram && peer != kNoPeer)
    scheduled_.attached(peer, options_.process_at(address));
  return peer;
}

void ImpairedFabric::detach(Peer peer) {
  if (late_) counts_.overflowed += late_->drop_to(peer);
  scheduled_.detached(peer);
  inner_.detach(peer);
}

Region ImpairedFabric::register_memory(std::span<std::byte> memory) {
  return inner_.register_memory(memory);
}

std::size_t ImpairedFabric::post(std::span<const Operation> operations) {
  const bool scheduled = is_scheduled();
  if (!options_.faults.any() && !scheduled && next_due() == Time::never()) {
    const std::size_t accepted = inner_.post(operations);
    owes_writable_ = owes_writable_ || accepted < operations.size();
    return accepted;
  }
  send_late();  // what was due before these goes before them
  std::size_t accepted = 0;
  bool has_room = true;
  while (has_room && accepted < operations.size())
    has_room = post_some(operations.subspan(accepted), scheduled, accepted);
  owes_writable_ = owes_writable_ || accepted < operations.size();
  return accepted;
}

// What can never succeed is for the inner fabric to say, and has no fate.
FrameFate ImpairedFabric::draw(const Operation& operation, bool scheduled) {
  if (operation.kind != OperationKind::send || operation.size > caps_.frame_bytes_max ||
      operation.peer == kNoPeer) {
    return {};
  }
  const FrameFaults faults =
      scheduled ? scheduled_.to(operation.peer, options_.faults) : options_.faults;
  return fates_.next(faults, operation.size);
}

// The frames up to the first to which something happens, and that one. Each frame that is accepted
// or refused has drawn, and none after it. False: back-pressure.
bool ImpairedFabric::post_some(std::span<const Operation> operations, bool scheduled,
                               std::size_t& accepted) {
  const FrameFates before = fates_;
  FrameFate fate;
  std::size_t spared = 0;
  std::uint64_t overtaking = 0;  // of those
  for (; spared < operations.size(); ++spared) {
    fate = draw(operations[spared], scheduled);
    if (!fate.is_spared()) break;
    overtaking += fate.reordered ? 1u : 0u;
  }
  const std::size_t sent = spared > 0 ? inner_.post(operations.first(spared)) : 0;
  accepted += sent;
  if (sent < spared) {
    fates_ = before;
    for (const Operation& operation : operations.first(sent))
      counts_.reordered += draw(operation, scheduled).reordered ? 1u : 0u;
    draw(operations[sent], scheduled);
    return false;
  }
  counts_.reordered += overtaking;
  if (spared == operations.size()) return true;
  if (!deal_with(operations[spared], fate)) return false;
  ++accepted;
  return true;
}

// A frame that comes twice, and is else as it was, is sent as it was posted. Of any other what is
// to be sent is copied, so that the operation is over.
bool ImpairedFabric::deal_with(const Operation& operation, const FrameFate& fate) {
  if (fate.comes_as_sent()) {
    if (inner_.post({&operation, 1}) == 0) return false;
    if (fate.reordered) ++counts_.reordered;
    ++counts_.duplicated;
    send(operation.peer, {operation.data, operation.size}, Duration{0});
    return true;
  }
  if (!operation.inline_data && completions_.size() == caps_.send_depth) {
    refused_here_ = true;
    return false;
  }
  const std::span<std::byte> frame(operation.data, operation.size);
  if (!operation.inline_data) {
    completions_.push_back({EventKind::sent, Completion::ok, operation.peer, operation.size,
                            operation.cookie, Time{}});
  }
  if (fate.lost) {
    ++counts_.lost;
    return true;
  }
  if (fate.reordered) ++counts_.reordered;
  if (fate.delay > Duration{0}) ++counts_.delayed;
  std::span<std::byte> first = frame;
  if (fate.corrupted) {
    ++counts_.corrupted;
    const std::span<std::byte> spoilt = std::span(spoilt_).first(frame.size());
    std::copy(frame.begin(), frame.end(), spoilt.begin());
    spoilt[fate.wrong_bit / 8] ^= std::byte{1} << (fate.wrong_bit % 8);
    first = spoilt;
  }
  if (fate.truncated) {
    ++counts_.truncated;
    first = first.first(fate.bytes_left);
  }
  send(operation.peer, first, fate.delay);
  if (!fate.duplicated) return true;
  ++counts_.duplicated;
  send(operation.peer, frame, fate.delay);
  return true;
}

// Now or later. A network that has no room loses it.
void ImpairedFabric::send(Peer to, std::span<std::byte> frame, Duration delay) {
  if (delay > Duration{0}) {
    if (late_->full()) {
      ++counts_.overflowed;
    } else {
      late_->put(options_.clock() + delay, to, frame);
    }
    return;
  }
  Operation operation;
  operation.inline_data = true;
  operation.peer = to;
  operation.data = frame.data();
  operation.size = static_cast<std::uint32_t>(frame.size());
  operation.cookie = kOwnCookie;
  counts_.overflowed += 1 - inner_.post({&operation, 1});
}

void ImpairedFabric::send_late() {
  if (next_due() == Time::never()) return;
  for (const Time now = options_.clock(); late_->next_due() <= now; late_->drop_first()) {
    const Operation operation = late_->first();
    counts_.overflowed += 1 - inner_.post({&operation, 1});
  }
}

std::size_t ImpairedFabric::poll(std::span<Event> events) {
  send_late();
  std::size_t count = std::min(events.size(), completions_.size());
  const auto end = completions_.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(completions_.begin(), end, events.begin());
  completions_.erase(completions_.begin(), end);
  if (refused_here_ && completions_.empty() && count < events.size()) {
    refused_here_ = owes_writable_ = false;
    events[count++] = {EventKind::writable, Completion::ok, kNoPeer, 0, 0, Time{}};
  }
  return count == events.size() ? count : count + without_surplus(events.subspan(count));
}

// The inner fabric also refuses what nobody has posted, and says so afterwards: a `writable` that
// is owed to nobody is kept back, and so is what became of copies and of late frames. Polled again
// if that is why there is room, since fewer events than asked for would mean that there are no
// more.
std::size_t ImpairedFabric::without_surplus(std::span<Event> events) {
  std::size_t count = 0;
  while (count < events.size()) {
    const std::span<Event> room = events.subspan(count);
    const std::size_t got = inner_.poll(room);
    const bool has_more = got > 0 && room[got - 1].more;
    for (const Event& event : room.first(got)) {
      const bool surplus =
          (event.kind == EventKind::writable && !std::exchange(owes_writable_, false)) ||
          (event.kind == EventKind::sent && event.cookie == kOwnCookie);
      if (!surplus) events[count++] = event;
    }
    const bool has_lent = std::ranges::any_of(
        events.first(count), [](const Event& event) { return event.lent != nullptr; });
    // Another poll would take back what this one has lent.
    if ((has_more || (has_lent && got == room.size())) && count > 0) {
      events[count - 1].more = true;
      break;
    }
    if (got < room.size() && !has_more) break;
  }
  return count;
}

Armed ImpairedFabric::arm() {
  if (!completions_.empty() || refused_here_) return {};
  Armed armed = inner_.arm();
  const Time due = next_due();
  if (due == Time::never()) return armed;
  if (due <= options_.clock()) return {};
  armed.until = std::min(armed.until, due);
  return armed;
}

}  // namespace holdfast
