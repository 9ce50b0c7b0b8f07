// Who still has to be told what: the reliable half of every propagation (specification, section 6).
//
// A view numbers its changes. Telling a receiver the changes up to number n takes one small entry
// here, however many changes there are and however often the frame is lost: what is sent is read
// from the view at that moment. An acknowledgement moves the entry forward; an entry with nothing
// left goes. Memory is bounded: when all entries are taken the oldest gives way, and the digest in
// the heartbeats finds what that receiver missed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"

namespace holdfast {

struct DisseminationOptions {
  bool acknowledged = true;  // false: each notice is sent once and forgotten, as in the papers
  Duration retransmission_timeout = milliseconds(100);  // > 0
  std::uint32_t entries_max = 128;                      // >= 1
};

class Dissemination {
 public:
  // One notice to send: the changes after `after`, as many as fit.
  struct Order {
    ProcessId to;
    std::uint64_t after = 0;
    bool repeated = false;

    friend bool operator==(const Order&, const Order&) = default;
  };

  explicit Dissemination(const DisseminationOptions& options) : options_(options) {}

  // Changes `after` < n <= `upto` are to reach `to`.
  void tell(ProcessId to, std::uint64_t after, std::uint64_t upto);
  // `from` has merged the changes in (after, upto].
  void acknowledged(ProcessId from, std::uint64_t after, std::uint64_t upto);
  // Nothing more for this one: it is dead.
  void forget(ProcessId receiver);
  void forget_all() { entries_.clear(); }

  // The next notice that is due. The caller must send it and then call `sent` with the last change
  // that it carried, > order.after.
  std::optional<Order> poll(Time now);
  void sent(const Order& order, std::uint64_t upto, Time now);

  Time next_deadline() const;
  bool idle() const { return entries_.empty(); }
  std::uint64_t evicted() const { return evicted_; }

  // For comparing states: a function of everything above.
  std::uint64_t hash() const;

 private:
  // acknowledged <= sent <= highest <= upto
  struct Entry {
    ProcessId to;
    std::uint64_t acknowledged = 0;  // changes up to here have arrived, or need not
    std::uint64_t sent = 0;          // changes up to here are on their way
    std::uint64_t highest = 0;       // the most that was ever sent: below it, sending is repeating
    std::uint64_t upto = 0;          // what is to arrive
    Time repeat_at = Time::never();  // when sending starts again after `acknowledged`
  };
  Entry* find(ProcessId to);

  DisseminationOptions options_;
  std::vector<Entry> entries_;  // oldest first
  std::uint64_t evicted_ = 0;
};

}  // namespace holdfast
