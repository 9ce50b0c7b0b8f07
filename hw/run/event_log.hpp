// What a process came to believe, and when: one line a change, written when it happens, so that
// kill -9 loses nothing that was known. `monotonic_ns,process,incarnation,state` is the header
// line; lines that begin with '#' are notes, such as the counters at the end.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/member_state.hpp"
#include "stack/base/status.hpp"
#include "stack/base/time.hpp"
#include "stack/membership.hpp"

namespace holdfast::hw {

// "joining", "alive", "suspected", "failed", "left", "committed".
std::string_view name_of(MemberState state);

struct BeliefEvent {
  Time at;
  ProcessId process;
  Incarnation incarnation;
  MemberState state = MemberState::alive;

  friend bool operator==(const BeliefEvent&, const BeliefEvent&) = default;
};

// Who is told what a process comes to believe, when it does.
class BeliefLog {
 public:
  virtual ~BeliefLog() = default;
  // All changes of one turn, which may be none.
  virtual void write(Time at, std::span<const Membership::Change> changes) = 0;
  // False: it could not keep all that it was told, and the process is to end.
  virtual bool is_whole() const { return true; }
};

// What cannot be written (a full disk, a reader that is gone) ends it where it is; status() tells.
class EventLog final : public BeliefLog {
 public:
  // Writes to a descriptor that is open for appending and stays its owner's; -1: nowhere. An error
  // says that `name` cannot be written.
  explicit EventLog(int descriptor, std::string name = "the event log");

  // One write for all of a turn's changes.
  void write(Time at, std::span<const Membership::Change> changes) override;
  // Each line of `text` as a note.
  void write_notes(std::string_view text);
  bool is_whole() const override { return status_.is_ok(); }
  const Status& status() const { return status_; }

 private:
  void flush();

  int descriptor_;
  std::string name_;
  Status status_ = Status::ok();
  std::string buffer_;
};

struct ParsedLog {
  std::vector<BeliefEvent> events;
  std::string notes;  // without the marks
};

// An error names the line. A last line without its end, which a kill may leave, is left out.
Status parse_event_log(std::string_view text, ParsedLog& parsed);

}  // namespace holdfast::hw
