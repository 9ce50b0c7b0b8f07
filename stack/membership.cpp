// The clauses of PROTOCOL.md, sections 3 to 7, in the order in which a frame meets them; how news
// leaves is in membership_spread.cpp.
#include "stack/membership.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"
#include "stack/collect.hpp"

namespace holdfast {

namespace {

// More than a process can owe in a sane moment; beyond it the oldest debt is dropped, and the
// digest in the next heartbeat asks again.
constexpr std::size_t kAnswersMax = 256;

// Receivers that may be waiting for an acknowledgement at once; more only where a topology has more
// targets.
constexpr std::uint32_t kEntriesMin = 128;

}  // namespace

const MembershipSettings& MembershipMemory::shared(const MembershipSettings& wanted) {
  const auto known = std::ranges::find(settings, wanted);
  return known != settings.end() ? *known : settings.emplace_front(wanted);
}

Membership::Rest::Rest(const MembershipOptions& from, MembershipMemory& shared)
    : memory(shared),
      settings(shared.shared({find_propagation(from.propagation), from.retransmission_timeout,
                              from.detection.timeout, from.backstop})),
      phase(from.phase),
      rejoining(from.rejoining) {
  HOLDFAST_ASSERT(settings.propagation != nullptr);
}

Membership::Membership(const MembershipOptions& options, const Roster& roster,
                       MembershipMemory& memory)
    : roster_(roster),
      self_(options.self),
      incarnation_(options.incarnation),
      rest_(std::make_unique<Rest>(options, memory)) {
  HOLDFAST_ASSERT(options.self.value < roster.processes());
  const bool known =
      make_detector(detector_, options.detector, options.detection, roster.domain_of(options.self));
  HOLDFAST_ASSERT(known);
}

Membership::~Membership() {
  if (rest_->pending == nullptr) return;
  *rest_->pending = Pending{};
  rest_->memory.pending.give(*rest_->pending);
}

DisseminationOptions Membership::dissemination_options() const {
  return {.acknowledged = rest_->settings.backstop,
          .retransmission_timeout = rest_->settings.retransmission_timeout,
          .entries_max =
              std::max(kEntriesMin, rest_->settings.propagation->targets_max(roster_.domains()))};
}

// What is under way, which it is from now on.
Pending& Membership::pending() {
  if (rest_->pending == nullptr) {
    rest_->pending = &rest_->memory.pending.take();
    rest_->pending->dissemination.continue_for(dissemination_options(), rest_->evicted);
  }
  return *rest_->pending;
}

// Once nothing is under way any more somebody else may have the memory.
void Membership::settle() {
  if (rest_->pending == nullptr || !quiet_ || changed_) return;
  rest_->evicted = rest_->pending->dissemination.evicted();
  rest_->memory.pending.give(*rest_->pending);
  rest_->pending = nullptr;
}

void Membership::clear_changes() {
  if (!changed_) return;
  changed_ = false;
  rest_->pending->changes.clear();
  settle();
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
    pending().join_until = now + rest_->settings.join_timeout;
    merge(self_, {incarnation_, MemberState::joining});
  } else if (local_agent() == self_) {
    agent_ = true;
    detector_->start(now, DetectorStart::with_everyone, rest_->phase, ring());
  }
  refresh_due();
}

// Nearly every frame is a heartbeat of a life that is known, with a view like ours, to one who has
// nothing to say: of all that handle_any may do, only the detector hears of it
// (3.6, 3.7, 4.2, 6.5).
void Membership::handle(Time now, Time at, const Header& header, const Body& body) {
  const Record sender = view_.of(header.sender);
  if (!quiet_ || header.type != FrameType::heartbeat || header.digest != view_.digest() ||
      header.receiver_incarnation != incarnation_ ||
      header.sender_incarnation != sender.incarnation || !is_live(sender)) {
    handle_any(now, at, header, body);
    return;
  }
  detector_->heartbeat(at, header.sender, ring());
  due_ = detector_->next_deadline();
}

