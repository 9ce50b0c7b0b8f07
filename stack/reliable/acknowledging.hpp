// What a process owes its senders: acknowledgements, as few and as late as their senders can bear
// (specification, clauses 14.6 to 14.10).
//
// What has arrived in a turn is acknowledged together, and only in the turn after, when an answer
// of the program may already have left: whoever waits for that answer does not wait for us. One
// that goes when it is sent takes it along, at the price of no call of the rail. At once goes what
// the sender can act on: a hole, a duplicate, a corrupt fragment, a quarter of the frames or of the
// bytes that it may have under way, unless its message ends there. Of a virtual fragment that is
// whole, and of an eighth of the bytes, it is enough to hear when all that has come by then has
// been taken: a sender that is not held up sends on meanwhile, and an acknowledgement of more costs
// no more. Pieces of a virtual fragment otherwise wait a little for more of it.
#pragma once

#include <cstdint>

#include "stack/reliable/core.hpp"

namespace holdfast::reliable {

class Acknowledging {
 public:
  explicit Acknowledging(Core& core) : core_(core) {}

  void begin_turn() { ++turn_; }
  // A packet of the peer has come and verified: acknowledgements name the latest one. After a gap
  // they are owed at once.
  void note(Connection& connection, std::size_t rail, const MessageHeader& header,
            std::uint32_t bytes, Time at);
  void owe(Connection& connection, Owed::When when);
  // Of this virtual fragment, as it is when the acknowledgement is sent.
  void owe(Connection& connection, const Touched& touched, Owed::When when, Time now);
  // Of nothing it is told which fragments have come, and what is kept for those that are goes back.
  void rest(Connection& connection);
  // Nothing is owed any more.
  void end(Connection& connection);
  // That message has arrived whole, which is acknowledged from now on: of an eager one by its
  // number, of a rendezvous by full masks.
  void forget(Connection& connection, std::uint32_t message);
  // On these rails, bit r for rail r, instead of the best one.
  void owe_on(Connection& connection, std::uint8_t rails) { connection.owed.on_rails |= rails; }

  bool owes(const Connection& connection) const {
    return connection.owed.when != Owed::When::nothing;
  }
  // What the bytes that have come since the last one ask for. A sender whose window is narrower
  // than it may be is held up before; then nothing more comes, and the turn ends.
  Owed::When due_for_bytes(const Connection& connection) const {
    const std::uint32_t window = core_.options.limits.window_bytes;
    return connection.owed.bytes >= window / 4   ? Owed::When::now
           : connection.owed.bytes >= window / 8 ? Owed::When::turn_ends
                                                 : Owed::When::nothing;
  }
  // Sends what is due.
  void send(Connection& connection, Time now);
  // That of `least` or sooner, and nothing else: in the middle of a turn.
  void send_urgent(Connection& connection, Time now, Owed::When least = Owed::When::now);
  // That of now and of the next turn, which may be long in coming.
  void send_early(Connection& connection, Time now);
  Time next_deadline(const Connection& connection, Time now) const;

  // The rail for a frame that is not data: the quickest of those that carry data.
  std::size_t best_rail(const Connection& connection) const;

 private:
  // Then neither gaps nor many frames bring an acknowledgement about (clause 14.14).
  bool is_as_in_paper() const { return core_.options.timers == Timers::paper; }
  bool is_due(const Connection& connection, Time now) const;
  void send_all(Connection& connection, Time now);
  bool post_touched(Connection& connection, MessageHeader& header, Time now);
  void begin_datagram(const Connection& connection);
  bool makes_up_for(const OwedFragments& owed, const Touched& told) const;
  bool post_fragments(Connection& connection, MessageHeader& header, const Touched& touched,
                      Time now);
  bool post_messages(Connection& connection, MessageHeader& header, Time now);
  bool post(Connection& connection, const MessageHeader& header, Time now);
  bool is_all_before(const Touched& touched) const;
  std::uint64_t mask_of(const Touched& touched) const;
  Duration patience() const { return core_.options.round_trip.kept_max(); }

  Core& core_;
  std::uint64_t turn_ = 0;
};

}  // namespace holdfast::reliable
