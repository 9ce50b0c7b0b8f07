// The clauses of PROTOCOL.md, sections 3 to 6, in the order in which a frame meets them. How news
// leaves is in membership_spread.cpp, the own domain in membership_domain.cpp, what is to be sent
// in membership_poll.cpp.
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
                              from.detection.timeout})),
      phase(from.phase),
      rejoining(from.rejoining) {
  HOLDFAST_ASSERT(settings.propagation != nullptr);
}

Membership::Membership(const MembershipOptions& options, const Roster& roster,
                       MembershipMemory& memory)
    : roster_(roster),
      self_(options.self),
      incarnation_(options.incarnation),
      hears_news_(news_stands_for_heartbeats(options.detection)),
      backstop_(options.backstop),
      rest_(std::make_unique<Rest>(options, memory)) {
  HOLDFAST_ASSERT(options.self.value < roster.processes());
  const bool known =
      make_detector(detector_, options.detector, options.detection, roster.domain_of(options.self));
  HOLDFAST_ASSERT(known);
}

Membership::~Membership() {
  rest_->memory.told.forget();
  if (rest_->pending == nullptr) return;
  *rest_->pending = Pending{};
  rest_->memory.pending.give(*rest_->pending);
}

DisseminationOptions Membership::dissemination_options() const {
  return {.acknowledged = backstop_,
          .retransmission_timeout = rest_->settings.retransmission_timeout,
          .entries_max =
              std::max(kEntriesMin, rest_->settings.propagation->targets_max(roster_.domains()))};
}