void Membership::handle_any(Time now, Time at, const Header& header, const Body& body) {
  if (fenced_) return;
  const std::uint64_t before = view_.sequence();
  const Incarnation as_before = incarnation_;
  const bool spoke = agent_;
  const bool stale = hear_sender(header);
  const bool new_sender = view_.sequence() > before;
  // What was meant for an earlier boot of ours may be replayed; without the backstop nobody may
  // have told the sender of this one.
  const bool for_us = boot_of(header.receiver_incarnation) == boot_of(incarnation_);
  const bool counts = !stale && (for_us || !rest_->settings.backstop);
  bool unlike = header.digest != view_.digest() && rest_->settings.backstop;
  switch (header.type) {
    case FrameType::heartbeat:
      if (counts) detector_->heartbeat(at, header.sender, ring());
      break;
    case FrameType::observe:
      if (counts && agent_) detector_->observe(now, header.sender, ring());
      break;
    case FrameType::notice:
      merge_runs(body.runs);
      if (rest_->settings.backstop) {
        owe({FrameType::acknowledgement,
             header.sender,
             body.after,
             body.upto,
             {},
             false,
             body.broadcast});
      }
      unlike = false;
      break;
    case FrameType::acknowledgement:
      if (counts && rest_->pending != nullptr) {
        rest_->pending->dissemination.acknowledged(header.sender, body.after, body.upto,
                                                   body.broadcast);
      }
      unlike = false;
      break;
    case FrameType::difference:
    case FrameType::join:
      merge_runs(body.runs);
      unlike =
          body.answer_wanted && (header.type == FrameType::join ||
                                 (rest_->settings.backstop && header.digest != view_.digest()) ||
                                 takes_us_for_joining(header.sender));
      break;
  }
  if (stale || unlike) {
    const bool first_word = rest_->settings.backstop && header.type < FrameType::notice;
    owe({FrameType::difference, header.sender, 0, 0, {0}, first_word, {}});
  }
  const bool local_changed = !stale && is_local(header.sender) && hear_local(header, body);
  const bool news = view_.sequence() > before;
  // What a notice brought travels on under its name; what its sender's life and our refutation add
  // begins here.
  const bool begins_here = new_sender || incarnation_ != as_before;
  if (news) {
    on_news(now, before, header.sender, false, begins_here ? Broadcast{} : body.broadcast);
  } else if (local_changed) {
    update_role(now);
  }
  if (body.broadcast.named() && header.type == FrameType::notice && (spoke || agent_)) {
    pass_on(body, news);
  }
  if (joining_ && header.type >= FrameType::difference) hear_answer(now, body);
  refresh_due();
}

// An answer to our join, or somebody who joins as we do.
void Membership::hear_answer(Time now, const Body& body) {
  if (!body.sender_joining) {
    // Not before the last frame: until then it knows less than who greets it.
    if (!body.more_follows) become_active(now);
  } else if (pending().join_attempts <= roster_.domain_size()) {
    pending().next_join =
        now;  // the whole node is starting: do not wait for those who know no more
  }
}

// Whether a process of our domain asks as its agent, though we are: it learned of our life from
// others, and not that we have long been active.
bool Membership::takes_us_for_joining(ProcessId sender) const {
  return agent_ && is_local(sender) && local_index(sender) > local_index(self_);
}

// What a frame says of its sender by existing: that this life of it runs. True if we know of a
// later life, or hold this one for dead: then the sender has to be told.
bool Membership::hear_sender(const Header& header) {
  const Record known = view_.of(header.sender);
  if (header.sender_incarnation > known.incarnation) {
    merge(header.sender, {header.sender_incarnation, MemberState::alive});
    return false;
  }
  return header.sender_incarnation < known.incarnation || !is_live(known);
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

void Membership::merge_runs(std::span<const Run> runs) {
  for (const Run& run : runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      merge({run.first.value + i}, {run.incarnation, run.state});
    }
  }
}

