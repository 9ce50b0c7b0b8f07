// What a process is sending: messages, the virtual fragments that they are cut into, and the copies
// of fragments that are under way (Shipman et al., section 3.3).
//
// A message is one of these: it waits for its first frame; it has asked and waits for the grant; it
// has bytes to cut; it waits for acknowledgements. Of the fragments of a virtual fragment each is
// waiting to be sent, under way, or delivered: three masks that never share a bit; or others, which
// a narrower rail carries, took its place, whether it is delivered then or not. Nothing is cut
// before there is a rail to send it on, so a fragment is as long as that rail likes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "stack/base/time.hpp"
#include "stack/reliable/fixed_pool.hpp"
#include "stack/reliable/message_frame.hpp"
#include "stack/reliable/message_memory.hpp"
#include "stack/reliable/striping.hpp"

namespace holdfast::reliable {

// What an eager message takes of its receiver's credit: the memory that it may need there, which is
// given in powers of two (UnexpectedMemory), in units. What a frame claims beyond any limit counts
// as the most that can be said.
constexpr std::uint32_t kCreditUnit = 1024;
constexpr std::uint32_t credit_of(std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 41;
  if (bytes == 0) return 0;
  const std::uint64_t block = std::bit_ceil(std::min(bytes, kMost));
  return static_cast<std::uint32_t>((block + kCreditUnit - 1) / kCreditUnit);
}

struct OutgoingMessage {
  Links of_connection;  // those that are not acknowledged, or those whose request is, ascending
  Links of_queue;       // that it waits in: to be started, or to be cut
  std::uint32_t request = kNone;
  std::uint32_t number = 0;
  std::uint32_t context = 0;
  std::uint64_t tag = 0;
  MessageMemory memory;  // only read
  std::uint64_t bytes = 0;
  std::uint64_t upto = 0;        // so many may be sent: all of an eager one, what has been granted
  std::uint64_t cut = 0;         // so many are in virtual fragments
  std::uint32_t unfinished = 0;  // of its virtual fragments, not settled
  List fragments;                // its virtual fragments
  bool started = false;
  bool asked = false;  // a rendezvous
  bool heard = false;  // of whose request the receiver knows
  bool granted = false;
};

// Which queue of its connection it waits in for a rail.
enum class SendQueue : std::uint8_t { none, again, firsts, data };

// Whose room a virtual fragment takes: each message has room for one; then there is some for others
// of messages, and some for pieces of what was cut anew, so that neither can hold up the other.
enum class FragmentRoom : std::uint8_t { message, more, piece };
struct FragmentRooms {
  std::array<std::uint32_t, 3> taken{};
  std::uint32_t& operator[](FragmentRoom room) { return taken[static_cast<std::size_t>(room)]; }
  std::uint32_t operator[](FragmentRoom room) const {
    return taken[static_cast<std::size_t>(room)];
  }
  std::uint64_t all() const { return std::uint64_t{taken[0]} + taken[1] + taken[2]; }
};

struct VirtualFragment {
  Links of_connection;  // ascending by number
  Links of_message;
  Links of_queue;
  std::uint32_t message = kNone;  // index
  std::uint32_t number = 0;
  std::uint32_t fragment_bytes = 0;  // of each of its fragments but the last
  std::uint64_t offset = 0;          // in the message
  std::uint32_t bytes = 0;
  std::uint8_t count = 0;  // fragments, 1 … 64; a request is one without bytes
  MessageFrameType type = MessageFrameType::data;       // of its first frame,
  MessageFrameType next_type = MessageFrameType::data;  // and of the others
  SendQueue queue = SendQueue::none;
  FragmentRoom room = FragmentRoom::message;
  // With the timers of the paper all of it goes on one rail, and its acknowledgement timer runs
  // when its last fragment has been scheduled.
  std::uint8_t rail = 0;
  std::uint8_t retries = 0;
  Time acknowledge_by = Time::never();
  std::uint8_t lost_rail = 0;  // where the copy was that was last given up, sent at lost_sent
  Time lost_sent;
  std::uint64_t delivered = 0, under_way = 0, waiting = 0;
  // Cut anew for narrower rails: nothing of these is sent any more; late acknowledgements count.
  std::uint64_t replaced = 0;
  std::uint64_t sent_before = 0;                       // of which a copy has been sent
  std::array<std::uint16_t, kFragmentsMax> packets{};  // of those under way: indices of SentPacket

  // Of the lowest one of `fragments`, which are under way: the index of its copy.
  std::uint32_t copy(std::uint64_t fragments) const {
    return packets[static_cast<std::size_t>(std::countr_zero(fragments))];
  }
  std::uint64_t all() const { return ~std::uint64_t{0} >> (kFragmentsMax - count); }
  // The others of its message, if any took the place of some of it, decide when that is whole.
  bool is_settled() const { return (delivered | replaced) == all(); }
  std::uint64_t fragment_offset(unsigned i) const {
    return offset + std::uint64_t{i} * fragment_bytes;
  }
  // Where the lowest of those that wait begins.
  std::uint64_t waits_from() const {
    return fragment_offset(static_cast<unsigned>(std::countr_zero(waiting)));
  }
  std::uint32_t fragment_size(unsigned i) const {
    return i + 1u < count ? fragment_bytes : bytes - i * fragment_bytes;
  }
};

// A copy of a fragment that is neither acknowledged nor given up.
struct SentPacket {
  Links of_rail;                   // those of one rail to one peer, in the order of sending
  std::uint32_t fragment = kNone;  // its virtual fragment's index; kNone: of a lone message
  std::uint32_t packet = 0;
  std::uint32_t bytes = 0;  // of the frame
  std::uint8_t rail = 0;
  std::uint8_t index = 0;
  bool again = false;   // not the first copy
  bool missed = false;  // a mask of its virtual fragment has not named it when it named a later one
  DeliveryRate::Stamp stamp;

  Time sent() const { return stamp.sent; }
};

}  // namespace holdfast::reliable
