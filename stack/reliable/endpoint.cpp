// Commands and getters of an endpoint; the work is in its parts.
#include "stack/reliable/endpoint.hpp"

#include <algorithm>

#include "stack/reliable/parts.hpp"

namespace holdfast::reliable {

Endpoint::Parts::Parts(const EndpointOptions& options, std::span<Fabric* const> rails,
                       const AddressBook& addresses)
    : core(options, rails, addresses),
      acknowledging(core),
      sending(core),
      receiving(core, acknowledging) {
  for (Port& port : core.ports) {
    port.fabric().set_placer(this, kMessageHeaderBytes);
    port.fabric().set_lending(true);
  }
}

Endpoint::Parts::~Parts() {
  for (Port& port : core.ports) {
    port.fabric().set_placer(nullptr, 0);
    port.fabric().set_lending(false);
  }
}

EndpointLimits limits_for(std::string_view rail_kind) {
  EndpointLimits limits;
  if (rail_kind == "shm") {
    limits.window_bytes = 256u << 10;
    limits.send_slots = 48;
    limits.receive_slots = 16;
  } else if (rail_kind == "tcp") {
    limits.eager_bytes_max = 1u << 20;
    limits.unexpected_bytes = 4u << 20;
    limits.window_bytes = 4u << 20;
    limits.receive_slots = 32;
  }
  return limits;
}

Endpoint::Endpoint(const EndpointOptions& options, std::span<Fabric* const> rails,
                   const AddressBook& addresses)
    : parts_(std::make_unique<Parts>(options, rails, addresses)) {}

Endpoint::~Endpoint() = default;

bool Endpoint::connect(ProcessId peer, Incarnation incarnation, Time now) {
  return parts_->connect(peer, incarnation, parts_->not_before_latest(now));
}

void Endpoint::fail(ProcessId peer, Incarnation incarnation, Time now) {
  Connection* const connection = parts_->core.find(peer);
  if (connection == nullptr || !connection->is_live || connection->incarnation > incarnation)
    return;
  parts_->end(*connection, Outcome::peer_failed, parts_->not_before_latest(now));
}

Request Endpoint::Parts::send(ProcessId to, const OutgoingMessage& message, std::uint64_t cookie,
                              Time now) {
  const bool to_self = to == core.options.self;
  Connection* const connection = to_self ? nullptr : core.find(to);
  if (!to_self && (connection == nullptr || !connection->is_live)) {
    return core.refuse(Refusal::no_connection);
  }
  const std::uint32_t request = core.requests.take(RequestState::Kind::send, cookie);
  if (request == kNone) return core.refuse(Refusal::requests);
  now = not_before_latest(now);
  if (to_self) {
    if (receiving.send_to_self(request, {to, message.context, message.tag}, message.memory,
                               message.bytes, now)) {
      return core.requests.name(request);
    }
    core.requests.drop(request);
    return kNoRequest;
  }
  // It says nothing of what has been heard, but who slept first looks whether its rails are there.
  bool goes_now = core.has_just_looked(now);
  if (goes_now) core.prepare(*connection);
  if (!goes_now || !sending.send_alone(*connection, request, message, now)) {
    handle_deferred();  // what is known by now decides how it goes
    sending.accept(*connection, request, message);
    goes_now = goes_now && has_few_under_way(*connection);
    // Behind what fills posts it would cost one of its own, and the peer a read.
    const bool fills_posts = message.bytes <= core.options.limits.eager_bytes_max &&
                             core.ports[0].fills_posts(message.bytes);
    if (goes_now && fills_posts) acknowledging.send_early(*connection, now);
    if (goes_now) sending.send(*connection, now);
  }
  if (goes_now) {
    acknowledging.send_early(*connection, now);  // it is on its way anyway
    flush_early(now);
  }
  return core.requests.name(request);
}

Request Endpoint::Parts::receive(const Pattern& pattern, const MessageMemory& memory,
                                 std::uint64_t size, std::uint64_t cookie, Time now) {
  if (pattern.source != kNoProcess && pattern.source != core.options.self) {
    // Of who is gone only what has come before may be received.
    const Connection* const connection = core.find(pattern.source);
    const bool is_live = connection != nullptr && connection->is_live;
    Waiting waiting;
    if (!is_live && !receiving.probe(pattern, waiting)) {
      return core.refuse(Refusal::no_connection);
    }
  }
  const std::uint32_t request = core.requests.take(RequestState::Kind::receive, cookie);
  if (request == kNone) return core.refuse(Refusal::requests);
  RequestState& state = core.requests[request];
  state.pattern = pattern;
  state.memory = memory;
  state.size = size;
  if (receiving.post(request, not_before_latest(now))) {
    // There is room for another message that waits.
    if (state.object != kNone) core.is_changed = true;
    return core.requests.name(request);
  }
  core.requests.drop(request);
  return core.refuse(Refusal::requests);
}

Refusal Endpoint::refusal() const {
  return parts_->core.refusal;
}

Request Endpoint::send(ProcessId to, std::uint32_t context, std::uint64_t tag,
                       std::span<const std::byte> message, std::uint64_t cookie, Time now) {
  OutgoingMessage outgoing;
  outgoing.context = context;
  outgoing.tag = tag;
  outgoing.memory.start = const_cast<std::byte*>(message.data());
  outgoing.bytes = message.size();
  return parts_->send(to, outgoing, cookie, now);
}

Request Endpoint::send(ProcessId to, std::uint32_t context, std::uint64_t tag,
                       const SegmentList& message, std::uint64_t cookie, Time now) {
  OutgoingMessage outgoing;
  outgoing.context = context;
  outgoing.tag = tag;
  outgoing.memory = memory_of(message);
  outgoing.bytes = message.bytes();
  return parts_->send(to, outgoing, cookie, now);
}

Request Endpoint::receive(const Pattern& pattern, std::span<std::byte> memory, std::uint64_t cookie,
                          Time now) {
  return parts_->receive(pattern, {memory.data(), nullptr}, memory.size(), cookie, now);
}

Request Endpoint::receive(const Pattern& pattern, const SegmentList& memory, std::uint64_t cookie,
                          Time now) {
  HOLDFAST_ASSERT(memory.use() == MemoryUse::receiving);
  return parts_->receive(pattern, memory_of(memory), memory.bytes(), cookie, now);
}

bool Endpoint::cancel(Request request, Time) {
  const std::uint32_t i = parts_->core.requests.find(request);
  return i != kNone && parts_->receiving.cancel(i);
}

bool Endpoint::probe(const Pattern& pattern, Waiting& waiting) const {
  return parts_->receiving.probe(pattern, waiting);
}

Time Endpoint::turn(Time now) {
  return parts_->turn(now);
}

void Endpoint::acknowledge() {
  parts_->acknowledge_early(parts_->latest);
}

void Endpoint::acknowledge(Time now) {
  parts_->acknowledge_early(parts_->not_before_latest(now));
}

void Endpoint::settle() {
  parts_->handle_deferred();
}

void Endpoint::flush() {
  parts_->flush_early(parts_->latest);
}

Debts Endpoint::debts() const {
  return parts_->debts();
}

std::size_t Endpoint::completed(std::span<Completed> to) {
  return parts_->core.requests.completed(to);
}

bool Endpoint::is_connected(ProcessId peer) const {
  const Connection* const connection = parts_->core.find(peer);
  return connection != nullptr && connection->is_live;
}

const EndpointCounts& Endpoint::counts() const {
  return parts_->core.counts;
}

RailTraffic Endpoint::traffic(std::size_t rail) const {
  const Port& port = parts_->core.ports[rail];
  const Port::Counts& counts = port.counts();
  return {.is_up = !port.is_down(),
          .frames_sent = counts.frames_sent,
          .frames_received = counts.frames_received,
          .bytes_sent = counts.bytes_sent,
          .bytes_received = counts.bytes_received,
          .fragments_given_up = parts_->core.given_up[rail]};
}

RailHealth Endpoint::health(ProcessId peer, std::size_t rail) const {
  const Connection* const connection = parts_->core.find(peer);
  const bool is_live = connection != nullptr && connection->is_live;
  return is_live ? connection->ways->state(rail).health() : RailHealth::down;
}

Duration Endpoint::smoothed_round_trip(ProcessId peer, std::size_t rail) const {
  const Connection* const connection = parts_->core.find(peer);
  const bool is_live = connection != nullptr && connection->is_live;
  return is_live ? connection->ways->round_trip(rail).smoothed() : Duration{};
}

std::size_t Endpoint::bytes_per_idle_peer(std::size_t rails) {
  return sizeof(Connection) + rails * sizeof(ConnectionRail) + PeerRails::bytes(rails) +
         2 * sizeof(std::uint32_t);
}

}  // namespace holdfast::reliable