void Membership::merge(ProcessId process, Record record) {
  if (process == self_ && record > Record{incarnation_, MemberState::alive}) {
    refute(record);
    return;
  }
  const Incarnation known = view_.of(process).incarnation;
  if (!view_.merge(process, record)) return;
  note_change(process, record);
  if (!is_live(record) || !is_local(process)) return;
  const bool ran = up(process);
  if (!ran) watch(process);
  if (!ran || boot_of(record.incarnation) != boot_of(known)) {
    set_local(process, LocalState::starting);
  }
}

// Somebody believes something of us that is not so. We are the one who knows, and a higher
// incarnation is how we say it.
void Membership::refute(Record record) {
  if (record.state == MemberState::committed) {
    fenced_ = true;
    quiet_ = false;
    detector_->stop();
    return;
  }
  incarnation_ = next(record.incarnation);
  const Record own{incarnation_, joining_ ? MemberState::joining : MemberState::alive};
  view_.merge(self_, own);
  note_change(self_, own);
}

void Membership::note_change(ProcessId process, Record record) {
  pending().changes.push_back({process, record});
  changed_ = true;
}

void Membership::process_ended(Time now, ProcessId process) {
  if (fenced_ || !is_local(process) || !up(process)) return;
  set_local(process, LocalState::down);
  const std::uint64_t before = view_.sequence();
  const Record known = view_.of(process);
  if (is_live(known)) merge(process, {known.incarnation, MemberState::failed});
  if (rest_->pending != nullptr) rest_->pending->dissemination.forget(process);
  if (view_.sequence() > before) {
    on_news(now, before, kNoProcess, true);
  } else {
    update_role(now);
  }
  refresh_due();
}

void Membership::judge(Time now, DomainId dead) {
  const std::uint64_t before = view_.sequence();
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    const ProcessId process = roster_.member(dead, i);
    const Record known = view_.of(process);
    if (is_live(known)) merge(process, {known.incarnation, MemberState::failed});
  }
  if (view_.sequence() > before) on_news(now, before, kNoProcess, true);
}

void Membership::on_news(Time now, std::uint64_t before, ProcessId source, bool own_verdict,
                         const Broadcast& brought_by) {
  rest_->memory.views.share(view_);
  for (const View::Exception& exception : view_.exceptions()) {
    if (exception.changed <= before || is_live(exception.record)) continue;
    if (!is_local(exception.process) || !up(exception.process)) {
      pending().dissemination.forget(exception.process);
    }
  }
  const bool was_agent = agent_;
  update_role(now);
  detector_->view_changed(now, ring());
  for (const View::Exception& exception : view_.exceptions()) {
    if (exception.changed <= before || !is_live(exception.record)) continue;
    if (exception.process == self_) continue;
    detector_->new_life(now, exception.process, ring());
  }
  if (was_agent || agent_) {
    if (!brought_by.named()) start_spreading(before);
    tell_domain(before, source);
  } else if (const ProcessId speaker = local_agent();
             !own_verdict && speaker != source && speaker != kNoProcess && speaker != self_) {
    // The agent saw its node's deaths itself; what reached only us it has to hear.
    tell({&speaker, 1}, before, view_.sequence(), brought_by);
  }
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
  greet_domain(rest_->settings.backstop);
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

void Membership::owe(const Answer& answer) {
  std::vector<Answer>& answers = pending().answers;
  if (answers.size() == kAnswersMax) answers.erase(answers.begin());
  answers.push_back(answer);
  quiet_ = false;
}

void Membership::watch(ProcessId process) {
  pending().to_watch.push_back(process);
  quiet_ = false;
}

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
  if (owing) due_ = Time{0};
  if (fenced_) due_ = Time::never();
  settle();
}

bool Membership::poll(Time now, std::span<Run> scratch, MembershipAction& action) {
  if (due_ > now) return false;
  const bool found = poll_due(now, scratch, action);
  refresh_due();
  return found;
}

