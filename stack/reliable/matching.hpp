// Which message is meant by which receive. As in MPI: by context, tag and source; messages of one
// sender that a receive could take are taken in the order of their sending, and receives that a
// message could satisfy are satisfied in the order of their posting. Messages must arrive here in
// the order in which their sender sent them.
//
// A context is a communicator of one epoch; a tag is 64 bits of which a receive may leave some
// open, and so may be the source: what MPI (32 bits, any tag, any source), libfabric (64 bits and a
// mask) and their collectives need, with one wire format.
//
// Memory is bounded by the construction's limits and nothing is allocated afterwards. A receive
// that leaves nothing open finds its message, and a message finds such a receive, in a table by
// what they are matched by, in constant time. Receives that leave something open wait in a list of
// their context, and look along one of the messages of their context, both in order.
// A receive that is posted while nothing waits is in no table until another one comes.
#pragma once

#include <cstdint>
#include <optional>

#include "stack/base/ids.hpp"
#include "stack/reliable/fixed_pool.hpp"
#include "stack/reliable/number_lists.hpp"

namespace holdfast::reliable {

// What a message is matched by.
struct Envelope {
  ProcessId source;
  std::uint32_t context = 0;
  std::uint64_t tag = 0;
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

// What a receive is ready to take.
struct Pattern {
  ProcessId source = kNoProcess;  // kNoProcess: any
  std::uint32_t context = 0;
  std::uint64_t tag = 0;
  std::uint64_t mask = ~std::uint64_t{0};  // the bits of the tag that count

  bool takes(const Envelope& envelope) const {
    return context == envelope.context && ((tag ^ envelope.tag) & mask) == 0 &&
           (source == kNoProcess || source == envelope.source);
  }
  // Only messages of one envelope.
  bool is_exact() const { return source != kNoProcess && mask == ~std::uint64_t{0}; }
};

class Matching {
 public:
  // At most so many receives wait for a message and messages for a receive at one time.
  Matching(std::uint32_t receives_max, std::uint32_t messages_max);
  Matching(const Matching&) = delete;
  Matching& operator=(const Matching&) = delete;

  // What the caller calls a receive or a message, a name for one at a time; nothing here looks into
  // it.
  using Ticket = std::uint32_t;

  enum class Posted : std::uint8_t { matched, waits, full };
  // A receive: `matched` with the oldest waiting message that it takes, which is then no longer
  // here, or it waits. full: there are receives_max, and nothing has happened.
  Posted post(const Pattern& pattern, Ticket receive, Ticket& message);
  // A message: likewise with the oldest waiting receive.
  Posted arrive(const Envelope& envelope, Ticket message, Ticket& receive);

  // The oldest waiting receive that takes a message of this envelope, which is still to arrive;
  // kNone: there is none. It stays until it is taken, and nothing else may happen before.
  std::uint32_t find_receive(const Envelope& envelope) const { return oldest_for(envelope); }
  Ticket receive_at(std::uint32_t found) const { return receives_[found].ticket; }
  void take_receive_at(std::uint32_t found) { take_receive(found); }

  // The oldest waiting message that `pattern` takes; it stays.
  std::optional<Ticket> probe(const Pattern& pattern) const;
  // Likewise, and takes it out: nobody else can receive it.
  std::optional<Ticket> take(const Pattern& pattern);

  // Takes out a waiting receive or message; false: it does not wait.
  bool cancel_receive(Ticket receive);
  bool cancel_message(Ticket message);

  std::uint32_t receives() const { return receives_.size() - receives_.left(); }
  std::uint32_t messages() const { return messages_.size() - messages_.left(); }

 private:
  struct Receive {
    Pattern pattern;
    Ticket ticket = 0;
    std::uint64_t order = 0;  // counts all that ever waited
  };
  struct Message {
    Envelope envelope;
    Ticket ticket = 0;
  };

  // Of those that wait, the first that may have the other; kNone: there is none.
  std::uint32_t oldest_for(const Envelope& envelope) const;
  std::uint32_t oldest_for(const Pattern& pattern) const;
  void enlist(std::uint32_t receive);
  Ticket take_receive(std::uint32_t number);
  Ticket take_message(std::uint32_t number);

  FixedPool<Receive> receives_;
  NumberLists receives_by_key_;  // exact ones by envelope, others by context
  NumberLists receives_by_ticket_;
  std::uint64_t waited_ = 0;
  std::uint32_t open_receives_ = 0;  // of those in the tables, that are not exact
  // The only receive, posted while nothing else waited, in no table: so receives who waits for one
  // answer after another.
  std::uint32_t lone_receive_ = kNone;

  FixedPool<Message> messages_;
  NumberLists messages_by_envelope_;
  NumberLists messages_by_context_;
  NumberLists messages_by_ticket_;
};

}  // namespace holdfast::reliable
