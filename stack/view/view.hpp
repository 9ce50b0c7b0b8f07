// What one process believes of the others.
//
// A record (incarnation, state) says of one process what is believed of one of its lives. Records
// of a process are totally ordered: the higher incarnation first, then the later state. Merging
// keeps the greater, so views form a join semilattice: whatever order statements arrive in, however
// often, views that have heard the same are equal (specification, section 3).
//
// Everybody starts as {incarnation 0, alive}, and only what differs is stored.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
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

class View {
 public:
  // A record that is not {0, alive}.
  struct Exception {
    ProcessId process;
    Record record;
    std::uint64_t changed = 0;  // the view's sequence() when the record became this

    friend bool operator==(const Exception&, const Exception&) = default;
  };

  Record of(ProcessId process) const;
  bool live(ProcessId process) const { return exceptions_.empty() || is_live(of(process)); }

  // Keeps the greater of what is believed and `record`; true if the view changed.
  bool merge(ProcessId process, Record record);

  // The number of changes so far; names a state of this view within this process only.
  std::uint64_t sequence() const { return sequence_; }

  // Equal views have equal digests in every process; unequal ones differ but for 1 in 2^64.
  std::uint64_t digest() const { return digest_; }

  // Ascending by process.
  std::span<const Exception> exceptions() const { return exceptions_; }

  friend bool operator==(const View&, const View&) = default;

 private:
  std::vector<Exception> exceptions_;
  std::uint64_t digest_ = 0;  // exclusive or over the exceptions, so it follows each change in O(1)
  std::uint64_t sequence_ = 0;
};

}  // namespace holdfast
