// What of an endpoint's state goes into its hash.
#include "stack/base/random.hpp"
#include "stack/reliable/parts.hpp"

namespace holdfast::reliable {

namespace {

class Hash {
 public:
  void add(std::uint64_t value) { value_ = mix64(value_ ^ value); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

void add_sending(Hash& hash, const Core& core, const Connection& connection) {
  hash.add(connection.next_message);
  hash.add(connection.known_before);
  hash.add(connection.next_fragment);
  hash.add(std::uint64_t{connection.credit_charged} << 32 | connection.credit_returned);
  if (!connection.sends_something()) return;
  const Outbound& outbound = *connection.outbound;
  for (std::uint32_t i = 0; i < outbound.lone.size(); ++i) {
    const OutgoingMessage& message = outbound.lone[i].message;
    hash.add(message.number);
    hash.add(message.upto);
    hash.add(message.cut);
  }
  for (const List& list : {outbound.heard, outbound.messages}) {
    for (std::uint32_t i = list.first; i != kNone; i = Messages::after(core.outgoing, i)) {
      const OutgoingMessage& message = core.outgoing[i];
      hash.add(message.number);
      hash.add(message.upto);
      hash.add(message.cut);
    }
  }
  for (std::uint32_t i = 0; i < outbound.lone.size(); ++i) {
    hash.add(outbound.lone[i].fragment_number);
    hash.add(0);  // delivered
    hash.add(1);  // under way
    hash.add(0);  // waiting
  }
  for (std::uint32_t i = outbound.fragments.first; i != kNone;
       i = Fragments::after(core.fragments, i)) {
    const VirtualFragment& fragment = core.fragments[i];
    hash.add(fragment.number);
    hash.add(fragment.delivered);
    hash.add(fragment.under_way);
    hash.add(fragment.waiting);
  }
  for (const OutboundRail& rail : outbound.rails) {
    hash.add(std::uint64_t{rail.bytes_under_way} << 8 | rail.attempts);
  }
}

void add_receiving(Hash& hash, const Core& core, const Connection& connection) {
  hash.add(connection.received.all_before());
  hash.add(connection.received.beyond());
  hash.add(connection.received.mask_from(0));
  hash.add(connection.next_presented);
  hash.add(std::uint64_t{connection.credit_used} << 32 | connection.credit_given);
  for (std::uint32_t i = connection.incoming.first; i != kNone;
       i = Incoming::after(core.incoming, i)) {
    const IncomingMessage& message = core.incoming[i];
    hash.add(message.number);
    hash.add(message.wanted);
    if (message.ranges.has_begun()) hash.add(message.ranges.prefix(core.range_blocks));
  }
}

}  // namespace

std::uint64_t Endpoint::hash() const {
  const Core& core = parts_->core;
  Hash hash;
  // In the order of processes, whatever order they came in.
  for (std::uint32_t process = 0; process < core.connection_of.size(); ++process) {
    if (core.connection_of[process] == kNone) continue;
    const Connection& connection = core.connections[core.connection_of[process]];
    hash.add(std::uint64_t{process} << 32 | connection.incarnation.value);
    hash.add(connection.is_live);
    if (!connection.is_live) continue;
    add_sending(hash, core, connection);
    add_receiving(hash, core, connection);
    for (std::size_t r = 0; r < connection.rails.size(); ++r) {
      const ConnectionRail& rail = connection.rails[r];
      hash.add(std::uint64_t{rail.next_packet} << 32 | rail.packet_received);
      hash.add(static_cast<std::uint64_t>(connection.ways->state(r).health()));
      hash.add(static_cast<std::uint64_t>(connection.ways->round_trip(r).smoothed().ns));
    }
  }
  hash.add(core.requests.in_use());
  return hash.value();
}

}  // namespace holdfast::reliable
