// Each call asks the replay; a poll also puts the recorded bytes into the slots.
#include "hw/record/replay_fabric.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"

namespace holdfast::hw {

ReplayFabric::ReplayFabric(Replay& replay, std::uint8_t rail)
    : replay_(replay),
      rail_(rail),
      caps_(replay.rails()[rail].caps),
      address_(replay.rails()[rail].address),
      slots_(caps_.receive_depth) {
  ask(CallKind::rail);
}

// The answer to the arguments gathered in arguments_, which are gone afterwards.
ByteReader ReplayFabric::ask(CallKind kind) {
  const ByteReader results = replay_.answer(kind, rail_, arguments_.bytes());
  arguments_.clear();
  return results;
}

Peer ReplayFabric::attach(const Address& address, Service service) {
  encode(address, arguments_);
  arguments_.put(static_cast<std::uint8_t>(service));
  return {ask(CallKind::attach).get<std::uint32_t>()};
}

void ReplayFabric::detach(Peer peer) {
  arguments_.put(peer.value);
  ask(CallKind::detach);
}

void ReplayFabric::reset(Peer peer) {
  arguments_.put(peer.value);
  ask(CallKind::reset);
}

Region ReplayFabric::register_memory(std::span<std::byte> memory) {
  arguments_.put(std::uint64_t{memory.size()});
  return {ask(CallKind::register_memory).get<std::uint32_t>()};
}

std::size_t ReplayFabric::post(std::span<const Operation> operations) {
  encode_post(operations, caps_.frame_bytes_max, arguments_);
  ByteReader results = ask(CallKind::post);
  const auto accepted = results.get<std::uint64_t>();
  return results.good() ? std::min<std::size_t>(accepted, operations.size()) : operations.size();
}

std::size_t ReplayFabric::offer(std::span<const ReceiveSlot> slots) {
  encode_offer(slots, arguments_);
  ByteReader results = ask(CallKind::offer);
  const auto recorded = results.get<std::uint64_t>();
  if (!results.good()) return slots.size();
  const std::size_t offered = std::min(slots.size(), slots_.room());
  const std::size_t accepted = std::min<std::size_t>(recorded, offered);
  // As the recorder does it, so that both give the same numbers: take all, give back the rest.
  std::vector<std::uint32_t> numbers;
  for (const ReceiveSlot& slot : slots.first(offered)) numbers.push_back(slots_.put(slot));
  for (std::size_t i = offered; i > accepted; --i) slots_.take(numbers[i - 1]);
  return accepted;
}

std::size_t ReplayFabric::poll(std::span<Event> events) {
  arguments_.put(std::uint64_t{events.size()});
  ByteReader results = ask(CallKind::poll);
  const auto recorded = results.get<std::uint64_t>();
  const std::size_t count = std::min<std::size_t>(recorded, events.size());
  for (Event& event : events.first(count)) {
    event = decode_event(results);
    if (event.kind != EventKind::received) continue;
    HOLDFAST_ASSERT(slots_.holds(event.cookie));  // the recorder wrote it, a checksum kept it
    const ReceiveSlot slot = slots_.take(event.cookie);
    const std::span<const std::byte> bytes = results.get_bytes(event.size);
    HOLDFAST_ASSERT(bytes.size() <= slot.size);
    std::copy(bytes.begin(), bytes.end(), slot.data);
    event.cookie = slot.cookie;
  }
  return count;
}

bool ReplayFabric::set_path(Peer peer, PathChoice choice) {
  arguments_.put(peer.value);
  arguments_.put(static_cast<std::uint8_t>(choice));
  return ask(CallKind::set_path).get<std::uint8_t>() != 0;
}

}  // namespace holdfast::hw
