// Each call asks the replay; a poll also puts the recorded bytes into the slots.
#include "hw/record/replay_fabric.hpp"

#include <algorithm>

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
  if (!results.good()) return operations.size();
  if (accepted > operations.size()) {
    refuse(CallKind::post, "more operations accepted than were posted");
    return operations.size();
  }
  for (const Operation& operation : operations.first(accepted)) {
    if (operation.inline_data) {
      posted_inline_ = true;
    } else {
      under_way_.push_back(operation.cookie);
    }
  }
  return accepted;
}

// An engine offers what its rails are made for, so a fabric takes all of it.
std::size_t ReplayFabric::offer(std::span<const ReceiveSlot> slots) {
  encode_offer(slots, arguments_);
  ByteReader results = ask(CallKind::offer);
  const auto accepted = results.get<std::uint64_t>();
  if (!results.good()) return slots.size();
  if (accepted != slots.size() || accepted > slots_.room()) {
    refuse(CallKind::offer, "not as many slots taken as were offered and fit");
    return slots.size();
  }
  for (const ReceiveSlot& slot : slots) slots_.put(slot);
  return accepted;
}

std::size_t ReplayFabric::poll(std::span<Event> events) {
  arguments_.put(std::uint64_t{events.size()});
  ByteReader results = ask(CallKind::poll);
  const auto recorded = results.get<std::uint64_t>();
  if (recorded > events.size()) {
    refuse(CallKind::poll, "more events than were asked for");
    return 0;
  }
  std::size_t count = 0;
  while (count < recorded && take(events[count], results)) ++count;
  if (count == recorded && !results.at_end()) refuse(CallKind::poll, "bytes after its events");
  return count;
}

bool ReplayFabric::take(Event& event, ByteReader& results) {
  event = decode_event(results);
  const char* why = nullptr;
  if (!results.good()) {
    why = "an event that does not decode";
  } else if (event.kind > EventKind::port_down || event.completion > Completion::local_error) {
    why = "an event of no known kind";
  } else if (!is_clock_time(event.at)) {
    why = "an event at a time that no clock shows";
  } else if (event.kind == EventKind::received) {
    return take_frame(event, results);
  } else if (event.kind == EventKind::sent) {
    const auto operation = std::find(under_way_.begin(), under_way_.end(), event.cookie);
    // One that was taken inline says something only if it has failed.
    const bool may_be_inline = posted_inline_ && event.completion == Completion::local_error;
    if (operation != under_way_.end()) {
      under_way_.erase(operation);
    } else if (!may_be_inline) {
      why = "an operation ended that was not under way";
    }
  }
  if (why != nullptr) refuse(CallKind::poll, why);
  return why == nullptr;
}

bool ReplayFabric::take_frame(Event& event, ByteReader& results) {
  if (!slots_.holds(event.cookie)) {
    refuse(CallKind::poll, "a frame in a slot that was not offered");
    return false;
  }
  const ReceiveSlot slot = slots_.take(event.cookie);
  const std::span<const std::byte> bytes = results.get_bytes(event.size);
  if (!results.good() || bytes.size() > slot.size) {
    refuse(CallKind::poll, "a frame that is cut off or longer than its slot");
    return false;
  }
  std::copy(bytes.begin(), bytes.end(), slot.data);
  event.cookie = slot.cookie;
  return true;
}

bool ReplayFabric::set_path(Peer peer, PathChoice choice) {
  arguments_.put(peer.value);
  arguments_.put(static_cast<std::uint8_t>(choice));
  return ask(CallKind::set_path).get<std::uint8_t>() != 0;
}

}  // namespace holdfast::hw
