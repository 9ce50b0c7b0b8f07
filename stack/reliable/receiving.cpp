// Frames that bring messages.
#include "stack/reliable/receiving.hpp"

#include <algorithm>

namespace holdfast::reliable {

struct Receiving::Piece {
  Touched of;                      // the virtual fragment
  std::uint64_t from = 0, to = 0;  // in the message
  bool completes_it = false;       // it is the last fragment of the virtual fragment
};

std::byte* Receiving::place(Connection& connection, const MessageHeader& header,
                            std::size_t payload_bytes, Time now) {
  if (is_too_old(connection, header)) return nullptr;
  std::uint32_t i = find(connection, header.message);
  if (i == kNone) i = open_if_expected(connection, header, now);
  if (i == kNone) return nullptr;
  const IncomingMessage& message = core_.incoming[i];
  const Piece piece = piece_of(header, payload_bytes);
  if (message.is_whole || !belongs(message, header, piece)) return nullptr;
  const bool is_fresh = !message.ranges.has_begun() ||
                        message.ranges.overlap(core_.range_blocks, piece.from, piece.to) ==
                            ReceivedRanges::Overlap::none;
  return is_fresh ? place_of(message, piece) : nullptr;
}

// The message that an eager frame begins, if a receive waits for it. It has met that receive then,
// as if its payload had come and been corrupt: nobody else's bytes shall lie in that memory. None
// behind it has begun, which would be shown to matching with it and be granted: nothing may be sent
// in the course of a poll.
std::uint32_t Receiving::open_if_expected(Connection& connection, const MessageHeader& header,
                                          Time now) {
  const bool is_next = header.type == MessageFrameType::eager &&
                       header.message == connection.next_presented &&
                       header.message == connection.begun_below && !has_unplaced();
  if (!is_next) return kNone;
  const Envelope envelope{connection.peer, header.context, header.tag};
  if (core_.matching.find_receive(envelope) == kNone) return kNone;
  return find_or_open(connection, header, kNone, now);
}

// Null: nowhere yet, or not all of it in one piece of a receive's memory. What is kept for a
// receive to come moves when that comes.
std::byte* Receiving::place_of(const IncomingMessage& message, const Piece& piece) {
  const bool has_place = message.receive != kNone && message.memory.start != nullptr;
  return has_place && piece.to <= message.room ? message.memory.start + piece.from : nullptr;
}

bool Receiving::is_too_old(const Connection& connection, const MessageHeader& header) {
  return is_before(header.virtual_fragment, connection.latest_fragment - kFragmentsOfAnAge) ||
         !connection.received.is_within(header.message);
}

void Receiving::handle(Connection& connection, const MessageHeader& header,
                       const ArrivedPayload& payload, std::size_t rail, Time at, Time now) {
  acknowledging_.note(connection, rail, header,
                      static_cast<std::uint32_t>(payload.bytes.size() + kMessageHeaderBytes), at);
  if (is_too_old(connection, header)) {
    ++core_.counts.out_of_place;
    return;
  }
  if (is_before(connection.latest_fragment, header.virtual_fragment)) {
    connection.latest_fragment = header.virtual_fragment;
  }
  if (!payload.is_placed && is_next_alone(connection, header, payload.bytes.size()) &&
      take_alone(connection, header, payload.bytes)) {
    return;
  }
  const std::uint32_t known = find(connection, header.message);
  const bool is_over = known == kNone || core_.incoming[known].is_whole;
  if (is_over && connection.received.contains(header.message)) {
    handle_duplicate(connection, header, now);
  } else if (header.type == MessageFrameType::request) {
    handle_request(connection, header, known, now);
  } else {
    handle_fragment(connection, header, payload, known, now);
  }
}

// Its sender has not heard of our acknowledgement: perhaps the rail is dead in that direction. Of
// an eager message the acknowledgement of messages says that it has arrived.
void Receiving::handle_duplicate(Connection& connection, const MessageHeader& header, Time now) {
  ++core_.counts.fragments_duplicate;
  if (header.type == MessageFrameType::data || header.type == MessageFrameType::request) {
    Touched whole;
    whole.virtual_fragment = static_cast<std::uint16_t>(header.virtual_fragment);
    acknowledging_.owe(connection, whole, Owed::When::now, now);
  }
  tell_again(connection);
}

void Receiving::tell_again(Connection& connection) {
  acknowledging_.owe(connection, Owed::When::now);
  acknowledging_.owe_on(connection, connection.ways->answer_on(connection.owed.latest_rail));
}

// Searched from the end, as most frames are of new messages; `after` is the next one known.
std::uint32_t Receiving::find(const Connection& connection, std::uint32_t number) const {
  std::uint32_t i = connection.incoming.last;
  while (i != kNone && is_before(number, core_.incoming[i].number)) {
    i = core_.incoming[i].of_connection.before;
  }
  return i != kNone && core_.incoming[i].number == number ? i : kNone;
}

// The message of a frame, made if there is none; kNone: there is no room, or nothing is known of it
// and the frame does not say enough.
std::uint32_t Receiving::find_or_open(Connection& connection, const MessageHeader& header,
                                      std::uint32_t found, Time now) {
  const bool says_who =
      header.type == MessageFrameType::eager || header.type == MessageFrameType::request;
  if (found == kNone) {
    // A data frame does not say how long its message is.
    if (header.type == MessageFrameType::data) return kNone;
    found = take_place(connection, header.message);
    if (found == kNone) return kNone;
    IncomingMessage& made = core_.incoming[found];
    made.connection = core_.index_of(connection);
    made.life = connection.life;
    made.number = header.message;
    made.bytes = header.bytes;
    made.is_rendezvous = header.type == MessageFrameType::request;
    if (made.is_rendezvous) {
      connection.received.add(made.number);
    } else {
      made.charge = charge_of(made.bytes);
      connection.credit_used += made.charge;
      made.wanted = made.bytes;
    }
    Incoming::insert_by_number(core_.incoming, connection.incoming, found);
  }
  IncomingMessage& message = core_.incoming[found];
  if (says_who && !message.is_opened) {
    message.is_opened = true;
    message.envelope = {connection.peer, header.context, header.tag};
    if (connection.unplaced != kNone) {
      ++changes_;  // with the next deadlines
    } else if (message.number == connection.next_presented) {
      present(connection, found, now);
    }
  }
  return found;
}

// Those that are early have places of their own, of which they leave one for each message that is
// missing before them: else they would wait in theirs for ever. So whatever waits for its turn, and
// whoever's it is, the next one of each peer finds a place, and a posted receive or matching has
// it.
std::uint32_t Receiving::take_place(Connection& connection, std::uint32_t number) {
  const bool is_early = number != connection.next_presented;
  if (is_before(number, connection.begun_below)) {
    HOLDFAST_ASSERT(connection.missing > 0);
    --connection.missing;
    --core_.missing;
  } else {
    const std::uint32_t skipped = number - connection.begun_below;
    const std::uint32_t missing = core_.missing + skipped;
    if (is_early && core_.early + missing >= core_.early_max) return kNone;
    if (core_.incoming.left() <= missing) return kNone;
    connection.begun_below = number + 1;
    connection.missing += skipped;
    core_.missing = missing;
  }
  const std::uint32_t place = core_.incoming.take();
  HOLDFAST_ASSERT(place != kNone);
  core_.incoming[place].is_early = is_early;
  if (is_early) ++core_.early;
  return place;
}

void Receiving::handle_request(Connection& connection, const MessageHeader& header,
                               std::uint32_t known, Time now) {
  const std::uint32_t i = find_or_open(connection, header, known, now);
  if (i == kNone) {
    acknowledging_.owe(connection, Owed::When::next_turn);
    return;
  }
  if (!core_.incoming[i].is_rendezvous || core_.incoming[i].bytes != header.bytes) {
    ++core_.counts.out_of_place;
    return;
  }
  const auto number = static_cast<std::uint16_t>(header.virtual_fragment);
  acknowledging_.owe(connection, {i, 0, 0, 0, number}, Owed::When::next_turn, now);
  if (known == kNone) return;
  ++core_.counts.fragments_duplicate;
  tell_again(connection);
}

// The fragments of an eager frame's virtual fragment are as long as its payload.
Receiving::Piece Receiving::piece_of(const MessageHeader& header, std::uint64_t payload_bytes) {
  Piece piece;
  piece.of.virtual_fragment = static_cast<std::uint16_t>(header.virtual_fragment);
  if (header.type == MessageFrameType::eager) {
    piece.of.fragment_bytes = static_cast<std::uint32_t>(payload_bytes);
    piece.of.bytes =
        static_cast<std::uint32_t>(std::min(header.bytes, payload_bytes * kFragmentsMax));
  } else {
    piece.of.offset = header.offset;
    piece.of.fragment_bytes = header.fragment_bytes;
    piece.of.bytes = static_cast<std::uint32_t>(header.bytes);
    piece.from = header.offset + std::uint64_t{header.index} * header.fragment_bytes;
  }
  piece.to = piece.from + payload_bytes;
  piece.completes_it = piece.to == piece.of.offset + piece.of.bytes;
  return piece;
}

bool Receiving::belongs(const IncomingMessage& message, const MessageHeader& header,
                        const Piece& piece) const {
  if (message.is_rendezvous) {
    return header.type == MessageFrameType::data && message.receive != kNone &&
           piece.to <= message.wanted;
  }
  switch (header.type) {
    case MessageFrameType::eager:
      return header.bytes == message.bytes && header.context == message.envelope.context &&
             header.tag == message.envelope.tag;
    case MessageFrameType::fragment:
      return header.offset == 0 && header.bytes == message.bytes;
    default:
      return piece.to <= message.bytes;
  }
}

void Receiving::handle_fragment(Connection& connection, const MessageHeader& header,
                                const ArrivedPayload& payload, std::uint32_t known, Time now) {
  Piece piece = piece_of(header, payload.bytes.size());
  const std::uint32_t i = find_or_open(connection, header, known, now);
  if (i == kNone) {
    acknowledging_.owe(connection, Owed::When::next_turn);
    return;
  }
  piece.of.message = i;
  if (!belongs(core_.incoming[i], header, piece)) {
    ++core_.counts.out_of_place;
    return;
  }
  const Stored stored = store(connection, i, piece, header, payload);
  if (stored != Stored::fresh && header.type == MessageFrameType::eager) {
    // It may have been cut, and then its length is not that of the fragments: what is known is
    // whether its first byte has arrived.
    piece.of.bytes = piece.of.fragment_bytes = 1;
  }
  switch (stored) {
    case Stored::fresh: {
      const IncomingMessage& message = core_.incoming[i];
      const bool is_whole = !message.ranges.has_begun() ||
                            message.ranges.prefix(core_.range_blocks) >= message.wanted;
      core_.counts.payload_bytes_delivered += payload.bytes.size();
      if (message.is_rendezvous) {
        connection.data_message = message.number;
        connection.data_at = now;
      }
      if (is_whole) {
        if (message.is_rendezvous) {
          acknowledging_.owe(connection, piece.of, Owed::When::next_turn, now);
        }
        become_whole(connection, i);
        acknowledging_.owe(connection, Owed::When::next_turn);
      } else {
        const Owed::When of_bytes = acknowledging_.due_for_bytes(connection);
        const auto of_piece = piece.completes_it ? Owed::When::turn_ends : Owed::When::later;
        acknowledging_.owe(connection, piece.of, std::max(of_bytes, of_piece), now);
        if (of_bytes == Owed::When::now) core_.pressing = core_.index_of(connection);
      }
      break;
    }
    case Stored::known:
      ++core_.counts.fragments_duplicate;
      acknowledging_.owe(connection, piece.of, Owed::When::now, now);
      tell_again(connection);
      break;
    case Stored::corrupt:
      // The sender learns at once which fragment is missing.
      ++core_.counts.corrupt_payload;
      acknowledging_.owe(connection, piece.of, Owed::When::now, now);
      break;
    case Stored::no_room:
      // It is sent again, and that the rail works is known from this.
      acknowledging_.owe(connection, Owed::When::next_turn);
      break;
  }
}

Receiving::Stored Receiving::store(Connection& connection, std::uint32_t i, const Piece& piece,
                                   const MessageHeader& header, const ArrivedPayload& payload) {
  IncomingMessage& message = core_.incoming[i];
  const bool is_all = piece.from == 0 && piece.to == message.bytes;
  auto overlap = ReceivedRanges::Overlap::none;
  const bool continues = message.ranges.has_begun() && piece.from < piece.to &&
                         message.ranges.continues(core_.range_blocks, piece.from);
  if (message.ranges.has_begun() && !continues) {
    overlap = message.ranges.overlap(core_.range_blocks, piece.from, piece.to);
    if (overlap == ReceivedRanges::Overlap::all) return Stored::known;
    if (!message.ranges.has_room_for(core_.range_blocks, piece.from, piece.to)) {
      return Stored::no_room;
    }
  }
  const bool needs_memory = message.receive == kNone && message.bytes > 0;
  if (needs_memory && message.memory.start == nullptr && !keep(message)) return Stored::no_room;
  if (!message.ranges.has_begun() && !is_all && !message.ranges.begin(core_.range_blocks)) {
    return Stored::no_room;
  }
  if (payload.is_placed) {
    // A message keeps its memory until it is whole, or its connection is over.
    HOLDFAST_ASSERT(payload.bytes.data() == place_of(message, piece));
    if (!is_right(connection, piece.from, header, payload.bytes)) return Stored::corrupt;
  } else {
    const bool fused = overlap == ReceivedRanges::Overlap::none;
    const std::uint64_t room = message.receive != kNone ? message.room : message.bytes;
    if (!copy_verified(connection, message.memory, room, piece.from, header, payload.bytes,
                       fused)) {
      return Stored::corrupt;
    }
  }
  if (continues) {
    message.ranges.extend(core_.range_blocks, piece.to);
  } else if (message.ranges.has_begun()) {
    const bool added = message.ranges.add(core_.range_blocks, piece.from, piece.to);
    HOLDFAST_ASSERT(added);
  }
  if (message.of_grants.before != kNone || message.of_grants.after != kNone ||
      connection.grants.first == i) {
    Grants::remove(core_.incoming, connection.grants, i);  // it has been heard
  }
  return Stored::fresh;
}

// A payload that lies in its message from byte `from` on.
bool Receiving::is_right(const Connection& connection, std::uint64_t from,
                         const MessageHeader& header, std::span<const std::byte> payload) const {
  if (!core_.payload_sum.is_on()) return true;
  const std::uint64_t seed = payload_seed(connection.in, header.message, from);
  return core_.payload_sum.of(payload, seed) == header.payload_checksum;
}

// Likewise, and copies it to there. What has been received is not written again, as what comes may
// be corrupt: where it overlaps, or exceeds the memory, it is verified first. Else checksum and
// copy are one.
bool Receiving::copy_verified(const Connection& connection, const MessageMemory& memory,
                              std::uint64_t room, std::uint64_t from, const MessageHeader& header,
                              std::span<const std::byte> payload, bool fused) const {
  const bool fits = from + payload.size() <= room;
  if (fused && core_.payload_sum.is_on() && fits && !payload.empty()) {
    const std::uint64_t seed = payload_seed(connection.in, header.message, from);
    return core_.payload_sum.unpack(memory, from, payload, seed) == header.payload_checksum;
  }
  if (!is_right(connection, from, header, payload)) return false;
  if (from < room) {
    scatter(memory, from, payload.first(std::min<std::uint64_t>(payload.size(), room - from)));
  }
  return true;
}

}  // namespace holdfast::reliable
