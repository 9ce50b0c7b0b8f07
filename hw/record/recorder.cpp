// Each call: its arguments before the inner fabric sees them, its results after.
#include "hw/record/recorder.hpp"

#include <algorithm>

namespace holdfast::hw {

Recorder::Recorder(Fabric& inner, RecordingWriter& writer, std::uint8_t rail)
    : inner_(inner),
      writer_(writer),
      rail_(rail),
      caps_(inner.caps()),
      slots_(inner.caps().receive_depth) {
  caps_.connected = caps_.one_sided = caps_.fetch_add = false;
  caps_.gathers = caps_.is_written_in_place = false;
  caps_.connected_bytes_max = 0;
  numbered_.reserve(caps_.receive_depth);
  begin();
  encode(caps_, results_);
  encode(inner.local_address(), results_);
  end(CallKind::rail);
}

void Recorder::begin() {
  arguments_.clear();
  results_.clear();
}

void Recorder::end(CallKind kind) {
  writer_.call(kind, rail_, arguments_.bytes(), results_.bytes());
}

Peer Recorder::attach(const Address& address, Service service) {
  begin();
  encode(address, arguments_);
  arguments_.put(static_cast<std::uint8_t>(service));
  const Peer peer = service == Service::connected ? kNoPeer : inner_.attach(address, service);
  results_.put(peer.value);
  end(CallKind::attach);
  return peer;
}

void Recorder::detach(Peer peer) {
  begin();
  arguments_.put(peer.value);
  inner_.detach(peer);
  end(CallKind::detach);
}

void Recorder::reset(Peer peer) {
  begin();
  arguments_.put(peer.value);
  inner_.reset(peer);
  end(CallKind::reset);
}

Region Recorder::register_memory(std::span<std::byte> memory) {
  begin();
  arguments_.put(std::uint64_t{memory.size()});
  const Region region = inner_.register_memory(memory);
  results_.put(region.value);
  end(CallKind::register_memory);
  return region;
}

std::size_t Recorder::post(std::span<const Operation> operations) {
  begin();
  encode_post(operations, caps_.frame_bytes_max, arguments_);
  const std::size_t accepted = inner_.post(operations);
  results_.put(std::uint64_t{accepted});
  end(CallKind::post);
  return accepted;
}

std::size_t Recorder::offer(std::span<const ReceiveSlot> slots) {
  begin();
  encode_offer(slots, arguments_);
  numbered_.clear();
  for (const ReceiveSlot& slot : slots.first(std::min(slots.size(), slots_.room()))) {
    numbered_.push_back(slot);
    numbered_.back().cookie = slots_.put(slot);
  }
  const std::size_t accepted = inner_.offer(numbered_);
  for (std::size_t i = numbered_.size(); i > accepted; --i) slots_.take(numbered_[i - 1].cookie);
  results_.put(std::uint64_t{accepted});
  end(CallKind::offer);
  return accepted;
}

std::size_t Recorder::poll(std::span<Event> events) {
  begin();
  arguments_.put(std::uint64_t{events.size()});
  const std::size_t count = inner_.poll(events);
  results_.put(std::uint64_t{count});
  for (Event& event : events.first(count)) {
    encode(event, results_);
    if (event.kind != EventKind::received) continue;
    const ReceiveSlot slot = slots_.take(event.cookie);
    results_.put_bytes({slot.data, event.size});
    event.cookie = slot.cookie;
  }
  end(CallKind::poll);
  return count;
}

bool Recorder::set_path(Peer peer, PathChoice choice) {
  begin();
  arguments_.put(peer.value);
  arguments_.put(static_cast<std::uint8_t>(choice));
  const bool done = inner_.set_path(peer, choice);
  results_.put(std::uint8_t{done});
  end(CallKind::set_path);
  return done;
}

}  // namespace holdfast::hw
