// Messages into virtual fragments, and anew where a narrower rail has to take over.
#include <algorithm>

#include "stack/reliable/sending.hpp"

namespace holdfast::reliable {

namespace {
constexpr std::uint32_t kMoreOfOnePeerMax = 256;
constexpr std::uint32_t kPiecesOfOnePeerMax = 3072;
constexpr std::uint64_t kBytesMax = 0xffff'ffff;  // of a virtual fragment, as its frames say them
// Acknowledgements name 16 bits of a number, so those that wait for one lie near each other.
constexpr std::uint32_t kNumbersApartMax = 4096;
}  // namespace

// With more than that renumber_oldest would never end. Pieces have some for themselves: all that
// waits may be for rails that are gone.
bool Sending::has_number_left(Connection& connection) {
  return has_numbers_left(connection, 1 + core_.pieces_of_a_rail);
}

bool Sending::has_numbers_left(Connection& connection, std::uint64_t fragments) {
  const auto has = [&] { return connection.outbound->rooms.all() + fragments < kNumbersApartMax; };
  if (!has()) forget_remembered(connection);
  return has();
}

bool Sending::has_fragment_left(Connection& connection) {
  const FragmentRooms& own = connection.outbound->rooms;
  const auto has_own = [&] { return own[FragmentRoom::more] < kMoreOfOnePeerMax; };
  const auto has_any = [&] {
    return core_.fragment_rooms[FragmentRoom::more] < core_.more_fragments_max;
  };
  if (!has_own()) forget_remembered(connection);
  if (!has_any()) forget_all_remembered();
  return has_own() && has_any() && has_number_left(connection);
}

// So many pieces of a width. Those of wider ones, whose rails may be gone by now, leave them room.
bool Sending::has_pieces_left(Connection& connection, std::uint64_t pieces, std::uint32_t width) {
  std::uint32_t most = 0;
  for (const Port& port : core_.ports) {
    if (port.payload_max() >= width) most += core_.pieces_of_a_rail;
  }
  most = std::min(most, kPiecesOfOnePeerMax);
  const FragmentRooms& own = connection.outbound->rooms;
  const auto has_own = [&] { return own[FragmentRoom::piece] + pieces <= most; };
  const auto has_any = [&] {
    return core_.fragment_rooms[FragmentRoom::piece] + pieces <= core_.pieces_max;
  };
  if (!has_own()) forget_remembered(connection);
  if (!has_any()) forget_all_remembered();
  return has_own() && has_any() && has_numbers_left(connection, pieces);
}

// Those of which nothing is to be sent any more, as others took their place, only wait for late
// acknowledgements. They must not take the room of what is to be sent.
void Sending::forget_remembered(Connection& connection) {
  if (core_.remembered_fragments == 0) return;
  for (std::uint32_t i = connection.outbound->fragments.first; i != kNone;) {
    const std::uint32_t next = Fragments::after(core_.fragments, i);
    if (core_.fragments[i].is_settled()) discard(connection, i);
    i = next;
  }
}

void Sending::forget_all_remembered() {
  if (core_.remembered_fragments == 0) return;
  for (Connection& connection : core_.connections) {
    if (connection.outbound != nullptr) forget_remembered(connection);
  }
}

// It is settled, and whether it is forgotten depends on whether others took the place of some of
// it: what still comes of it counts for them.
void Sending::settle(Connection& connection, std::uint32_t i) {
  --core_.outgoing[core_.fragments[i].message].unfinished;
  if (core_.fragments[i].replaced == 0) {
    discard(connection, i);
  } else {
    ++core_.remembered_fragments;
  }
}

// A number for a virtual fragment. Which packets have been sent by then is remembered for an age.
std::uint32_t Sending::next_number(Connection& connection) {
  if (connection.next_fragment % kFragmentsOfAnAge == 0) {
    for (ConnectionRail& rail : connection.rails) {
      rail.packets_marked = {rail.next_packet, rail.packets_marked[0]};
    }
  }
  return connection.next_fragment++;
}

// One that nobody has room for may wait while thousands come and go. It takes a new number, the
// latest, and what is acknowledged under its old one is not heard.
void Sending::renumber_oldest(Connection& connection) {
  while (!connection.outbound->fragments.empty()) {
    const std::uint32_t i = connection.outbound->fragments.first;
    if (connection.next_fragment - core_.fragments[i].number < kNumbersApartMax) return;
    Fragments::remove(core_.fragments, connection.outbound->fragments, i);
    core_.fragments[i].number = next_number(connection);
    Fragments::append(core_.fragments, connection.outbound->fragments, i);
  }
}

// A virtual fragment of [offset, offset + bytes), in fragments of up to `width`, not queued. The
// first of a message is always to be had.
std::uint32_t Sending::cut(Connection& connection, std::uint32_t message, MessageFrameType type,
                           std::uint64_t offset, std::uint64_t bytes, std::uint32_t width,
                           FragmentRoom room) {
  renumber_oldest(connection);
  return cut_as(connection, next_number(connection), message, type, offset, bytes, width, room);
}

std::uint32_t Sending::cut_as(Connection& connection, std::uint32_t number, std::uint32_t message,
                              MessageFrameType type, std::uint64_t offset, std::uint64_t bytes,
                              std::uint32_t width, FragmentRoom room) {
  const std::uint32_t i = core_.fragments.take();
  HOLDFAST_ASSERT(i != kNone);
  OutgoingMessage& of = core_.outgoing[message];
  VirtualFragment& fragment = core_.fragments[i];
  fragment.message = message;
  fragment.number = number;
  fragment.type = type;
  fragment.next_type =
      type == MessageFrameType::eager ? MessageFrameType::fragment : MessageFrameType::data;
  fragment.offset = offset;
  fragment.bytes = static_cast<std::uint32_t>(
      std::min({bytes, std::uint64_t{width} * kFragmentsMax, kBytesMax / width * width}));
  fragment.fragment_bytes = std::min(width, fragment.bytes);
  fragment.count =
      static_cast<std::uint8_t>(fragment.bytes == 0 ? 1 : (fragment.bytes + width - 1) / width);
  fragment.waiting = fragment.all();
  fragment.room = of.fragments.empty() ? FragmentRoom::message : room;
  ++connection.outbound->rooms[fragment.room];
  ++core_.fragment_rooms[fragment.room];
  Fragments::append(core_.fragments, connection.outbound->fragments, i);
  MessageFragments::append(core_.fragments, of.fragments, i);
  ++of.unfinished;
  return i;
}

// The next bytes of a granted message, for a rail. Those beside it which are narrower cannot carry
// what is cut for it, so it gets no more than its share of what is left of the message: else it
// would have the whole of it while the others have nothing to do.
void Sending::cut_data(Connection& connection, std::uint32_t message, std::size_t rail,
                       const Loads& loads) {
  OutgoingMessage& of = core_.outgoing[message];
  const std::uint32_t width = loads[rail].payload_max;
  std::uint64_t bytes = of.upto - of.cut;
  const auto rails = std::span(loads).first(connection.rails.size());
  const bool is_wider = std::ranges::any_of(rails, [&](const RailLoad& other) {
    return (other.usable || other.is_full) && other.payload_max < width;
  });
  if (is_wider) {
    const std::uint64_t whole =
        share_of(rails, rail, bytes) / width + 1;  // fragments, at least one
    bytes = std::min(bytes, std::min<std::uint64_t>(whole, kFragmentsMax) * width);
  }
  const std::uint32_t i = cut(connection, message, MessageFrameType::data, of.cut, bytes, width);
  of.cut += core_.fragments[i].bytes;
  if (of.cut == of.upto)
    MessageQueue::remove(core_.outgoing, connection.outbound->granted, message);
  enqueue(connection, i, SendQueue::data);
}

// Bytes of payload that the widest of the rails which carry data takes; 0: none does.
std::uint32_t Sending::widest_up(const Connection& connection) const {
  std::uint32_t widest = 0;
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    if (connection.may_carry(r)) widest = std::max(widest, core_.ports[r].payload_max());
  }
  return widest;
}

