// What one process believes of the others.
//
// A record (incarnation, state) says of one process what is believed of one of its lives. Records
// of a process are totally ordered: the higher incarnation first, then the later state. Merging
// keeps the greater, so views form a join semilattice: whatever order statements arrive in, however
// often, views that have heard the same are equal (specification, section 3).
//
// Everybody starts as {incarnation 0, alive}, and only what differs is stored. Processes that have
// heard the same in the same order store it once: a ViewStore keeps what is equal together, and
// whoever hears more first makes a copy.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/member_state.hpp"

namespace holdfast {

struct Record {
  Incarnation incarnation;
  MemberState state = MemberState::alive;

  friend constexpr auto operator<=>(const Record&, const Record&) = default;
};

constexpr bool is_live(const Record& record) {
  return record.state < MemberState::failed;
}

class ViewStore;

class View {
 public:
  View() = default;
  // A copy shares nothing with what it is a copy of.
  View(const View& other);
  View(View&& other) noexcept
      : digest_(std::exchange(other.digest_, 0)),
        sequence_(std::exchange(other.sequence_, 0)),
        held_(std::exchange(other.held_, nullptr)) {}
  View& operator=(View other) noexcept;
  ~View() { leave(); }

  // A record that is not {0, alive}.
  struct Exception {
    ProcessId process;
    Record record;
    std::uint64_t changed = 0;  // the view's sequence() when the record became this

    friend bool operator==(const Exception&, const Exception&) = default;
  };

  Record of(ProcessId process) const { return held_ != nullptr ? find(process) : Record{}; }
  bool live(ProcessId process) const { return is_live(of(process)); }

  // Whether each of so many processes has an exception, and merging `record` would change none.
  bool covers(ProcessId first, std::uint32_t count, Record record) const;

  // Keeps the greater of what is believed and `record`; true if the view changed.
  bool merge(ProcessId process, Record record);

  // The number of changes so far; names a state of this view within this process only.
  std::uint64_t sequence() const { return sequence_; }

  // Equal views have equal digests in every process; unequal ones differ but for 1 in 2^64.
  std::uint64_t digest() const { return digest_; }

  // Ascending by process.
  std::span<const Exception> exceptions() const {
    return held_ != nullptr ? std::span<const Exception>(held_->exceptions)
                            : std::span<const Exception>();
  }

  // Those of so many processes from that one on.
  std::span<const Exception> exceptions(ProcessId first, std::uint32_t count) const;

  friend bool operator==(const View& a, const View& b);

 private:
  friend class ViewStore;

  // Exceptions, of one view or of several that are equal.
  struct Held {
    std::vector<Exception> exceptions;  // ascending by process
    std::size_t users = 1;              // views, and steps of the store
    std::size_t remembered = 0;         // of these, steps
    ViewStore* store = nullptr;         // where it is known; else there is one user
  };

  // The first exception that is not of a process before this one.
  const Exception* at_or_after(ProcessId process) const;
  Record find(ProcessId process) const;
  std::vector<Exception>& own();
  void leave();

  std::uint64_t digest_ = 0;  // exclusive or over the exceptions, so it follows each change in O(1)
  std::uint64_t sequence_ = 0;
  // Null as long as there are none: a million processes have a view each, most of them empty.
  Held* held_ = nullptr;
};

// What the views of one thread have in common. It changes nothing that a view says.
class ViewStore {
 public:
  ViewStore() = default;
  ViewStore(const ViewStore&) = delete;
  ViewStore& operator=(const ViewStore&) = delete;
  ~ViewStore();

  // Lets this view share the memory of those that were shared before and are equal to it, changes
  // and all. The store must outlive the view.
  void share(View& view);

  // Merges the record into what the view says of so many processes. Where many views that are equal
  // hear the same, the first has the work, and the others share what it has become.
  void merge(View& view, ProcessId first, std::uint32_t count, Record record);

  // Different views there are among those that were shared or are remembered.
  std::size_t size() const { return known_.size(); }

 private:
  friend class View;
  // One of the merges that were done last: what it was done to, what was merged, what came of it.
  // It is a user of both.
  struct Step {
    View::Held* from = nullptr;
    std::uint64_t from_digest = 0;
    ProcessId first;
    std::uint32_t count = 0;
    Record record;
    View::Held* to = nullptr;
    std::uint64_t to_digest = 0;
    std::uint64_t to_sequence = 0;
  };
  // As many kinds of news may be under way at once; each has one place where it can be.
  static constexpr std::size_t kSteps = 64;
  static constexpr std::size_t kRememberedMax = 4096;  // exceptions of a view

  Step& step_of(const View::Held* from, ProcessId first);
  void forget(std::uint64_t digest, const View::Held* held);
  static void remember(View::Held& held);
  static void forget_step(const Step& step);
  static void leave(View::Held* held, std::uint64_t digest);

  std::unordered_multimap<std::uint64_t, View::Held*> known_;  // by digest
  std::vector<Step> steps_;                                    // kSteps, or none yet
};

}  // namespace holdfast
