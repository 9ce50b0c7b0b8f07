// Sizes of the pools, and how frames leave.
#include "stack/reliable/core.hpp"

#include <algorithm>

namespace holdfast::reliable {

namespace {

std::uint32_t widest_frame(std::span<Fabric* const> rails) {
  std::uint32_t widest = 0;
  for (const Fabric* const rail : rails) widest = std::max(widest, rail->caps().frame_bytes_max);
  return widest;
}

// Virtual fragments beyond one for each message: a few for each of those who send at one time.
std::uint32_t fragments_beyond(const EndpointLimits& limits) {
  return 64 * std::clamp(limits.peers, 4u, 32u);
}

// What is cut anew where rails are unlike: what a fragment of the widest becomes where only the
// narrowest is left, and some for others meanwhile. None where they are alike.
std::uint32_t pieces_of(std::span<Fabric* const> rails) {
  constexpr std::uint32_t kMeanwhile = 64;
  const std::uint32_t widest = widest_frame(rails);
  std::uint32_t narrowest = widest;
  for (const Fabric* const rail : rails)
    narrowest = std::min(narrowest, rail->caps().frame_bytes_max);
  HOLDFAST_ASSERT(narrowest > kMessageHeaderBytes);
  if (narrowest == widest) return 0;
  const auto payload_of = [](std::uint32_t frame) {
    return frame - static_cast<std::uint32_t>(kMessageHeaderBytes);
  };
  return payload_of(widest) / payload_of(narrowest) / kFragmentsMax + kMeanwhile;
}

// All rails' pieces, of as many peers as may be sent to at one time.
std::uint32_t pieces_of_all(const EndpointLimits& limits, std::span<Fabric* const> rails) {
  const auto count = static_cast<std::uint32_t>(rails.size());
  return pieces_of(rails) * count * std::clamp(limits.peers, 1u, 32u);
}

// Copies under way have 16-bit indices (VirtualFragment::packets).
std::uint32_t packets_under_way(const EndpointLimits& limits) {
  return std::clamp(limits.send_slots * 16, 1024u, 65535u);
}

// Of the slots: control frames on a full port leave a quarter. (Data leaves a half, Sending.)
constexpr std::uint32_t kControlShare = 3;
constexpr std::uint32_t kPeersKeepingMax = 16;  // without an allocation

// Ports share the slots, and one that has as many as are left is not chosen (Sending). So none
// keeps so many until its post is full, as then all would stop with nothing on its way.
std::uint32_t post_frames_max(const EndpointLimits& limits, std::size_t ports) {
  if (ports == 1) return kNone;
  return std::max(limits.send_slots / static_cast<std::uint32_t>(ports + 1), 1u);
}

constexpr std::uint32_t kMessagesInPiecesMax = 1024;
constexpr std::uint32_t kRangeBlocksShared = 1024;  // 14,000 holes

// Those that the first peers take and keep.
template <class T>
std::vector<T*> make_some(Pool<T>& pool, std::uint32_t peers) {
  std::vector<T*> made;
  while (made.size() < std::min(peers, kBusyKept)) made.push_back(&pool.take());
  for (T* const one : made) pool.give(*one);
  return made;
}

// More than two windows of messages wait behind a hole only if several peers have one each.
std::uint32_t early_max_of(const EndpointLimits& limits) {
  return std::min(limits.requests, 2 * NumberWindow::kWidth);
}

}  // namespace

Core::Core(const EndpointOptions& given, std::span<Fabric* const> rails, const AddressBook& book)
    : options(given),
      addresses(book),
      seal(find_seal(given.seal)),
      payload_sum(given.checksum),
      send_slots(given.limits.send_slots, widest_frame(rails)),
      payload_writer(payload_sum, send_slots),
      requests(given.limits.requests),
      matching(given.limits.requests, given.limits.unexpected_messages),
      outgoing(given.limits.requests),
      fragments(given.limits.requests + fragments_beyond(given.limits) +
                pieces_of_all(given.limits, rails)),
      sent(packets_under_way(given.limits)),
      incoming(given.limits.requests + given.limits.unexpected_messages + given.limits.peers +
               early_max_of(given.limits)),
      range_blocks(std::min(incoming.size(), kMessagesInPiecesMax), kRangeBlocksShared),
      unexpected(given.limits.unexpected_bytes,
                 std::clamp(given.limits.peers, 1u, kPeersKeepingMax) + 1),  // and its own
      early_max(early_max_of(given.limits)),
      more_fragments_max(fragments_beyond(given.limits)),
      pieces_of_a_rail(pieces_of(rails)),
      pieces_max(pieces_of_all(given.limits, rails)) {
  HOLDFAST_ASSERT(!rails.empty() && rails.size() <= kRailsMax && given.limits.peers >= 1);
  // As credit is told: 16 bits of its units, of which half may be on their way.
  HOLDFAST_ASSERT(given.limits.unexpected_bytes / kCreditUnit < 32768);
  HOLDFAST_ASSERT(seal != nullptr);
  if (!seal->keyed()) seal = nullptr;
  ports.reserve(rails.size());
  for (Fabric* const rail : rails)
    ports.emplace_back(*rail, send_slots, given.limits.receive_slots, &payload_writer,
                       post_frames_max(given.limits, rails.size()));
  for (Outbound* const one : make_some(outbound, given.limits.peers)) {
    one->rails.reserve(rails.size());
  }
  make_some(owed_fragments, given.limits.peers);
  connections.reserve(given.limits.peers);
  active.reserve(given.limits.peers);
}

const Connection* Core::find(ProcessId process) const {
  if (process.value >= connection_of.size()) return nullptr;
  const std::uint32_t i = connection_of[process.value];
  return i == kNone ? nullptr : &connections[i];
}

void Core::activate(Connection& connection) {
  is_changed = true;
  list(connection);
}

void Core::activate_for_next(Connection& connection) {
  is_changed_for_next = true;
  list(connection);
}

void Core::activate_to_pay(Connection& connection) {
  const std::uint32_t i = index_of(connection);
  is_changed_for_next = is_changed_for_next || (owing != kNone && owing != i);
  owing = i;
  list(connection);
}

void Core::list(Connection& connection) {
  if (connection.is_active) return;
  connection.is_active = true;
  active.push_back(index_of(connection));
}

bool Core::post_control(Connection& connection, std::size_t rail, const MessageHeader& header,
                        Time now) {
  const Peer peer = connection.rails[rail].peer;
  const bool is_acknowledgement = header.type == MessageFrameType::acknowledgement;
  if (is_acknowledgement) {
    if (std::byte* const at = ports[rail].join_last(peer); at != nullptr) {
      write_control(connection, header, at);
      if (connection.is_live) connection.ways->sent(rail, now);
      return true;
    }
  }
  // A port that takes nothing shall not collect the slots of the others.
  const bool hoards = ports.size() > 1 && ports[rail].is_full() &&
                      ports[rail].slots_in_use() >= send_slots.left() * kControlShare;
  const std::uint32_t slot = hoards ? kNone : send_slots.take();
  if (slot == kNone) return false;
  write_control(connection, header, send_slots.memory(slot, kMessageHeaderBytes));
  mark(connection, rail, slot, now);
  if (is_acknowledgement) {
    ports[rail].put_acknowledgement(slot, peer, now);
  } else {
    ports[rail].put(slot, kMessageHeaderBytes, peer, now);
  }
  return true;
}

void Core::write_control(const Connection& connection, const MessageHeader& header,
                         std::byte* at) const {
  encode_message_header(header, connection.out, at);
  if (seal != nullptr && has_seal(header.type)) {
    seal->write(connection.key_out, {at, kMessageHeaderBytes});
  }
}

void Core::post(Connection& connection, std::size_t rail, std::uint32_t slot, std::uint32_t size,
                std::uint32_t payload, const std::byte* gathered, Time now) {
  mark(connection, rail, slot, now);
  ports[rail].put_beginning(slot, size, payload, gathered, connection.rails[rail].peer, now);
}

void Core::mark(Connection& connection, std::size_t rail, std::uint32_t slot, Time now) {
  SendSlot& state = send_slots.states()[slot];
  state.connection = index_of(connection);
  state.life = connection.life;
  if (connection.is_live) connection.ways->sent(rail, now);
}

}  // namespace holdfast::reliable
