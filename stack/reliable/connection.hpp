// What two lives of two processes know of each other: which messages are under way in both
// directions, and how each rail between them is doing. Frames that are under way lie in pools that
// all connections share, so an idle peer takes little.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"
#include "stack/reliable/fixed_pool.hpp"
#include "stack/reliable/message_frame.hpp"
#include "stack/reliable/number_window.hpp"
#include "stack/reliable/outbound.hpp"
#include "stack/reliable/peer_rails.hpp"
#include "stack/reliable/rail_window.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast::reliable {

// Acknowledgements name 16 bits of the number of a virtual fragment, and 16 bits recur. Those that
// wait for an acknowledgement lie within 4,096 numbers (cutting.cpp), and so do nearly the latest
// that has come and the latest that was sent. So a sender hears no mask that names a packet from
// two ages ago, a receiver nothing of a virtual fragment from an age ago; and what it said of one
// 65,536 numbers earlier is refused by one of them.
constexpr std::uint32_t kFragmentsOfAnAge = 16384;

// One rail to one peer: what is known of it while nothing is under way, beside its health and its
// round trips (PeerRails).
struct ConnectionRail {
  explicit ConnectionRail(std::uint32_t first_packet)
      : next_packet(first_packet),
        packets_marked{first_packet, first_packet},
        packet_received(first_packet - 1) {}

  Peer peer;  // kNoPeer: it has no address here

  // Sending.
  std::uint32_t next_packet;
  // next_packet when the number of a virtual fragment was last a multiple of kFragmentsOfAnAge, and
  // the time before: an acknowledgement that names an earlier packet is too old for a mask.
  std::array<std::uint32_t, 2> packets_marked;
  std::uint64_t bytes_per_second = 0;  // DeliveryRate::measured() and the window's width when its
  RailWindowWidth width;               // Outbound went back
  // The oldest probe that may still be named: its round trip is known even if all data is given up
  // before it can be acknowledged, as when a queue has grown to many time-outs.
  Time probe_sent;
  std::uint32_t probe_packet = 0;
  bool has_probe = false;

  // Receiving.
  bool has_received = false;
  std::uint32_t packet_received;  // the latest that an acknowledgement may name
  Time received_at;               // when it came
};

// A virtual fragment that an acknowledgement is owed.
struct Touched {
  std::uint32_t message = kNone;  // IncomingMessage's index; kNone: it has arrived whole meanwhile
  std::uint32_t fragment_bytes = 0;
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint16_t virtual_fragment = 0;  // modulo 2^16, as it is told
};

// The virtual fragments that are told with the next acknowledgements. Only who is owed some has
// these, from a pool.
struct OwedFragments {
  static constexpr std::size_t kTouchedMax = 6;

  std::array<Touched, kTouchedMax> touched;
  std::uint8_t touched_count = 0;
  // What the latest one told, but for requests and what is a duplicate: that is told once more with
  // the next one, unless what that tells makes up for the loss. No later, as numbers come again.
  std::array<Touched, kTouchedMax> told;
  std::uint8_t told_count = 0;

  bool is_empty() const { return touched_count == 0 && told_count == 0; }
  // What has been told of messages that are whole is not worth its memory where many have some.
  bool may_rest() const {
    return touched_count == 0 &&
           std::none_of(told.begin(), told.begin() + told_count,
                        [](const Touched& one) { return one.message != kNone; });
  }
};

// What is owed to the peer.
struct Owed {
  // In the order of urgency. What is due when the turn ends is so, too, after a hundred frames.
  enum class When : std::uint8_t { nothing, later, next_turn, turn_ends, now };
  When when = When::nothing;
  std::uint8_t on_rails = 0;           // bit r: on rail r; none: on the best one
  std::uint8_t latest_rail = 0;        // on which the latest frame came that it is about
  bool is_refused = false;             // no rail had room when it was due
  std::uint32_t bytes = 0;             // not acknowledged,
  std::uint32_t frames = 0;            // in so many frames of messages
  std::uint64_t turn = 0;              // in which it became next_turn
  Time since;                          // the oldest frame that has not been acknowledged came
  OwedFragments* fragments = nullptr;  // null: none
};

struct Connection {
  ProcessId peer = kNoProcess;
  Incarnation incarnation;
  std::uint32_t life = 0;  // counts the connections in this place
  bool is_live = false;
  bool is_given_up = false;  // it is over because no rail led to the peer, who may not know
  bool is_active = false;    // listed among those that a turn looks after
  ConnectionSeed out, in;
  PairKey key_out, key_in;
  std::vector<ConnectionRail> rails;
  std::optional<PeerRails> ways;  // how they are doing; of a live connection

  // Sending.
  Outbound* outbound = nullptr;  // null: nothing is under way
  std::uint32_t next_message = 0;
  std::uint32_t known_before = 0;  // all messages below it are known to the peer
  std::uint32_t next_fragment = 0;
  std::uint32_t credit_charged = 0;  // KiB
  std::uint32_t credit_returned = 0;

  // Receiving.
  NumberWindow received;  // messages that have arrived whole, or whose request has
  // Messages below it have begun to arrive, but for the missing ones: their places are kept.
  std::uint32_t begun_below = 0;
  std::uint32_t missing = 0;
  // All messages before it have been shown to matching; some of those behind it may have been.
  std::uint32_t next_presented = 0;
  std::uint32_t unplaced = kNone;  // that message, if matching has had no room for it
  std::uint64_t shown_at = 0;      // Receiving's count of changes when those behind it were shown
  std::uint32_t credit_used = 0;   // KiB of what has come since the beginning
  std::uint32_t credit_given = 0;  // of which so many have been given back
  std::uint32_t credit_told = 0;   // of which the peer has been told
  std::uint32_t latest_fragment = 0;  // the latest number of a virtual fragment that has come
  List incoming;                      // IncomingMessages, ascending
  List grants;                        // of these, granted without data so far
  Time grant_at = Time::never();      // when the first of them may be repeated
  bool grants_wait = false;           // some of them for a slot
  std::uint32_t data_message = 0;     // the granted message whose data came last,
  Time data_at;                       // and when it came
  Time ask_at = Time::never();        // then its rails are asked, if a receive waits for it alone
  Owed owed;

  // The rail has an address here and is well.
  bool may_carry(std::size_t rail) const {
    return rails[rail].peer != kNoPeer && ways->state(rail).carries_data();
  }
  // Something that waits for a rail, not for an answer.
  bool has_to_send() const { return outbound != nullptr && outbound->has_to_send(); }
  bool sends_something() const { return outbound != nullptr && !outbound->is_idle(); }
};

}  // namespace holdfast::reliable
