// Events of the inner fabric wait here, and leave one by one.
#include "tests/messages/placing_fabric.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace holdfast::messages {

namespace {
constexpr std::uint64_t kPurpose = 0x706c6163;
}  // namespace

PlacingFabric::PlacingFabric(Fabric& inner, std::uint64_t seed, PlacingCounts& counts)
    : OuterFabric(inner), random_(seed, kPurpose, 0), counts_(counts) {}

void PlacingFabric::set_placer(FramePlacer* placer, std::uint32_t beginning_bytes) {
  placer_ = placer;
  beginning_bytes_ = beginning_bytes;
}

std::size_t PlacingFabric::offer(std::span<const ReceiveSlot> slots) {
  const std::size_t taken = inner_.offer(slots);
  for (const ReceiveSlot& slot : slots.first(taken)) {
    if (slot.cookie >= slots_.size()) slots_.resize(slot.cookie + 1);
    slots_[slot.cookie] = slot;
  }
  return taken;
}

// Whether all that had come is here.
bool PlacingFabric::fetch() {
  const std::span<Event> room = std::span(waiting_).subspan(waiting_count_);
  const std::size_t got = inner_.poll(room);
  waiting_count_ += got;
  return got < room.size();
}

Event PlacingFabric::take_first() {
  const Event first = waiting_[0];
  std::copy_n(waiting_.begin() + 1, --waiting_count_, waiting_.begin());
  return first;
}

bool PlacingFabric::is_for_placer() const {
  const Event& first = waiting_[0];
  return placer_ != nullptr && first.kind == EventKind::received && first.size > beginning_bytes_;
}

// Of the first that waits, with nothing told of before it. True: it has been told of.
bool PlacingFabric::place_first(Event& event) {
  Event& first = waiting_[0];
  const ReceiveSlot& slot = slots_[first.cookie];
  std::byte* const place = placer_->place({slot.data, beginning_bytes_}, first.size);
  if (first.placed != nullptr && place != first.placed) {
    static_cast<void>(inner_.offer({&slot, 1}));
    static_cast<void>(take_first());
    ++counts_.displaced;
    return false;
  }
  if (place == nullptr) {
    event = take_first();
    return true;
  }
  const std::byte* const rest = slot.data + beginning_bytes_;
  const std::uint32_t half = (first.size - beginning_bytes_) / 2;
  if (first.placed == nullptr && waiting_count_ > 1 && random_.below(2) == 0) {
    std::memcpy(place, rest, half);
    first.placed = place;
    std::swap(waiting_[0], waiting_[1]);
    return false;
  }
  const std::uint32_t from = first.placed == nullptr ? 0 : half;
  std::memcpy(place + from, rest + from, first.size - beginning_bytes_ - from);
  // Who reads the slot reads something else.
  std::fill_n(slot.data + beginning_bytes_, first.size - beginning_bytes_, std::byte{0xee});
  event = take_first();
  event.placed = place;
  ++counts_.placed;
  event.more = true;
  return true;
}

std::size_t PlacingFabric::poll(std::span<Event> events) {
  std::size_t count = 0;
  bool has_all = false;
  while (count < events.size()) {
    if (!has_all && waiting_count_ < kWaitingMax / 2) has_all = fetch();
    if (waiting_count_ == 0) break;
    if (!is_for_placer()) {
      events[count++] = take_first();
      continue;
    }
    if (count > 0) {
      events[count - 1].more = true;
      break;
    }
    const bool is_begun = waiting_[0].placed != nullptr;
    // As if the rest of it were still on its way.
    if (is_begun && random_.below(8) == 0) break;
    if (!place_first(events[0])) continue;
    count = 1;
    if (events[0].more) break;
  }
  return count;
}

}  // namespace holdfast::messages
