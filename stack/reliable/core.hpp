// What the parts of an endpoint share: its settings, its rails, its pools and its connections, and
// how a frame of a connection goes out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "stack/base/pool.hpp"
#include "stack/reliable/connection.hpp"
#include "stack/reliable/endpoint.hpp"
#include "stack/reliable/fixed_pool.hpp"
#include "stack/reliable/incoming.hpp"
#include "stack/reliable/outgoing.hpp"
#include "stack/reliable/payload_writer.hpp"
#include "stack/reliable/port.hpp"
#include "stack/reliable/request_table.hpp"
#include "stack/reliable/unexpected_memory.hpp"

namespace holdfast::reliable {

constexpr std::size_t kRailsMax = kMessageRailsMax;

using Messages = ListBy<&OutgoingMessage::of_connection>;
using MessageQueue = ListBy<&OutgoingMessage::of_queue>;
using Fragments = ListBy<&VirtualFragment::of_connection>;
using MessageFragments = ListBy<&VirtualFragment::of_message>;
using FragmentQueue = ListBy<&VirtualFragment::of_queue>;
using UnderWay = ListBy<&SentPacket::of_rail>;
using Incoming = ListBy<&IncomingMessage::of_connection>;
using Grants = ListBy<&IncomingMessage::of_grants>;

constexpr Duration kJustNow = microseconds(100);
// So many peers keep what they have taken from the pools of Outbound and OwedFragments when nothing
// is under way: whoever exchanges messages with a few goes on with all that it has measured, and
// takes nothing. As many are made in the beginning; there are more when more peers than that have
// something under way at the same time.
constexpr std::uint32_t kBusyKept = 32;

struct Core {
  Core(const EndpointOptions& options, std::span<Fabric* const> rails,
       const AddressBook& addresses);

  EndpointOptions options;
  const AddressBook& addresses;
  const Seal* seal;  // null: none with a key
  PayloadSum payload_sum;
  SendSlots send_slots;
  PayloadWriter payload_writer;
  std::vector<Port> ports;
  RequestTable requests;
  Matching matching;
  FixedPool<OutgoingMessage> outgoing;
  FixedPool<VirtualFragment> fragments;
  FixedPool<SentPacket> sent;
  FixedPool<IncomingMessage> incoming;
  RangeBlocks range_blocks;
  UnexpectedMemory unexpected;
  std::uint32_t kept_of_self = 0;  // KiB of it, of messages to this process itself
  Pool<Outbound> outbound;
  Pool<OwedFragments> owed_fragments;
  std::vector<Connection> connections;
  std::vector<std::uint32_t> connection_of;  // by process
  std::vector<std::uint32_t> active;         // connections
  // Whether the active connections are to be looked after: in this turn, for something has changed
  // that they may act on; in the next one; or when it is due. Else a turn only looks at the rails.
  bool is_changed = false;
  bool is_changed_for_next = false;
  std::uint32_t owing = kNone;  // or only for what this connection owes in the next turn
  // Whose peer waits for an acknowledgement before the rails have been emptied.
  std::uint32_t pressing = kNone;
  Time due = Time::never();
  // Of the places of incoming messages so many are beyond those that posted receives, matching and
  // the next one of each peer may take: for messages whose turn has not come, and for those that
  // are missing before them.
  std::uint32_t early_max;
  std::uint32_t early = 0;  // that have one and are not presented
  std::uint32_t missing = 0;
  FragmentRooms fragment_rooms;  // taken, of these:
  std::uint32_t more_fragments_max;
  std::uint32_t pieces_of_a_rail;  // of each peer, for each rail as wide as theirs or wider
  std::uint32_t pieces_max;
  std::uint32_t remembered_fragments = 0;  // cut anew: their late acknowledgements count
  EndpointCounts counts;
  std::array<std::uint64_t, kRailsMax> given_up{};  // copies of fragments, by their rail
  Refusal refusal = Refusal::no_connection;         // of the latest command that was not accepted
  Time emptied_at{-(std::int64_t{1} << 62)};        // the last turn that found the rails empty

  std::size_t rails() const { return ports.size(); }
  std::uint32_t index_of(const Connection& connection) const {
    return static_cast<std::uint32_t>(&connection - connections.data());
  }
  // The connection with a process, live or over; null: there has never been one.
  Connection* find(ProcessId process) {
    return const_cast<Connection*>(std::as_const(*this).find(process));
  }
  const Connection* find(ProcessId process) const;
  // With more peers than may keep what they have taken while nothing is under way.
  bool has_many_busy() const {
    return connections.size() > kBusyKept &&
           (outbound.in_use() > kBusyKept || owed_fragments.in_use() > kBusyKept);
  }
  // A turn looks after it until it says that there is nothing to do.
  void activate(Connection& connection);
  // Likewise, but only from the next turn on.
  void activate_for_next(Connection& connection);
  // Likewise, unless what it owes has been sent by then.
  void activate_to_pay(Connection& connection);
  void pay(const Connection& connection) {
    if (owing == index_of(connection)) owing = kNone;
  }
  // Likewise, but only then: nothing of what has happened is due before.
  void activate_at(Connection& connection, Time then) {
    due = std::min(due, then);
    list(connection);
  }
  bool has_to_look_next() const { return is_changed_for_next || owing != kNone; }
  void list(Connection& connection);

  // What waits on rails that were emptied so lately is too young to change what is said of them.
  bool has_just_looked(Time now) const { return now - emptied_at <= kJustNow; }
  // What a frame says of the rails on which something came lately: all, unless what has come by now
  // has been told.
  std::uint8_t heard_lately(const Connection& connection, Time now) const {
    return has_just_looked(now) ? connection.ways->heard_lately(now) : std::uint8_t{0xff};
  }

  Request refuse(Refusal why) {
    refusal = why;
    return kNoRequest;
  }

  // Posts a frame without payload, sealed if its type is. False: there is no slot.
  bool post_control(Connection& connection, std::size_t rail, const MessageHeader& header,
                    Time now);
  // A short frame to it will be put soon. Where there is a choice nobody knows on which rail.
  void prepare(const Connection& connection) {
    if (ports.size() > 1 || connection.rails[0].peer == kNoPeer) return;
    ports[0].fabric().prepare(connection.rails[0].peer);
  }
  // Lets the rails have what was posted; slots of inline frames are free then.
  void flush(Time now) {
    for (Port& port : ports) port.flush(now);
  }
  // Whether connections are given up that no rail leads to.
  bool gives_up() const {
    return options.timers != Timers::paper && options.unreachable_max < EndpointOptions::kForEver;
  }
  // Posts a frame that carries data, of which `slot` has the first `size` bytes, see
  // Port::put_beginning.
  void post(Connection& connection, std::size_t rail, std::uint32_t slot, std::uint32_t size,
            std::uint32_t payload, const std::byte* gathered, Time now);

 private:
  void write_control(const Connection& connection, const MessageHeader& header,
                     std::byte* at) const;
  // Whose frame is in the slot.
  void mark(Connection& connection, std::size_t rail, std::uint32_t slot, Time now);
};

}  // namespace holdfast::reliable