// What is under way, which it is from now on.
Pending& Membership::pending() {
  if (rest_->pending == nullptr) {
    rest_->pending = &rest_->memory.pending.take();
    rest_->pending->dissemination.continue_for(dissemination_options(), rest_->evicted);
    // Whoever had it before may have left it in the middle of something.
    rest_->pending->join_attempts = 0;
    rest_->pending->asked = kNoProcess;
    rest_->pending->next_join = rest_->pending->join_until = Time::never();
    rest_->pending->left_by = 0;
    rest_->pending->leave_known = false;
    rest_->pending->silence_ends = Time::never();
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

bool Membership::handle_rare(Time now, Time at, const Header& header, const Body& body,
                             bool newest) {
  if (is_for_earlier_boot(header)) {
    introduce(header);
    return false;
  }
  handle_any(now, at, header, body, newest);
  return true;
}

// Tells the sender which boot of ours it is speaking to. It is addressed in the life that it named,
// without being believed: if that is its present one, what it says next is for us. Who brings news
// has others to learn from, and brings it again.
void Membership::introduce(const Header& header) {
  const bool asks = header.type != FrameType::notice && header.type != FrameType::acknowledgement;
  if (fenced_ || !asks) return;
  owe({FrameType::difference, header.sender, 0, 0, {0}, backstop_, {}, header.sender_incarnation});
  refresh_due();
}

void Membership::handle_any(Time now, Time at, const Header& header, const Body& body,
                            bool newest) {
  if (fenced_) return;
  const std::uint64_t before = view_.sequence();
  const Incarnation as_before = incarnation_;
  const bool spoke = agent_;
  const bool stale = hear_sender(header);
  const bool new_sender = view_.sequence() > before;
  const bool for_us = boot_of(header.receiver_incarnation) == boot_of(incarnation_);
  const bool counts = !stale && for_us;
  bool unlike = header.digest != view_.digest() && backstop_;
  if (counts && newest && has_body(header.type) && !body.sender_joining) {
    detector_->other_frame(at, header.sender, ring());
  }
  switch (header.type) {
    case FrameType::heartbeat:
      if (counts) detector_->heartbeat(at, header.sender, ring());
      break;
    case FrameType::observe:
      if (counts && agent_) detector_->observe(now, header.sender, ring());
      break;
    case FrameType::notice:
      merge_runs(body.runs);
      if (backstop_) {
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
      if (counts && rest_->pending != nullptr) hear_acknowledgement(now, header.sender, body);
      unlike = false;
      break;
    case FrameType::difference:
    case FrameType::join:
      merge_runs(body.runs);
      unlike = body.answer_wanted &&
               (header.type == FrameType::join || (backstop_ && header.digest != view_.digest()) ||
                takes_us_for_joining(header.sender));
      break;
  }
  if (stale || unlike) {
    const bool first_word = backstop_ && header.type < FrameType::notice;
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
  if (body.broadcast.named() && header.type == FrameType::notice && (spoke || relays())) {
    pass_on(body, news);
  }
  if (joining_ && header.type >= FrameType::difference) hear_answer(now, header.sender, body);
  refresh_due();
}

void Membership::hear_acknowledgement(Time now, ProcessId sender, const Body& body) {
  Pending& open = pending();
  open.dissemination.acknowledged(sender, body.after, body.upto, body.broadcast);
  if (!leaving_) return;
  if (body.after < open.left_by && open.left_by <= body.upto) open.leave_known = true;
  wait_for_answers(now);
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

void Membership::merge_runs(std::span<const Run> runs) {
  for (const Run& run : runs) {
    const Record record{run.incarnation, run.state};
    // Nearly every copy but the first says nothing new. What it says of us may ask for an answer.
    const bool of_us = self_.value - run.first.value < run.count;
    if (!of_us && view_.covers(run.first, run.count, record)) continue;
    // Of many processes in one program it is in no cache, and the view takes a while.
    __builtin_prefetch(rest_.get(), 1);
    if (concerns_domain(run)) {
      for (std::uint32_t i = 0; i < run.count; ++i) merge({run.first.value + i}, record);
    } else {
      merge_elsewhere(run, record);
    }
  }
}

bool Membership::concerns_domain(const Run& run) const {
  const DomainId own = domain();
  for (std::uint32_t i = 0; i < run.count; ++i) {
    if (roster_.domain_of({run.first.value + i}) == own) return true;
  }
  return false;
}

// Of processes of other domains, all at once.
void Membership::merge_elsewhere(const Run& run, Record record) {
  const std::uint64_t before = view_.sequence();
  rest_->memory.views.merge(view_, run.first, run.count, record);
  for (const View::Exception& exception : view_.exceptions(run.first, run.count)) {
    if (exception.changed > before) note_change(exception.process, record);
  }
}

void Membership::merge(ProcessId process, Record record, bool own_verdict) {
  if (process == self_ && record > Record{incarnation_, MemberState::alive}) {
    refute(record);
    return;
  }
  const Incarnation known = view_.of(process).incarnation;
  if (!view_.merge(process, record)) return;
  note_change(process, record, own_verdict);
  if (!is_local(process)) return;
  if (record.state == MemberState::left) set_local(process, LocalState::down);
  if (!is_live(record)) return;
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
  if (leaving_) return;  // others say of us what we said
  incarnation_ = next(record.incarnation);
  const Record own{incarnation_, joining_ ? MemberState::joining : MemberState::alive};
  // Where no incarnation is left there is nothing to say.
  if (view_.merge(self_, own)) note_change(self_, own);
}

void Membership::note_change(ProcessId process, Record record, bool own_verdict) {
  pending().changes.push_back({process, record, own_verdict});
  changed_ = true;
}

// Of the live processes of a domain: a verdict on them is held from now on, or no more. The view
// has nothing of it, and nobody else is told (4.9). Whose new life has just been noted was not
// suspected in it.
void Membership::note_suspicion(DomainId domain, bool suspected) {
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    const ProcessId process = roster_.member(domain, i);
    Record record = view_.of(process);
    if (!is_live(record)) continue;
    if (suspected) record.state = MemberState::suspected;
    const std::vector<Change>& noted = pending().changes;
    if (std::find(noted.begin(), noted.end(), Change{process, record}) != noted.end()) continue;
    note_change(process, record);
  }
}

void Membership::judge(Time now, DomainId dead) {
  const std::uint64_t before = view_.sequence();
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    const ProcessId process = roster_.member(dead, i);
    const Record known = view_.of(process);
    if (is_live(known)) merge(process, {known.incarnation, MemberState::failed}, true);
  }
  if (view_.sequence() > before) on_news(now, before, kNoProcess, true);
}

// What the changes after `before` have made of the processes that they concern, ascending; until
// the next call of any membership of the thread. Each change of the view was noted, so these are
// the last that were, and a view may have many exceptions that are older.
std::span<const View::Exception> Membership::changed_since(std::uint64_t before) {
  const std::vector<Change>& noted = pending().changes;
  std::vector<View::Exception>& fresh = rest_->memory.fresh;
  fresh.clear();
  const std::uint64_t count = view_.sequence() - before;
  HOLDFAST_ASSERT(count <= noted.size());
  for (const Change& change : std::span(noted).last(count)) {
    const View::Exception& exception = view_.exceptions(change.process, 1).front();
    const auto place =
        std::ranges::lower_bound(fresh, change.process, {}, &View::Exception::process);
    if (place == fresh.end() || place->process != change.process) fresh.insert(place, exception);
  }
  return fresh;
}

void Membership::on_news(Time now, std::uint64_t before, ProcessId source, bool own_verdict,
                         const Broadcast& brought_by) {
  rest_->memory.views.share(view_);
  if (leaving_) wait_for_answers(now);
  const bool was_agent = agent_;
  std::uint64_t after = before;
  const std::span<const View::Exception> fresh = changed_since(before);
  for (const View::Exception& exception : fresh) {
    if (is_live(exception.record)) continue;
    if (is_local(exception.process) && up(exception.process)) continue;
    const auto unheard = pending().dissemination.forget(exception.process);
    // What our speaker was told and may not have heard is told to the next one.
    if (unheard && !was_agent && is_local(exception.process)) after = std::min(after, *unheard);
  }
  update_role(now);
  detector_->view_changed(now, ring());
  for (const View::Exception& exception : fresh) {
    if (!is_live(exception.record) || exception.process == self_) continue;
    detector_->new_life(now, exception.process, ring());
  }
  if (was_agent || relays()) {
    if (!brought_by.named() || after < before) start_spreading(after);
    tell_domain(before, source);
  } else if (after < before) {
    hand_on(after);
  } else if (const ProcessId speaker = local_agent(); !own_verdict && speaker != source) {
    // The agent saw its node's deaths itself; what reached only us it has to hear.
    tell_speaker(before, brought_by);
  }
}

// Who speaks for us from now on may not have heard the changes after `after`.
void Membership::hand_on(std::uint64_t after) {
  if (relays()) {
    start_spreading(after);
  } else {
    tell_speaker(after);
  }
}

void Membership::tell_speaker(std::uint64_t after, const Broadcast& broadcast) {
  const ProcessId speaker = local_agent();
  if (speaker == kNoProcess || speaker == self_) return;
  tell({&speaker, 1}, after, view_.sequence(), broadcast);
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

std::uint64_t Membership::state_hash() const {
  std::uint64_t h = mix64(view_.digest() ^ incarnation_.value);
  h = mix64(h ^ detector_->hash());
  h = mix64(h ^
            (rest_->pending != nullptr ? rest_->pending->dissemination.hash() : rest_->evicted));
  if (rest_->settings.propagation->cubes(roster_.domains()) > 0) {
    h = mix64(h ^ (rest_->heard_broadcasts ? rest_->heard_broadcasts->hash() : 0) ^
              rest_->broadcasts);
  }
  h = mix64(h ^ (agent_ ? 1u : 0u) ^ (joining_ ? 2u : 0u) ^ (fenced_ ? 4u : 0u) ^
            (leaving_ ? 8u : 0u));
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    h = mix64(h ^ static_cast<std::uint64_t>(local_state(i)));
  }
  return h;
}

std::uint64_t Membership::hash() const {
  std::uint64_t h = state_hash();
  for (const std::uint64_t count :
       {heartbeats_, rest_->counts.observes, rest_->counts.notices, rest_->counts.local_notices,
        rest_->counts.repeats, rest_->counts.acknowledgements, rest_->counts.differences}) {
    h = mix64(h ^ count);
  }
  return h;
}

}  // namespace holdfast