// The lowest bytes that wait of a virtual fragment become one of narrower fragments, or several,
// under numbers of their own; what still arrives of the old one counts, too (specification,
// clause 14.12). So much at a time as makes the first of them as long as can be, by which a
// receiver knows the extent of an eager one; all of it would take the room of others that can be
// sent. False: there is no room, or some of it is under way, and nothing of it is cut.
bool Sending::cut_anew(Connection& connection, std::uint32_t i, std::uint32_t width) {
  VirtualFragment& old = core_.fragments[i];
  if (old.under_way != 0) return false;
  const std::uint64_t most = std::uint64_t{width} * kFragmentsMax;
  const auto first = static_cast<unsigned>(std::countr_zero(old.waiting));
  const std::uint64_t from = old.waits_from();
  std::uint64_t to = from;
  std::uint64_t taken = 0;
  for (unsigned k = first; k < old.count && (old.waiting >> k & 1) != 0 && to - from < most; ++k) {
    to = old.fragment_offset(k) + old.fragment_size(k);
    taken |= std::uint64_t{1} << k;
  }
  if (!has_pieces_left(connection, (to - from + most - 1) / most, width)) return false;

  old.waiting &= ~taken;
  old.replaced |= taken;
  // Where it waits among what was lost depends on what waits of it.
  const bool was_lost = old.queue == SendQueue::again;
  if (was_lost || old.waiting == 0) enqueue(connection, i, SendQueue::none);
  // Only the first frame of a message says what it is matched by.
  auto type = first == 0 ? old.type : MessageFrameType::data;
  for (std::uint64_t at = from; at < to; type = MessageFrameType::data) {
    const std::uint32_t made =
        cut(connection, old.message, type, at, to - at, width, FragmentRoom::piece);
    core_.fragments[made].next_type = MessageFrameType::data;
    at += core_.fragments[made].bytes;
    enqueue(connection, made, SendQueue::again);
  }
  if (was_lost && old.waiting != 0) enqueue(connection, i, SendQueue::again);
  if (old.is_settled()) settle(connection, i);
  return true;
}

