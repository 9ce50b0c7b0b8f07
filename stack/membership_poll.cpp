// What a membership wants to send, and when it has to be asked again (PROTOCOL.md, section 6).
#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/collect.hpp"
#include "stack/membership.hpp"

namespace holdfast {

// Keeps due_ what next_deadline promises. In the steady state only the detector has deadlines.
void Membership::refresh_due() {
  if (quiet_) {
    due_ = detector_->next_deadline();
    return;
  }
  const Pending& open = pending();
  const bool owing = !open.to_watch.empty() || !open.answers.empty();
  quiet_ = !owing && open.dissemination.idle() && !joining_ && !fenced_ && !handing_over();
  due_ = std::min(detector_->next_deadline(), open.dissemination.next_deadline());
  if (joining_) due_ = std::min({due_, pending().next_join, pending().join_until});
  if (leaving_ && !open.dissemination.idle()) due_ = std::min(due_, open.silence_ends);
  if (owing) due_ = Time{0};
  if (fenced_) due_ = Time::never();
  settle();
}

[[gnu::always_inline]] inline bool Membership::poll_detector(Time now, MembershipAction& action) {
  action.kind = MembershipAction::Kind::frame;
  action.receiver = {};
  DetectorAction wanted;
  while (detector_->poll(now, ring(), wanted)) {
    action.to = wanted.process;
    switch (wanted.kind) {
      case DetectorAction::Kind::heartbeat:
        if (wanted.process == self_) break;  // the view takes another for the agent
        ++heartbeats_;
        action.type = FrameType::heartbeat;
        return true;
      case DetectorAction::Kind::observe:
        ++rest_->counts.observes;
        action.type = FrameType::observe;
        return true;
      case DetectorAction::Kind::probe:
        owe({FrameType::difference, wanted.process, 0, 0, {0}, true, {}});
        break;
      case DetectorAction::Kind::verdict:
        judge(now, wanted.domain);
        break;
      case DetectorAction::Kind::suspicion:
        note_suspicion(wanted.domain, true);
        break;
      case DetectorAction::Kind::trust:
        note_suspicion(wanted.domain, false);
        break;
    }
  }
  return false;
}

bool Membership::poll_due(Time now, std::span<Run> scratch, MembershipAction& action) {
  const bool found =
      (quiet_ && poll_detector(now, action)) || (!quiet_ && poll_all(now, scratch, action));
  refresh_due();
  return found;
}

bool Membership::poll_all(Time now, std::span<Run> scratch, MembershipAction& action) {
  if (std::vector<ProcessId>& to_watch = pending().to_watch; !to_watch.empty()) {
    action.kind = MembershipAction::Kind::watch;
    action.to = to_watch.back();
    to_watch.pop_back();
    return true;
  }
  poll_join(now);
  if (leaving_ && pending().silence_ends <= now) pending().dissemination.forget_all();
  // The detector first: its verdicts make news, and news is what notices carry.
  return poll_detector(now, action) || poll_answers(scratch, action) || poll_notices(now, action);
}

// Whoever takes another for our domain's speaker counts our heartbeats only.
void Membership::note_told(ProcessId process) {
  if (!handing_over()) detector_->told(process);
}

bool Membership::poll_answers(std::span<Run> scratch, MembershipAction& action) {
  std::vector<Answer>& answers = pending().answers;
  if (answers.empty()) return false;
  Answer& answer = answers.front();
  action = {MembershipAction::Kind::frame, answer.type, answer.to, {}, answer.receiver};
  note_told(answer.to);
  if (answer.type == FrameType::acknowledgement) {
    action.body.after = answer.after;
    action.body.upto = answer.upto;
    action.body.broadcast = answer.broadcast;
    ++rest_->counts.acknowledgements;
    answers.erase(answers.begin());
    return true;
  }
  const Collected collected = collect_from(view_, answer.next, scratch);
  action.body.runs = collected.runs;
  action.body.sender_joining = joining_;
  action.body.more_follows = !collected.complete;
  // Only the last frame asks back: before it the receiver cannot know what is missing here.
  action.body.answer_wanted = answer.answer_wanted && collected.complete;
  ++rest_->counts.differences;
  if (collected.complete) {
    answers.erase(answers.begin());
  } else {
    answer.next = collected.next;
  }
  return true;
}

bool Membership::poll_notices(Time now, MembershipAction& action) {
  Dissemination& dissemination = pending().dissemination;
  const auto order = dissemination.poll(now);
  if (!order) return false;
  const bool named = order->broadcast.named();
  ChangesForMany& told = rest_->memory.told;
  const CollectedChanges collected =
      named ? told.collect(view_, order->after, order->upto, kRunsOfBroadcastMax)
            : told.collect(view_, order->after, view_.sequence(), kRunsMax);
  dissemination.sent(*order, collected.upto, now);
  note_told(order->to);
  if (order->repeated) {
    ++rest_->counts.repeats;
  } else {
    ++(is_local(order->to) ? rest_->counts.local_notices : rest_->counts.notices);
  }
  action = {MembershipAction::Kind::frame, FrameType::notice, order->to, {}, {}};
  action.body.after = order->after;
  action.body.upto = collected.upto;
  action.body.runs = collected.runs;
  action.body.broadcast = order->broadcast;
  return true;
}

bool Membership::steady() const {
  if (fenced_) return true;
  const bool idle = rest_->pending == nullptr ||
                    (rest_->pending->to_watch.empty() && rest_->pending->answers.empty() &&
                     rest_->pending->dissemination.idle());
  return !joining_ && idle && !handing_over() && detector_->steady();
}

std::uint64_t Membership::advance(std::uint64_t periods) {
  HOLDFAST_ASSERT(steady());
  if (fenced_) return 0;
  const Detector::Advance sent = detector_->advance(periods, ring());
  refresh_due();
  heartbeats_ += sent.heartbeats;
  // A probe to the dead carries the whole difference, in as many frames as that takes.
  const std::uint64_t probe_frames = sent.probes * difference_frames(view_);
  rest_->counts.differences += probe_frames;
  return sent.heartbeats + probe_frames;
}

FrameCounts Membership::counts() const {
  FrameCounts counts = rest_->counts;
  counts.heartbeats = heartbeats_;
  return counts;
}

}  // namespace holdfast
