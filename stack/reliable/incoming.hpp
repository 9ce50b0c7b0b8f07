// A message that is arriving, or has arrived and waits to be received. Its bytes go straight into
// the memory of the receive that has met it, else into memory for unexpected ones; a rendezvous
// brings none before it is met.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stack/base/time.hpp"
#include "stack/reliable/fixed_pool.hpp"
#include "stack/reliable/matching.hpp"
#include "stack/reliable/message_memory.hpp"
#include "stack/reliable/received_ranges.hpp"

namespace holdfast::reliable {

struct IncomingMessage {
  Links of_connection;  // those that are not whole or not yet shown to matching, ascending
  Links of_grants;      // granted, and no data has come
  std::uint32_t connection = kNone;  // kNone: of this process itself
  std::uint32_t life = 0;            // of that connection
  std::uint32_t number = 0;
  std::uint32_t receive = kNone;  // the request that has met it
  Envelope envelope;
  std::uint64_t bytes = 0;
  std::uint64_t room = 0;    // how many of them the receive takes, once it is met
  std::uint64_t wanted = 0;  // how many must come: all of an eager one, of a rendezvous
                             // what has been granted
  MessageMemory memory;      // where its bytes go; null: nowhere yet
  bool is_rendezvous = false;
  bool is_opened = false;     // its first frame has come: the envelope is known
  bool is_presented = false;  // to matching
  bool is_early = false;      // it is not, and counts as one of Core::early
  bool is_whole = false;
  bool is_kept = false;      // `memory` is of the unexpected ones
  ReceivedRanges ranges;     // begun, of a message of several fragments
  std::uint32_t charge = 0;  // KiB of its sender's share
  // Of one that has been granted: how often the grant was repeated, on which rail it went last and
  // when, and when it will be repeated.
  std::uint8_t grant_attempts = 0;
  std::uint8_t grant_rail = 0;
  bool grant_waits = false;  // for a slot
  Time grant_sent, grant_at;
  std::uint32_t sender = kNone;  // of this process itself: the request of the send
};

}  // namespace holdfast::reliable
