// What a process receives: messages that arrive in pieces, meet their receives and become whole
// (specification, clauses 14.3 to 14.5). Only bytes whose checksum was right count as received;
// they lie then where they belong and are never written again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/reliable/acknowledging.hpp"
#include "stack/reliable/core.hpp"

namespace holdfast::reliable {

// What follows a frame's header: in the frame's slot, or where Receiving::place() said.
struct ArrivedPayload {
  std::span<const std::byte> bytes;
  bool is_placed = false;
};

class Receiving {
 public:
  Receiving(Core& core, Acknowledging& acknowledging)
      : core_(core), acknowledging_(acknowledging) {}

  // Where the payload of a frame belongs whose header has verified: a fragment nothing of which has
  // been received, of a message that a receive has met, or meets now, if that is one piece of
  // memory and takes all of it. Else null. It is verified where it lies, in handle().
  std::byte* place(Connection& connection, const MessageHeader& header, std::size_t payload_bytes,
                   Time now);
  // A frame of a fragment or a request, which verified but for its payload.
  void handle(Connection& connection, const MessageHeader& header, const ArrivedPayload& payload,
              std::size_t rail, Time at, Time now);

  // A receive: false if there is no room for it.
  [[nodiscard]] bool post(std::uint32_t request, Time now);
  bool cancel(std::uint32_t request);
  bool probe(const Pattern& pattern, Waiting& waiting) const;
  // A message of this process to itself; false if there is no room for it, and Core::refusal says
  // of which.
  [[nodiscard]] bool send_to_self(std::uint32_t request, const Envelope& envelope,
                                  const MessageMemory& memory, std::uint64_t bytes, Time now);

  // Grants that nobody has heard, as it seems; messages that matching had no room for; peers of
  // whom nothing but a message is waited for.
  void expire(Connection& connection, Time now);
  Time next_deadline(const Connection& connection) const;
  // Grants that have found no slot, as far as there are some now.
  void send_waiting_grants(Connection& connection, Time now);
  // A probe of this rail, sent at `stamp`, has been answered.
  void handle_answer(Connection& connection, std::size_t rail, Time stamp, Time now);
  // Grants that went on a rail which carries no data any more are sent on another one.
  void repeat_grants(Connection& connection, std::size_t rail, Time now);
  bool has_unpresented(const Connection& connection) const { return connection.unplaced != kNone; }
  // Messages that have not arrived whole are over, and all behind them, and receives of this
  // source: they end so. Others may still be received.
  void end(Connection& connection, Outcome outcome, Time now);

 private:
  // Where the bytes of a frame belong in their message, and of which virtual fragment they are.
  struct Piece;

  // receiving.cpp: frames.
  void handle_request(Connection& connection, const MessageHeader& header, std::uint32_t known,
                      Time now);
  void handle_fragment(Connection& connection, const MessageHeader& header,
                       const ArrivedPayload& payload, std::uint32_t known, Time now);
  void handle_duplicate(Connection& connection, const MessageHeader& header, Time now);
  void tell_again(Connection& connection);
  std::uint32_t find(const Connection& connection, std::uint32_t number) const;
  std::uint32_t find_or_open(Connection& connection, const MessageHeader& header,
                             std::uint32_t known, Time now);
  std::uint32_t take_place(Connection& connection, std::uint32_t number);
  static bool is_too_old(const Connection& connection, const MessageHeader& header);
  static Piece piece_of(const MessageHeader& header, std::uint64_t payload_bytes);
  bool belongs(const IncomingMessage& message, const MessageHeader& header,
               const Piece& piece) const;
  enum class Stored : std::uint8_t { fresh, known, corrupt, no_room };
  Stored store(Connection& connection, std::uint32_t message, const Piece& piece,
               const MessageHeader& header, const ArrivedPayload& payload);
  std::uint32_t open_if_expected(Connection& connection, const MessageHeader& header, Time now);
  static std::byte* place_of(const IncomingMessage& message, const Piece& piece);
  bool is_right(const Connection& connection, std::uint64_t from, const MessageHeader& header,
                std::span<const std::byte> payload) const;
  bool copy_verified(const Connection& connection, const MessageMemory& memory, std::uint64_t room,
                     std::uint64_t from, const MessageHeader& header,
                     std::span<const std::byte> payload, bool fused) const;

  // lone.cpp: a message that is all there is of its sender.
  bool is_next_alone(const Connection& connection, const MessageHeader& header,
                     std::size_t payload_bytes) const;
  bool take_alone(Connection& connection, const MessageHeader& header,
                  std::span<const std::byte> payload);

  // unplaced.cpp: messages whose turn has come.
  void present(Connection& connection, std::uint32_t from, Time now);
  bool show(std::uint32_t message, Time now);
  void place_left(Time now);
  bool has_unplaced() const { return held_up_ > 0 || !left_.empty(); }
  std::uint32_t find_unplaced(const Pattern& pattern) const;
  void take_unplaced(const Pattern& pattern, Time now);
  void leave_unplaced(Connection& connection, Time now);
  void lose_latest_left();
  // Whose connection is over.
  bool is_left(const IncomingMessage& message) const;

  // meeting.cpp: messages and receives.
  void expect(ProcessId source, Time now);
  void ask(Connection& connection, Time now);
  bool waits_for(const Connection& connection) const;
  void meet(std::uint32_t message, std::uint32_t request, Time now);
  void grant(Connection& connection, std::uint32_t message, Time now);
  void send_grant(Connection& connection, std::uint32_t message, std::size_t rail, Time now);
  std::size_t other_rail(const Connection& connection, std::size_t rail) const;
  static Duration grant_patience(const Connection& connection, const IncomingMessage& message);
  void expire_grant(Connection& connection, std::uint32_t message, Time now);
  void become_whole(Connection& connection, std::uint32_t message);
  void deliver(std::uint32_t message);
  void release(std::uint32_t message);
  void give_credit(Connection& connection, std::uint32_t charge);
  void fail(std::uint32_t message, Outcome outcome);
  void lose_behind(const Connection& connection, std::uint32_t number);

  // kept.cpp: messages for which there is no receive yet.
  bool keep(IncomingMessage& message);
  bool keep_of_self(IncomingMessage& message);
  std::uint32_t credit_max() const;
  std::uint32_t charge_of(std::uint64_t bytes) const;
  bool is_within_credit(const Connection& connection) const;
  void forget_kept(IncomingMessage& message);

  Core& core_;
  Acknowledging& acknowledging_;
  std::uint64_t changes_ = 0;  // of what may give a message its place in matching
  std::uint32_t held_up_ = 0;  // connections with one that has none
  List left_;  // whole messages that had none when their connection ended, oldest first
};

}  // namespace holdfast::reliable
