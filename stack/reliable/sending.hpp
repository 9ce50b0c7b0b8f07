// What a process sends: which message, which fragment and which rail is next; what acknowledgements
// say; what counts as lost and is sent again (specification, clauses 14.2, 14.11 and 14.12).
//
// What was lost goes first, then what has been begun, then messages that wait to begin, then the
// bytes of granted ones: a short message does not wait behind a long one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "stack/reliable/core.hpp"

namespace holdfast::reliable {

class Sending {
 public:
  explicit Sending(Core& core) : core_(core) {}

  // A message to the peer: sent, if it may be alone on its way.
  [[nodiscard]] bool send_alone(Connection& connection, std::uint32_t request,
                                const OutgoingMessage& message, Time now);
  // A message to the peer; its request is there, and it is only taken note of.
  void accept(Connection& connection, std::uint32_t request, const OutgoingMessage& message);
  // Nothing is under way to it, and what is kept for those that are sent something goes back.
  void rest(Connection& connection);
  // Sends what may go.
  void send(Connection& connection, Time now);
  // True: nothing follows from it for anything that is under way or waits.
  bool handle_acknowledgement(Connection& connection, const MessageHeader& header, Time now);
  void handle_grant(Connection& connection, const MessageHeader& header);
  // Deadlines that have passed: losses by time, and silence.
  void expire(Connection& connection, Time now);
  Time next_deadline(const Connection& connection) const;

  // What is under way on a rail that carries no data any more is to be sent elsewhere.
  void abandon(Connection& connection, std::size_t rail);
  // The peer has answered a probe of that rail: what was sent there long enough before it and has
  // not been acknowledged is lost.
  void handle_answer(Connection& connection, std::size_t rail, Time stamp, Time now);
  // All its messages end so.
  void end(Connection& connection, Outcome outcome);

 private:
  using Loads = std::array<RailLoad, kRailsMax>;
  // What one acknowledgement has told so far.
  struct News;
  // The latest sent of the packets of one rail that it is about.
  struct LatestSent {
    bool any = false;
    std::uint32_t packet = 0;
    Time sent;
  };

  // outbound.cpp
  void begin(Connection& connection);

  // lone.cpp
  bool may_be_alone(const Connection& connection, const OutgoingMessage& message) const;
  std::uint32_t alone_before(const Connection& connection, const MessageHeader& header) const;
  bool acknowledge_alone(Connection& connection, const MessageHeader& header, Time now);
  void unfold(Connection& connection);

  // sending.cpp: what goes next.
  Loads loads(const Connection& connection, Time now) const;
  Time moved_at(const Connection& connection, std::size_t rail) const;
  std::size_t choose(Connection& connection, const Loads& loads, std::uint32_t width,
                     std::uint64_t bytes, Time now);
  std::size_t choose_for(Connection& connection, const VirtualFragment& fragment,
                         const Loads& loads, Time now);
  bool has_fair_share(const Connection& connection, std::size_t rail) const;
  bool send_short(Connection& connection, Time now);
  bool send_next(Connection& connection, Loads& loads, Time now);
  bool send_again(Connection& connection, Loads& loads, Time now);
  bool send_first(Connection& connection, Loads& loads, Time now);
  bool send_data(Connection& connection, Loads& loads, Time now);
  bool send_one(Connection& connection, std::uint32_t fragment, Loads& loads, Time now);
  std::uint32_t first_of(const List& queue, std::uint32_t widest) const;
  std::uint32_t find_data(const Connection& connection, std::uint32_t width) const;
  void send_fragments(Connection& connection, std::uint32_t fragment, std::size_t rail,
                      Loads& loads, Time now);
  void send_fragment(Connection& connection, std::uint32_t fragment, std::size_t rail, Loads& loads,
                     Time now);
  void post(Connection& connection, std::uint32_t fragment, std::size_t rail, Time now);
  SentPacket& put_under_way(Connection& connection, std::uint32_t copy, std::uint32_t packet,
                            std::uint32_t bytes, std::size_t rail, Time now);
  MessageHeader header_of(const VirtualFragment& fragment, unsigned index) const;
  bool takes_eagerly(Connection& connection, const OutgoingMessage& message,
                     std::uint32_t payload_max);

