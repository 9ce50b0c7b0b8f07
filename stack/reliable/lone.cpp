// A message that is alone on its way, and all there is of its sender where it arrives: so send
// those who wait for an answer, and how soon they have it is what the lists of many cost. Over one
// rail, in one frame that is copied, while nothing else is under way to the peer, it is in no list
// but that of the frames under way on its rail, so time-outs, windows and rates know it as any
// other.
//
// Its acknowledgement comes with the answer, in one datagram. If the program waits for the answer,
// that is first: the acknowledgement is handled in the next turn, when the program may have sent
// what it sends upon the answer, for which its peer waits. So there may be two that are alone. Who
// waits for the acknowledgement, too, takes a turn more, so this is for rails where that is short.
//
// Nothing of it can be told from outside, but that fewer turns look after its peer. Whatever
// happens to it but its acknowledgement unfolds it, and it is then what it would have been.
#include <algorithm>
#include <utility>

#include "stack/reliable/parts.hpp"

namespace holdfast::reliable {

bool Sending::may_be_alone(const Connection& connection, const OutgoingMessage& message) const {
  if (connection.rails.size() > 1 || is_as_in_paper()) return false;
  if (connection.sends_something()) {
    const Outbound& outbound = *connection.outbound;
    if (!outbound.has_no_lists() || outbound.lone.full()) return false;
    if (!has_fair_share(connection, 0)) return false;
  }
  const Port& port = core_.ports[0];
  if (message.bytes > port.payload_max()) return false;
  const auto bytes = static_cast<std::uint32_t>(message.bytes);
  return !port.writes(bytes) && !port.gathers(bytes) && connection.may_carry(0) &&
         port.takes_frames() && core_.send_slots.has_for_data() && core_.sent.has_left() &&
         connection.next_message - connection.known_before < NumberWindow::kWidth;
}

bool Sending::send_alone(Connection& connection, std::uint32_t request,
                         const OutgoingMessage& message, Time now) {
  if (!may_be_alone(connection, message)) return false;
  if (connection.outbound == nullptr) begin(connection);
  OutboundRail& rail = connection.outbound->rails[0];
  const std::uint32_t frame_bytes =
      static_cast<std::uint32_t>(message.bytes) + static_cast<std::uint32_t>(kMessageHeaderBytes);
  if (rail.bytes_under_way + frame_bytes > rail.window.bytes() ||
      !takes_eagerly(connection, message, core_.ports[0].payload_max())) {
    return false;
  }
  LoneMessage& lone = connection.outbound->lone.add();
  lone.message = message;
  lone.message.request = request;
  lone.message.number = connection.next_message++;
  lone.message.started = true;
  lone.message.upto = lone.message.cut = message.bytes;
  lone.fragment_number = next_number(connection);
  lone.copy = core_.sent.take();

  MessageHeader header;
  header.type = MessageFrameType::eager;
  header.sender = core_.options.self;
  header.packet = connection.rails[0].next_packet++;
  header.message = lone.message.number;
  header.context = message.context;
  header.tag = message.tag;
  header.bytes = message.bytes;
  header.virtual_fragment = lone.fragment_number;
  const std::uint32_t slot = core_.send_slots.take();
  std::byte* const frame = core_.send_slots.memory(slot, frame_bytes);
  header.payload_checksum = core_.payload_sum.pack(frame + kMessageHeaderBytes, message.memory, 0,
                                                   static_cast<std::uint32_t>(message.bytes),
                                                   payload_seed(connection.out, header.message, 0));
  encode_message_header(header, connection.out, frame);

  put_under_way(connection, lone.copy, header.packet, frame_bytes, 0, now);
  rail.rate.limit(rail.bytes_under_way);
  ++core_.counts.fragments_sent;
  core_.counts.payload_bytes_sent += message.bytes;
  // No silence is looked at sooner.
  core_.activate_at(connection, now + core_.options.round_trip.wait_min);
  core_.post(connection, 0, slot, frame_bytes, 0, nullptr, now);
  return true;
}

// How many of those under way have arrived, if the acknowledgement says that and nothing else, and
// names the last of them; 0: there is more to it.
std::uint32_t Sending::alone_before(const Connection& connection,
                                    const MessageHeader& header) const {
  const LoneMessages& lone = connection.outbound->lone;
  std::uint32_t count = 0;
  while (count < lone.size() && is_before(lone[count].message.number, header.all_before)) ++count;
  const bool is_plain = count > 0 && !header.of_fragments &&
                        header.packet == core_.sent[lone[count - 1].copy].packet &&
                        !connection.rails[0].has_probe &&
                        connection.ways->state(0).health() == RailHealth::up;
  return is_plain ? count : 0;
}

// False: there is more to it, and nothing has happened but that they are unfolded.
bool Sending::acknowledge_alone(Connection& connection, const MessageHeader& header, Time now) {
  Outbound& outbound = *connection.outbound;
  if (outbound.lone.empty()) return false;
  std::uint32_t count = alone_before(connection, header);
  if (count == 0) {
    unfold(connection);
    return false;
  }
  connection.known_before = header.all_before;
  OutboundRail& rail = outbound.rails[0];
  for (; count > 0; --count) {
    const LoneMessage& lone = outbound.lone[0];
    const SentPacket packet = core_.sent[lone.copy];
    forget_packet(connection, lone.copy);
    rail.rate.deliver(packet.stamp, packet.bytes, now);
    rail.window.deliver(packet.bytes);
    if (count == 1) {  // it is named
      measure(connection, packet.sent(), header, now);
      conclude(connection, 0, {true, packet.packet, packet.sent()}, header, now);
    }
    core_.requests.complete(lone.message.request, Outcome::delivered,
                            {connection.peer, lone.message.context, lone.message.tag},
                            lone.message.bytes);
    outbound.lone.drop_first();
  }
  // The time-out of one behind them counts from now, and may be shorter than it was.
  if (!outbound.lone.empty()) core_.activate_at(connection, silence_deadline(connection, 0));
  return true;
}

// What they would be if others had been under way.
void Sending::unfold(Connection& connection) {
  Outbound& outbound = *connection.outbound;
  for (; !outbound.lone.empty(); outbound.lone.drop_first()) {
    const LoneMessage& lone = outbound.lone[0];
    const std::uint32_t i = core_.outgoing.take();
    HOLDFAST_ASSERT(i != kNone);  // there are as many as requests
    const OutgoingMessage& message = core_.outgoing[i] = lone.message;
    core_.requests[message.request].object = i;
    Messages::append(core_.outgoing, outbound.messages, i);
    const std::uint32_t k = cut_as(connection, lone.fragment_number, i, MessageFrameType::eager, 0,
                                   message.bytes, core_.ports[0].payload_max());
    VirtualFragment& fragment = core_.fragments[k];
    fragment.waiting = 0;
    fragment.under_way = fragment.sent_before = 1;
    fragment.packets[0] = static_cast<std::uint16_t>(lone.copy);
    core_.sent[lone.copy].fragment = k;
  }
}

// A frame that is all of a message of which nothing else has come, and all before it have been
// shown to matching, also those of an earlier life.
bool Receiving::is_next_alone(const Connection& connection, const MessageHeader& header,
                              std::size_t payload_bytes) const {
  return header.type == MessageFrameType::eager && header.bytes == payload_bytes &&
         header.message == connection.next_presented && header.message == connection.begun_below &&
         !has_unplaced();
}

// It goes straight to the receive that waits for it. False: there is none, or it is corrupt, and
// nothing has happened but that the memory of that receive may have been written.
bool Receiving::take_alone(Connection& connection, const MessageHeader& header,
                           std::span<const std::byte> payload) {
  const Envelope envelope{connection.peer, header.context, header.tag};
  const std::uint32_t waiting = core_.matching.find_receive(envelope);
  if (waiting == kNone) return false;
  const std::uint32_t request = core_.matching.receive_at(waiting);
  const RequestState& state = core_.requests[request];
  const std::uint64_t room = std::min<std::uint64_t>(header.bytes, state.size);
  if (!copy_verified(connection, state.memory, room, 0, header, payload, true)) return false;
  core_.matching.take_receive_at(waiting);
  connection.received.add(header.message);
  connection.begun_below = connection.next_presented = header.message + 1;
  core_.counts.payload_bytes_delivered += payload.size();
  const bool fits = header.bytes <= state.size;
  core_.requests.complete(request, fits ? Outcome::delivered : Outcome::truncated, envelope,
                          header.bytes);
  const std::uint32_t charge = credit_of(header.bytes);
  connection.credit_used += charge;
  give_credit(connection, charge);
  acknowledging_.owe(connection, Owed::When::next_turn);
  return true;
}

// Whether an acknowledgement may wait until the next turn: that costs little; only lone messages
// can be what it is of, as more may follow from what is said of others; and `behind` it in its
// datagram is one frame, of any type, not another acknowledgement that would overtake it.
bool Endpoint::Parts::may_defer(std::size_t r, std::span<const std::byte> acknowledgement,
                                std::span<const std::byte> behind) const {
  if (behind.empty() || !core.ports[r].polls_memory()) return false;
  if (first_message_frame(behind).size() < behind.size()) return false;
  const Connection* const connection = core.find(sender_of_message_frame(acknowledgement));
  return connection != nullptr && connection->sends_something() &&
         connection->outbound->has_no_lists();
}

void Endpoint::Parts::defer(std::size_t r, std::span<const std::byte> acknowledgement, Time now) {
  Deferred& made = deferred.emplace();
  std::copy_n(acknowledgement.begin(), made.frame.size(), made.frame.begin());
  made.rail = r;
  made.now = now;
}

void Endpoint::Parts::handle_deferred() {
  if (!deferred) return;
  const Deferred one = *deferred;
  deferred.reset();
  handle_frame(one.rail, one.frame, {}, one.now, one.now);
}

}  // namespace holdfast::reliable
