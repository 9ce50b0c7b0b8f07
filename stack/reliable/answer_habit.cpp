// What is learned from each answer, and from those that do not come.
#include "stack/reliable/answer_habit.hpp"

#include <algorithm>

namespace holdfast::reliable {

void AnswerHabit::returned(ProcessId peer, bool is_kept, Time now) {
  if (is_kept_) return;
  peer_ = peer;
  is_kept_ = is_kept;
  since_ = now;
}

void AnswerHabit::sent(ProcessId peer, Time now) {
  if (peer_ == kNoProcess) return;
  const Duration took = now - since_;
  if (peer != peer_ || took > kInVain) return end(true);
  if (took <= kAtOnce) answers_ = std::min(answers_ + 1, kMost);
  end(false);
}

void AnswerHabit::gave_up() {
  if (peer_ != kNoProcess) end(true);
}

// Wrong: no answer came, or not at once.
void AnswerHabit::end(bool is_wrong) {
  if (is_wrong && is_kept_) enough_ = std::min(enough_ * 2, kMost);
  if (is_wrong) answers_ = 0;
  peer_ = kNoProcess;
  is_kept_ = false;
}

}  // namespace holdfast::reliable
