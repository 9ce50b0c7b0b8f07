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
#include <memory>
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
  View() = default;
  View(const View& other) { *this = other; }
  View(View&&) noexcept = default;
  View& operator=(const View& other);
  View& operator=(View&&) noexcept = default;
  ~View() = default;

  // A record that is not {0, alive}.
  struct Exception {
    ProcessId process;
    Record record;
    std::uint64_t changed = 0;  // the view's sequence() when the record became this

    friend bool operator==(const Exception&, const Exception&) = default;
  };

  Record of(ProcessId process) const { return exceptions_ ? find(process) : Record{}; }
  bool live(ProcessId process) const { return is_live(of(process)); }

  // Keeps the greater of what is believed and `record`; true if the view changed.
  bool merge(ProcessId process, Record record);

  // The number of changes so far; names a state of this view within this process only.
  std::uint64_t sequence() const { return sequence_; }

  // Equal views have equal digests in every process; unequal ones differ but for 1 in 2^64.
  std::uint64_t digest() const { return digest_; }

  // Ascending by process.
  std::span<const Exception> exceptions() const {
    return exceptions_ ? std::span<const Exception>(*exceptions_) : std::span<const Exception>();
  }

  friend bool operator==(const View& a, const View& b);

 private:
  Record find(ProcessId process) const;

  std::uint64_t digest_ = 0;  // exclusive or over the exceptions, so it follows each change in O(1)
  std::uint64_t sequence_ = 0;
  // Null as long as there are none: a million processes have a view each, most of them empty.
  std::unique_ptr<std::vector<Exception>> exceptions_;
};

}  // namespace holdfast