bool Membership::poll_due(Time now, std::span<Run> scratch, MembershipAction& action) {
  if (quiet_) {
    if (poll_detector(now, action)) return true;
    if (quiet_) return false;
  }
  if (std::vector<ProcessId>& to_watch = pending().to_watch; !to_watch.empty()) {
    action.kind = MembershipAction::Kind::watch;
    action.to = to_watch.back();
    to_watch.pop_back();
    return true;
  }
  poll_join(now);
  // The detector first: its verdicts make news, and news is what notices carry.
  return poll_detector(now, action) || poll_answers(scratch, action) ||
         poll_notices(now, scratch, action);
}

void Membership::poll_join(Time now) {
  if (!joining_) return;
  if (pending().join_until <= now) {
    become_active(now);
    return;
  }
  if (pending().next_join > now) return;
  pending().next_join = now + rest_->settings.retransmission_timeout;
  const ProcessId candidate = join_candidate();
  ++pending().join_attempts;
  if (candidate != kNoProcess && candidate != self_) {
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

bool Membership::poll_detector(Time now, MembershipAction& action) {
  action.kind = MembershipAction::Kind::frame;
  while (const auto wanted = detector_->poll(now, ring())) {
    action.to = wanted->process;
    switch (wanted->kind) {
      case DetectorAction::Kind::heartbeat:
        if (wanted->process == self_) break;  // the view takes another for the agent
        ++heartbeats_;
        action.type = FrameType::heartbeat;
        return true;
      case DetectorAction::Kind::observe:
        ++rest_->counts.observes;
        action.type = FrameType::observe;
        return true;
      case DetectorAction::Kind::probe:
        owe({FrameType::difference, wanted->process, 0, 0, {0}, true, {}});
        break;
      case DetectorAction::Kind::verdict:
        judge(now, wanted->domain);
        break;
    }
  }
  return false;
}

bool Membership::poll_answers(std::span<Run> scratch, MembershipAction& action) {
  std::vector<Answer>& answers = pending().answers;
  if (answers.empty()) return false;
  Answer& answer = answers.front();
  action = {MembershipAction::Kind::frame, answer.type, answer.to, {}};
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

bool Membership::poll_notices(Time now, std::span<Run> scratch, MembershipAction& action) {
  Dissemination& dissemination = pending().dissemination;
  const auto order = dissemination.poll(now);
  if (!order) return false;
  const bool named = order->broadcast.named();
  const CollectedChanges collected =
      named ? collect_changes(view_, order->after, order->upto, scratch.first(kRunsOfBroadcastMax))
            : collect_changes(view_, order->after, view_.sequence(), scratch);
  dissemination.sent(*order, collected.upto, now);
  if (order->repeated) {
    ++rest_->counts.repeats;
  } else {
    ++(is_local(order->to) ? rest_->counts.local_notices : rest_->counts.notices);
  }
  action = {MembershipAction::Kind::frame, FrameType::notice, order->to, {}};
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

std::uint64_t Membership::hash() const {
  std::uint64_t h = mix64(view_.digest() ^ incarnation_.value);
  h = mix64(h ^ detector_->hash());
  h = mix64(h ^
            (rest_->pending != nullptr ? rest_->pending->dissemination.hash() : rest_->evicted));
  if (rest_->settings.propagation->cubes(roster_.domains()) > 0) {
    h = mix64(h ^ (rest_->heard_broadcasts ? rest_->heard_broadcasts->hash() : 0) ^
              rest_->broadcasts);
  }
  h = mix64(h ^ (agent_ ? 1u : 0u) ^ (joining_ ? 2u : 0u) ^ (fenced_ ? 4u : 0u));
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    h = mix64(h ^ static_cast<std::uint64_t>(local_state(i)));
  }
  for (const std::uint64_t count :
       {heartbeats_, rest_->counts.observes, rest_->counts.notices, rest_->counts.local_notices,
        rest_->counts.repeats, rest_->counts.acknowledgements, rest_->counts.differences}) {
    h = mix64(h ^ count);
  }
  return h;
}

}  // namespace holdfast
