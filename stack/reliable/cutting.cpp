// Messages into virtual fragments, and anew where a narrower rail has to take over.
#include <algorithm>

#include "stack/reliable/sending.hpp"

namespace holdfast::reliable {

namespace {
constexpr std::uint32_t kExtraOfOnePeerMax = 256;
constexpr std::uint64_t kBytesMax = 0xffff'ffff;  // of a virtual fragment, as its frames say them
// Acknowledgements name 16 bits of a number, so those that wait for one lie near each other.
constexpr std::uint32_t kNumbersApartMax = 4096;
}  // namespace

bool Sending::has_fragment_left(const Connection& connection) const {
  // One for each message that may be asked for stays.
  const std::uint32_t extra = core_.fragments.size() - core_.outgoing.size();
  return connection.outbound->extra_fragments < kExtraOfOnePeerMax && core_.extra_fragments < extra;
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
                           std::uint64_t offset, std::uint64_t bytes, std::uint32_t width) {
  renumber_oldest(connection);
  return cut_as(connection, next_number(connection), message, type, offset, bytes, width);
}

std::uint32_t Sending::cut_as(Connection& connection, std::uint32_t number, std::uint32_t message,
                              MessageFrameType type, std::uint64_t offset, std::uint64_t bytes,
                              std::uint32_t width) {
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
  fragment.extra = !of.fragments.empty();
  if (fragment.extra) {
    ++connection.outbound->extra_fragments;
    ++core_.extra_fragments;
  }
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

// What is missing of a virtual fragment becomes virtual fragments of narrower fragments, under
// numbers of their own; what still arrives of the old one counts, too (specification,
// clause 14.12). False: there is no room for them, and nothing has changed.
bool Sending::cut_anew(Connection& connection, std::uint32_t i, std::uint32_t width) {
  VirtualFragment& old = core_.fragments[i];
  if (old.under_way != 0) return false;
  const std::uint64_t missing = old.waiting;
  struct Run {
    std::uint64_t from, to;
  };
  std::array<Run, kFragmentsMax / 2> runs;
  std::size_t count = 0;
  std::uint64_t pieces = 0;
  for (unsigned k = 0; k < old.count; ++k) {
    if ((missing >> k & 1) == 0) continue;
    const std::uint64_t from = old.fragment_offset(k);
    const std::uint64_t to = from + old.fragment_size(k);
    if (count > 0 && runs[count - 1].to == from) {
      runs[count - 1].to = to;
    } else {
      runs[count++] = {from, to};
    }
  }
  const std::uint64_t most = std::uint64_t{width} * kFragmentsMax;
  for (std::size_t r = 0; r < count; ++r) pieces += (runs[r].to - runs[r].from + most - 1) / most;
  const std::uint32_t extra = core_.fragments.size() - core_.outgoing.size();
  if (core_.extra_fragments + pieces > extra) return false;

  const bool begins = old.type == MessageFrameType::eager && (missing & 1) != 0;
  old.waiting = 0;
  old.replaced = true;
  --core_.outgoing[old.message].unfinished;
  enqueue(connection, i, SendQueue::none);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::uint64_t from = runs[r].from; from < runs[r].to;) {
      // Only the first frame of a message says what it is matched by.
      const bool first = begins && from == runs[r].from && r == 0;
      const std::uint32_t made =
          cut(connection, old.message, first ? MessageFrameType::eager : MessageFrameType::data,
              from, runs[r].to - from, width);
      core_.fragments[made].next_type = MessageFrameType::data;
      from += core_.fragments[made].bytes;
      enqueue(connection, made, SendQueue::again);
    }
  }
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
                              ? fragment.offset < other.offset
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
  enqueue(connection, i, SendQueue::none);
  if (fragment.extra) {
    --connection.outbound->extra_fragments;
    --core_.extra_fragments;
  }
  Fragments::remove(core_.fragments, connection.outbound->fragments, i);
  MessageFragments::remove(core_.fragments, core_.outgoing[fragment.message].fragments, i);
  core_.fragments.give(i);
}

}  // namespace holdfast::reliable
