// Whether a program that has just received something is about to answer it. If it is, the
// acknowledgement is better left to the answer, which takes it along in its datagram: a system call
// and a frame less for each of the two. If it is not, its sender waits for nothing.
//
// Programs that answer do so again and again, and at once. So one is believed to when it has done
// so several times in a row; who was believed in vain has to do it twice as often the next time.
#pragma once

#include <cstdint>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"

namespace holdfast::reliable {

class AnswerHabit {
 public:
  // From the first return after it was owed to the answer: a program that only looks at what it has
  // received, which may take another call or two.
  static constexpr Duration kAtOnce = microseconds(20);
  // Later ones are answers to somebody who had better known before; between the two nothing is
  // learned, as a processor may have been away.
  static constexpr Duration kInVain = microseconds(50);
  // Answers at once in a row until one is expected: at first, and after many that did not come.
  static constexpr std::uint32_t kFirst = 4, kMost = 64;

  bool expects_answer() const { return answers_ >= enough_; }
  // A call returns to the program, at `now`: `peer` was owed a short acknowledgement, which it has
  // had, or which is kept for the answer. What is kept already has been so since then.
  void returned(ProcessId peer, bool is_kept, Time now);
  // The program sends a short message to `peer`: an answer, if that was owed something.
  void sent(ProcessId peer, Time now);
  // What was owed was acknowledged without an answer, or the program does something else.
  void gave_up();

  // An acknowledgement is kept, since then.
  bool keeps() const { return is_kept_; }
  Time since() const { return since_; }

 private:
  void end(bool is_wrong);

  ProcessId peer_ = kNoProcess;  // that was owed; kNoProcess: none, or it has been answered
  bool is_kept_ = false;
  Time since_;
  std::uint32_t answers_ = 0;  // at once, in a row; counted up to kMost
  std::uint32_t enough_ = kFirst;
};

}  // namespace holdfast::reliable