List& Sending::queue_of(Connection& connection, SendQueue queue) {
  if (queue == SendQueue::again) return connection.outbound->again;
  return queue == SendQueue::firsts ? connection.outbound->firsts : connection.outbound->data;
}

// Where it goes in a queue: at the end; but of what was lost the lowest bytes of the earliest
// message come first. They are what a receiver always takes, however many holes it has
// (clause 14.3), so each that arrives lengthens what is whole, and what it had no room for waits
// behind.
std::uint32_t Sending::place_in(const Connection& connection, const VirtualFragment& fragment,
                                SendQueue queue) const {
  if (queue != SendQueue::again) return kNone;
  const std::uint32_t number = core_.outgoing[fragment.message].number;
  std::uint32_t after = kNone;
  for (std::uint32_t k = connection.outbound->again.last; k != kNone;
       k = core_.fragments[k].of_queue.before) {
    const VirtualFragment& other = core_.fragments[k];
    const bool is_later = other.message == fragment.message
                              ? fragment.waits_from() < other.waits_from()
                              : is_before(number, core_.outgoing[other.message].number);
    if (!is_later) break;
    after = k;
  }
  return after;
}

// Puts a virtual fragment into a queue, out of the one that it is in.
void Sending::enqueue(Connection& connection, std::uint32_t i, SendQueue queue) {
  VirtualFragment& fragment = core_.fragments[i];
  if (fragment.queue == queue) return;
  if (fragment.queue != SendQueue::none) {
    FragmentQueue::remove(core_.fragments, queue_of(connection, fragment.queue), i);
  }
  fragment.queue = queue;
  if (queue == SendQueue::none) return;
  const std::uint32_t before = place_in(connection, fragment, queue);
  FragmentQueue::insert(core_.fragments, queue_of(connection, queue), i, before);
}

// Nothing of it is under way.
void Sending::discard(Connection& connection, std::uint32_t i) {
  VirtualFragment& fragment = core_.fragments[i];
  HOLDFAST_ASSERT(fragment.under_way == 0);
  if (fragment.replaced != 0 && fragment.is_settled()) --core_.remembered_fragments;
  enqueue(connection, i, SendQueue::none);
  --connection.outbound->rooms[fragment.room];
  --core_.fragment_rooms[fragment.room];
  Fragments::remove(core_.fragments, connection.outbound->fragments, i);
  MessageFragments::remove(core_.fragments, core_.outgoing[fragment.message].fragments, i);
  core_.fragments.give(i);
}

}  // namespace holdfast::reliable