  // cutting.cpp: messages into virtual fragments.
  static std::uint32_t next_number(Connection& connection);
  void renumber_oldest(Connection& connection);
  std::uint32_t cut(Connection& connection, std::uint32_t message, MessageFrameType type,
                    std::uint64_t offset, std::uint64_t bytes, std::uint32_t width,
                    FragmentRoom room = FragmentRoom::more);
  std::uint32_t cut_as(Connection& connection, std::uint32_t number, std::uint32_t message,
                       MessageFrameType type, std::uint64_t offset, std::uint64_t bytes,
                       std::uint32_t width, FragmentRoom room = FragmentRoom::more);
  void cut_data(Connection& connection, std::uint32_t message, std::size_t rail,
                const Loads& loads);
  bool has_number_left(Connection& connection);
  bool has_numbers_left(Connection& connection, std::uint64_t fragments);
  bool has_fragment_left(Connection& connection);
  bool has_pieces_left(Connection& connection, std::uint64_t pieces, std::uint32_t width);
  void forget_remembered(Connection& connection);
  void forget_all_remembered();
  void settle(Connection& connection, std::uint32_t fragment);
  std::uint32_t widest_up(const Connection& connection) const;
  bool cut_anew(Connection& connection, std::uint32_t fragment, std::uint32_t width);
  std::uint32_t place_in(const Connection& connection, const VirtualFragment& fragment,
                         SendQueue queue) const;
  void enqueue(Connection& connection, std::uint32_t fragment, SendQueue queue);
  List& queue_of(Connection& connection, SendQueue queue);
  void discard(Connection& connection, std::uint32_t fragment);

  // acknowledged.cpp: what has arrived.
  void deliver(Connection& connection, std::uint32_t fragment, std::uint64_t mask, News& news);
  void deliver_packet(Connection& connection, const VirtualFragment& fragment, std::uint32_t packet,
                      News& news);
  static void measure(Connection& connection, Time sent, const MessageHeader& header, Time now);
  void note_late(Connection& connection, std::size_t rail, Time sent, Time now);
  void deliver_message(Connection& connection, std::uint32_t message, News& news);
  void set_heard(Connection& connection, std::uint32_t message);
  void deliver_bytes(Connection& connection, std::uint32_t message, std::uint64_t from,
                     std::uint64_t to, News& news);
  void acknowledge_fragments(Connection& connection, const MessageHeader& header, News& news);
  void note_missed(const VirtualFragment& fragment, const MessageHeader& header);
  void acknowledge_messages(Connection& connection, const MessageHeader& header, News& news);
  void look_at_named(Connection& connection, const MessageHeader& header, News& news);
  void take_credit(Connection& connection, const MessageHeader& header);
  std::uint32_t told_before(const OutboundRail& rail, std::uint32_t latest,
                            const MessageHeader& header) const;
  void conclude(Connection& connection, const News& news);
  void conclude(Connection& connection, std::size_t rail, const LatestSent& latest,
                const MessageHeader& header, Time now);
  void finish_if_delivered(Connection& connection, std::uint32_t message);
  void finish(Connection& connection, std::uint32_t message, Outcome outcome);
  void forget_fragment(Connection& connection, std::uint32_t fragment);
  std::uint32_t find_message(const Connection& connection, std::uint32_t number) const;

  // loss.cpp: what has not.
  void forget_packet(Connection& connection, std::uint32_t packet);
  void give_up(Connection& connection, std::uint32_t packet);
  void find_losses(Connection& connection, std::size_t rail, Time now);
  Time loss_deadline(const Connection& connection, std::size_t rail) const;
  Time silence_deadline(const Connection& connection, std::size_t rail) const;
  bool is_outrun(const Connection& connection, std::size_t rail) const;
  void find_outrun(Connection& connection, std::size_t rail, Time now);
  void time_out(Connection& connection, std::size_t rail, Time now);

  // paper_timers.cpp: the original's ways instead of those of loss.cpp.
  bool is_as_in_paper() const { return core_.options.timers == Timers::paper; }
  void schedule_as_in_paper(VirtualFragment& fragment, std::size_t rail, Time now);
  void expire_as_in_paper(Connection& connection, Time now);
  Time next_deadline_as_in_paper(const Connection& connection) const;

  Core& core_;
};

}  // namespace holdfast::reliable
