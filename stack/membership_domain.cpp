// A process in its domain: who of it runs, who speaks for it, and how one that starts joins
// (PROTOCOL.md, section 7).

#include "stack/base/assert.hpp"
#include "stack/membership.hpp"

namespace holdfast {

void Membership::start(Time now) {
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    const ProcessId process = roster_.member(domain(), i);
    if (process != self_) watch(process);
  }
  if (rest_->rejoining) {
    joining_ = true;
    set_local(self_, LocalState::starting);
    quiet_ = false;
    pending().next_join = now;
    pending().join_until = now + rest_->settings.detection_timeout;
    merge(self_, {incarnation_, MemberState::joining});
  } else if (local_agent() == self_) {
    agent_ = true;
    detector_->start(now, DetectorStart::with_everyone, rest_->phase, ring());
  }
  refresh_due();
}

void Membership::set_local(ProcessId local, LocalState state) {
  if (local_state(local_index(local)) == state) return;
  if (!rest_->local) rest_->local = std::make_unique<LocalState[]>(roster_.domain_size());
  rest_->local[local_index(local)] = state;
  quiet_ = false;
}

std::uint32_t Membership::local_index(ProcessId process) const {
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    if (roster_.member(domain(), i) == process) return i;
  }
  HOLDFAST_ASSERT(false);
}

// Of its own domain a process knows from the operating system who runs; the view may be mistaken.
// Who has just started leaves the work to the next until it is active.
ProcessId Membership::local_agent() const {
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    if (local_state(i) == LocalState::active) return roster_.member(domain(), i);
  }
  return kNoProcess;
}

// Whether a process starts that will be the agent, so that its first word as such has to be heard.
bool Membership::handing_over() const {
  for (std::uint32_t i = 0; rest_->local && i < roster_.domain_size(); ++i) {
    if (runs(i)) return local_state(i) == LocalState::starting;
  }
  return false;
}

// Whether a process of our domain asks as its agent, though we are: it learned of our life from
// others, and not that we have long been active.
bool Membership::takes_us_for_joining(ProcessId sender) const {
  return agent_ && is_local(sender) && local_index(sender) > local_index(self_);
}

// Whether a process of our domain is active: only agents send heartbeats and requests, and a
// difference says so of its sender. True if that is new.
bool Membership::hear_local(const Header& header, const Body& body) {
  const bool difference = header.type == FrameType::difference || header.type == FrameType::join;
  if (!difference && header.type > FrameType::observe) return false;
  const LocalState before = local_state(local_index(header.sender));
  const bool joins = difference && body.sender_joining;
  const LocalState said = joins ? LocalState::starting : LocalState::active;
  if (before == said || before == LocalState::down) return false;
  set_local(header.sender, said);
  return true;
}

// An answer to our join, or somebody who joins as we do.
void Membership::hear_answer(Time now, ProcessId sender, const Body& body) {
  if (!body.sender_joining) {
    // Not before the last frame: until then it knows less than who greets it.
    if (body.more_follows) return;
    if (!body.answer_wanted || is_local(sender)) {
      become_active(now);
      return;
    }
    // It has only introduced itself, for our join named a life of it before this one, and told it
    // nothing (2.8). Asked again it hears of all who start here together, and announces them once.
    pending().asked = sender;
    pending().next_join = now + rest_->settings.retransmission_timeout;
    owe({FrameType::join, sender, 0, 0, {0}, true, {}});
  } else if (sender == pending().asked && pending().join_attempts <= roster_.domain_size()) {
    // The whole node is starting: do not wait for those who know no more. Who was not asked yet
    // will be, so that all of the node are announced at once.
    pending().next_join = now;
  }
}

// Clause 7.5.
void Membership::leave(Time now) {
  if (fenced_ || leaving_) return;
  leaving_ = true;
  joining_ = false;
  const std::uint64_t before = view_.sequence();
  const Record own{incarnation_, MemberState::left};
  view_.merge(self_, own);
  pending().left_by = view_.sequence();
  note_change(self_, own);
  set_local(self_, LocalState::down);
  const bool spoke = agent_;
  on_news(now, before, kNoProcess, false);
  // Those of its own node would otherwise hear of its end first, from their system.
  if (!spoke) tell_domain(before, kNoProcess);
  refresh_due();
}

// There is something to wait for, or somebody has answered. Once anybody knows that we left all
// will hear it: then repetitions are for frames that were lost, and before it for one who was
// silent for as long as the living may be.
void Membership::wait_for_answers(Time now) {
  const MembershipSettings& settings = rest_->settings;
  pending().silence_ends = now + 3 * settings.retransmission_timeout +
                           (pending().leave_known ? Duration{0} : settings.detection_timeout);
}

void Membership::process_ended(Time now, ProcessId process) {
  if (fenced_ || !is_local(process) || !up(process)) return;
  set_local(process, LocalState::down);
  const std::uint64_t before = view_.sequence();
  const Record known = view_.of(process);
  // Nobody tells us, who have left, of those who leave after us.
  if (is_live(known) && !leaving_) merge(process, {known.incarnation, MemberState::failed}, true);
  if (view_.sequence() > before) {
    on_news(now, before, kNoProcess, true);
  } else {
    const bool was_agent = agent_;
    const auto unheard =
        rest_->pending == nullptr ? std::nullopt : rest_->pending->dissemination.forget(process);
    update_role(now);
    if (unheard && !was_agent) hand_on(*unheard);
  }
  refresh_due();
}

void Membership::update_role(Time now) {
  const bool agent_now = !joining_ && !fenced_ && local_agent() == self_;
  if (agent_now == agent_) return;
  agent_ = agent_now;
  if (!agent_) {
    detector_->stop();
    return;
  }
  detector_->start(now, DetectorStart::taking_over, Duration{0}, ring());
  // What the agent before us had still to pass on within the node is not known: compare.
  greet_domain(backstop_);
}

// Tells the others of the domain that we are active.
void Membership::greet_domain(bool answer_wanted) {
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    const ProcessId process = roster_.member(domain(), i);
    if (process == self_ || !runs(i)) continue;
    owe({FrameType::difference, process, 0, 0, {0}, answer_wanted, {}});
  }
}

void Membership::become_active(Time now) {
  joining_ = false;
  pending().next_join = pending().join_until = Time::never();
  pending().join_attempts = 0;
  set_local(self_, LocalState::active);
  merge(self_, {incarnation_, MemberState::alive});
  update_role(now);
  if (!agent_) greet_domain(false);
}

void Membership::poll_join(Time now) {
  if (!joining_) return;
  if (pending().join_until <= now) {
    rest_->unanswered = true;
    become_active(now);
    return;
  }
  if (pending().next_join > now) return;
  pending().next_join = now + rest_->settings.retransmission_timeout;
  const ProcessId candidate = join_candidate();
  ++pending().join_attempts;
  if (candidate != kNoProcess && candidate != self_) {
    pending().asked = candidate;
    owe({FrameType::join, candidate, 0, 0, {0}, true, {}});
  }
}

// Whom to ask: those of the own node first, by rank, then outwards along the ring.
ProcessId Membership::join_candidate() const {
  std::uint32_t turn = rest_->pending->join_attempts;
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    const ProcessId process = roster_.member(domain(), i);
    if (process == self_ || !runs(i)) continue;
    if (turn-- == 0) return process;
  }
  const Ring around = ring();
  const std::uint32_t steps = turn % around.size() + 1;
  const Position position = around.moved(roster_.position_of(domain()), steps);
  return around.speaker(roster_.domain_at(position));
}

}  // namespace holdfast
