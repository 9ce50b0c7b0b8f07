// Who still has to be told what: the reliable half of every propagation (specification, section 6).
//
// A view numbers its changes. Telling a receiver the changes up to number n takes one small entry
// here, however many changes there are and however often the frame is lost: what is sent is read
// from the view at that moment. An acknowledgement moves the entry forward; an entry with nothing
// left goes. A named broadcast has entries of its own, so that its notices carry its name and what
// belongs to it. Memory is bounded: when all entries are taken the oldest gives way, and the digest
// in the heartbeats finds what that receiver missed.
//
// Cost: telling n receivers takes O(n) while nobody else waits; the rest O(1) in the usual order of
// things and O(n) at worst.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stack/base/broadcast.hpp"
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
  // One notice to send: the changes after `after`, as many as fit; of a named broadcast none after
  // `upto`.
  struct Order {
    ProcessId to;
    std::uint64_t after = 0;
    std::uint64_t upto = 0;
    bool repeated = false;
    Broadcast broadcast;

    friend bool operator==(const Order&, const Order&) = default;
  };

  Dissemination() = default;
  explicit Dissemination(const DisseminationOptions& options) : options_(options) {}

  // Of an idle one: it goes on for somebody who has had so many entries evicted.
  void continue_for(const DisseminationOptions& options, std::uint64_t evicted);

  // Changes `after` < n <= `upto` are to reach each of `to`, who differ; whoever waits for others
  // has to hear of both.
  void tell(std::span<const ProcessId> to, std::uint64_t after, std::uint64_t upto,
            const Broadcast& broadcast = {});
  // `from` has merged the changes in (after, upto], told as part of this broadcast.
  void acknowledged(ProcessId from, std::uint64_t after, std::uint64_t upto,
                    const Broadcast& broadcast = {});
  // Nothing more for this one: it is dead. Returns the change before the first that it was to be
  // told and has not acknowledged; nothing if it has acknowledged all.
  std::optional<std::uint64_t> forget(ProcessId receiver);
  // Nothing more for anybody.
  void forget_all();

  // The next notice that is due. The caller must send it and then call `sent` with the last change
  // that it carried, > order.after.
  std::optional<Order> poll(Time now);
  void sent(const Order& order, std::uint64_t upto, Time now);

  Time next_deadline() const { return next_ < entries_.size() ? Time{0} : next_repeat_; }
  bool idle() const { return entries_.empty(); }
  std::uint64_t evicted() const { return evicted_; }

  // For comparing states: a function of everything above; of an idle one it is evicted().
  std::uint64_t hash() const;

 private:
  // acknowledged <= sent <= highest <= upto
  struct Entry {
    ProcessId to;                    // kNoProcess: the entry is done, and goes with the next sweep
    std::uint64_t acknowledged = 0;  // changes up to here have arrived, or need not
    std::uint64_t sent = 0;          // changes up to here are on their way
    std::uint64_t highest = 0;       // the most that was ever sent: below it, sending is repeating
    std::uint64_t upto = 0;          // what is to arrive
    Time repeat_at = Time::never();  // when sending starts again after `acknowledged`
    Broadcast broadcast;
  };
  std::size_t find(ProcessId to, const Broadcast& broadcast, std::size_t end);
  void tell_one(ProcessId to, std::uint64_t after, std::uint64_t upto, const Broadcast& broadcast,
                std::size_t end);
  void finish(Entry& entry);
  void evict_oldest();
  void settle();
  void start_repeats(Time now);
  void find_next_repeat();

  DisseminationOptions options_;
  std::vector<Entry> entries_;  // oldest first; empty if all are done
  std::size_t done_ = 0;        // entries that are done
  std::size_t next_ = 0;        // the first with anything to send; all of them have been: the size
  std::size_t hint_ = 0;        // where to look first: frames come in about the order of entries
  Time next_repeat_ = Time::never();  // the earliest repeat_at
  std::size_t repeats_then_ = 0;      // how many entries have that
  std::uint64_t evicted_ = 0;
};

}  // namespace holdfast
