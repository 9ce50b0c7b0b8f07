// Turns, arrivals in order, and handles by rail.
#include "stack/several_rails.hpp"

#include <algorithm>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast {

SeveralRails::SeveralRails(std::span<Fabric* const> rails, std::uint32_t receive_slots)
    : receive_slots_(receive_slots) {
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const Caps& caps = rails[i]->caps();
    if (!caps.datagram) continue;
    HOLDFAST_ASSERT(caps.inline_bytes_max >= kFrameBytesMax);
    Rail& rail = rails_.emplace_back();
    rail.fabric = rails[i];
    rail.index = i;
  }
  HOLDFAST_ASSERT(rails_.size() >= 2 && rails_.size() <= kRailsMax);
  slots_.reset(new FrameSlot[rails_.size() * receive_slots]);
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    rails_[i].slots = &slots_[i * receive_slots];
    rails_[i].region = rails_[i].fabric->register_memory(
        std::as_writable_bytes(std::span(rails_[i].slots, receive_slots)));
  }
}

ReceiveSlot SeveralRails::receive_slot(Rail& rail, std::uint64_t slot) const {
  HOLDFAST_ASSERT(slot < receive_slots_);
  return {rail.region, rail.slots[slot].bytes.data(), kFrameBytesMax, slot};
}

void SeveralRails::offer_all() {
  for (Rail& rail : rails_) {
    for (std::uint32_t i = 0; i < receive_slots_; ++i) offer(rail, i);
  }
}

void SeveralRails::offer(Rail& rail, std::uint64_t slot) {
  const ReceiveSlot offered = receive_slot(rail, slot);
  const std::size_t taken = rail.fabric->offer({&offered, 1});
  HOLDFAST_ASSERT(taken == 1);
}

void SeveralRails::begin_turn() {
  for (Rail& rail : rails_) {
    HOLDFAST_ASSERT(rail.next == rail.count);
    rail.is_empty = false;
  }
}

bool SeveralRails::take(Arrival& arrival) {
  arrival.rail = nullptr;
  for (Rail& rail : rails_) {
    if (rail.next == rail.count && !rail.is_empty) {
      rail.next = 0;
      rail.count = rail.fabric->poll(rail.events);
      // Frames may have waited for a slot even if there is room for more events.
      rail.is_empty = rail.count < rail.events.size() && rail.count < receive_slots_;
    }
    if (rail.next == rail.count) continue;
    const Event& event = rail.events[rail.next];
    if (arrival.rail != nullptr && arrival.event.at <= event.at) continue;
    arrival = {&rail, event};
  }
  if (arrival.rail == nullptr) return false;
  ++arrival.rail->next;
  return true;
}

bool SeveralRails::all_full() const {
  return std::all_of(rails_.begin(), rails_.end(), [](const Rail& rail) { return rail.is_full; });
}

std::size_t SeveralRails::next_for(ProcessId process, FrameType type) {
  std::uint8_t& next = peer(process).next[type == FrameType::heartbeat ? 0 : 1];
  const std::size_t in_turn = next % rails_.size();
  std::size_t chosen = in_turn;
  for (std::size_t i = 0; i < rails_.size() && !rails_[chosen].usable(); ++i) {
    chosen = (chosen + 1) % rails_.size();
  }
  if (!rails_[chosen].usable()) chosen = in_turn;
  next = static_cast<std::uint8_t>((chosen + 1) % rails_.size());
  return chosen;
}

void SeveralRails::follow_life(ProcessId process, std::uint32_t boot) {
  PeerRails& known = peer(process);
  if (known.boot >= boot) return;
  known.boot = boot;
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    Peer& handle = known.handles[i];
    if (handle != kNoPeer) rails_[i].fabric->detach(std::exchange(handle, kNoPeer));
  }
}

SeveralRails::PeerRails& SeveralRails::peer(ProcessId process) {
  auto found =
      std::lower_bound(peers_.begin(), peers_.end(), process,
                       [](const PeerRails& one, ProcessId wanted) { return one.process < wanted; });
  if (found == peers_.end() || found->process != process) {
    found = peers_.insert(found, PeerRails{});
    found->process = process;
  }
  return *found;
}

}  // namespace holdfast
