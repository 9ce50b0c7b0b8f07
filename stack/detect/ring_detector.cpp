// The heartbeat ring of Bosilca et al. (SC 2016), with positions that may be shuffled and mistakes
// that may be taken back, after Rosso and Francesquini (ERAD-SP 2021).
//
// Think of a circle of people in the dark: each taps the shoulder of the one in front now and then
// (heartbeat, emitter to observer). Who has not been tapped for too long says so aloud, reaches
// back past the one who fell, and tells the next one there: tap me from now on (observe). Having to
// find each other, the two get twice the time at first.
//
//  - Emitter: the nearest live domain before us. Every `period` it sends us a heartbeat.
//  - Whatever else an emitter's speaker sends its observer says as well that it lives: a heartbeat
//    that would leave within a period after it is left out, unless the one before was.
//  - Observer: the nearest live domain behind us. Whoever else says it observes us gets our
//    heartbeats too, and so does for a while who was behind us until somebody came between: it may
//    not have heard of that, and what it believes is compared with what we believe.
//  - Silence of `timeout` after the last sign of life is a verdict; after a change of emitter, or
//  when
//    a new life in its domain becomes known, the first silence may last 2 × timeout. So p
//    consecutive deaths take (2p-1) × timeout.
//  - An observe request goes to whoever speaks for the emitter, then every period to each of its
//    processes until the emitter is heard: its speaker may have died with ours.
//  - A process whose heartbeat is a period or more late was itself away (a busy core, SIGSTOP). It
//    gives its emitter one period more before it judges; after the silence of a timeout it is
//    believed dead and may have lost its emitter to another, and asks it anew.
//  - The positions between our emitter and us are believed dead; every `timeout` one of their
//    processes is probed, so that mistakes and cuts heal even if the one concerned cannot find us.
//    As often one of the other processes of our own domain gets a heartbeat, to compare views.
//  - With `hold` a verdict is told only that much later, or with the next news, or never if its
//    subject is heard; the next emitter is asked at once.
#include <algorithm>
#include <memory>
#include <utility>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"
#include "stack/detect/detector.hpp"
#include "stack/detect/held_verdicts.hpp"

namespace holdfast {

namespace {

class RingDetector final : public Detector {
 public:
  RingDetector(const DetectorOptions& options, DomainId self)
      : period_(options.period),
        timeout_(options.timeout),
        self_(self),
        probes_(options.probes),
        rails_(static_cast<std::uint8_t>(options.rails)) {
    HOLDFAST_ASSERT(options.period > Duration{0} && options.timeout >= 2 * options.period);
    if (options.hold > Duration{0}) held_ = std::make_unique<HeldVerdicts>(options.hold);
    holding_ = held_ != nullptr;
    HOLDFAST_ASSERT(timeout_ / period_ <= UINT32_MAX);
    until_probe_ = probe_ticks_ = static_cast<std::uint32_t>(timeout_ / period_);
    leaves_out_ = news_stands_for_heartbeats(options);
  }

  void start(Time now, DetectorStart how, Duration phase, const Ring& ring) override {
    HOLDFAST_ASSERT(phase >= Duration{0} && phase < period_);
    running_ = true;
    if (holding_) held_->take_all_back();
    next_send_ = now + phase;
    emitter_ = domain_before(ring);
    observer_ = process_after(ring);
    redirected_ = ends_ = spoken_ = left_out_ = false;
    grant_grace(now);
    awaiting_ = false;
    if (how == DetectorStart::taking_over) {
      next_send_ = now;
      ask_emitter(now);
    }
  }

  void stop() override {
    running_ = false;
    if (holding_) held_->take_all_back();
  }

  void heartbeat(Time at, ProcessId from, const Ring& ring) override {
    if (!running_) return;
    const DomainId domain = ring.roster().domain_of(from);
    if (domain == emitter_ ? alone() : !taken_back(domain, ring)) return;
    hear(at);
    awaiting_ = false;
  }

  // Counts where it may stand for a heartbeat. Who has been asked and has not answered yet may not
  // know that we observe it: then only a heartbeat says that it does.
  void other_frame(Time at, ProcessId from, const Ring& ring) override {
    if (!running_ || !leaves_out_) return;
    const DomainId domain = ring.roster().domain_of(from);
    if (from != ring.speaker(domain)) return;
    if (taken_back(domain, ring)) {
      watch_anew(at);
    } else if (domain == emitter_ && !awaiting_ && emitter_ != self_) {
      hear(at);
    }
  }

  void told(ProcessId to) override {
    if (to == observer_) spoken_ = true;
  }

  void observe(Time now, ProcessId from, const Ring& ring) override {
    if (!running_) return;
    if (taken_back(ring.roster().domain_of(from), ring)) watch_anew(now);
    if (from != process_after(ring)) {
      serve_too(from);
      ends_ = false;
    }
    send_at_once(now);
  }

  void view_changed(Time now, const Ring& ring) override {
    if (!running_) return;
    if (holding_) held_->news(now, ring);
    if (const DomainId before = domain_before(ring); before != emitter_) {
      emitter_ = before;
      watch_anew(now);
    }
    follow_view(now, ring);
  }

  void new_life(Time now, ProcessId process, const Ring& ring) override {
    if (!running_) return;
    const DomainId domain = ring.roster().domain_of(process);
    // Whoever is to speak for our own domain gets what is meant for us, before it can use it (7.1).
    const bool takes_our_place = domain == self_ && ring.speaker(self_) == process;
    if (taken_back(domain, ring) || domain == emitter_ || takes_our_place) watch_anew(now);
  }

  bool poll(Time now, const Ring& ring, DetectorAction& action) override {
    if (holding_) {
      if (const auto domain = held_->taken_back()) {
        action = about(DetectorAction::Kind::trust, *domain);
        return true;
      }
    }
    if (!running_) return false;
    if (pending_) {
      action = send_pending();
      return true;
    }
    if (holding_) {
      if (const auto domain = held_->due(now)) {
        action = about(DetectorAction::Kind::verdict, *domain);
        return true;
      }
    }
    if (next_send_ <= now) return send(now, ring, action);
    if (awaiting_ && next_ask_ <= now && ask(now, ring, action)) return true;
    if (deadline_ > now) return false;
    action = judge(now, ring);
    return true;
  }

  Time next_deadline() const override {
    if (!running_) return holding_ ? held_->next_deadline() : Time::never();
    if (pending_) return Time{0};
    Time next = next_send_ < deadline_ ? next_send_ : deadline_;
    if (awaiting_ && next_ask_ < next) next = next_ask_;
    if (holding_ && held_->next_deadline() < next) next = held_->next_deadline();
    return next;
  }

  // A deadline that was put off for our own absence does not say any more when that was.
  Watching watching() const override {
    if (!running_ || emitter_ == self_) return {};
    Watching watching{emitter_, observer_, std::nullopt, deadline_};
    if (heard_ == Heard::yes) watching.heard_at = deadline_ - timeout_;
    return watching;
  }

  // Only with an emitter that has been heard, and without a verdict that waits: anything else leads
  // to a verdict or a correction, which must not be skipped. Who serves two may do so for good.
  bool steady() const override {
    if (!running_) return true;
    const bool settled = !awaiting_ && !pending_ && !spoken_ && !left_out_ && !ends_ &&
                         (heard_ == Heard::yes || emitter_ == self_);
    return settled && (!holding_ || held_->empty());
  }

  Advance advance(std::uint64_t periods, const Ring& ring) override {
    if (!running_) return {};
    const Duration by = period_ * static_cast<std::int64_t>(periods);
    next_send_ += by;
    if (deadline_ != Time::never()) deadline_ += by;
    Advance sent;
    if (observer_ != kNoProcess) sent.heartbeats = periods;
    if (believed_observer(ring) != kNoProcess) sent.heartbeats += periods;
    if (probes_) {
      const std::uint64_t turns = (ticks_ + periods) / probe_ticks_ - ticks_ / probe_ticks_;
      if (dead_before(ring) > 0) sent.probes = turns;
      if (ring.roster().domain_size() > 1) sent.heartbeats += turns;
    }
    serve_left_ -= static_cast<std::uint32_t>(std::min<std::uint64_t>(periods, serve_left_));
    ticks_ += periods;
    until_probe_ = probe_ticks_ - static_cast<std::uint32_t>(ticks_ % probe_ticks_);
    return sent;
  }

  std::uint64_t hash() const override {
    std::uint64_t h = running_ ? 1 : 2;
    if (!running_) return h;
    for (const std::int64_t value :
         {next_send_.ns, deadline_.ns, awaiting_ ? next_ask_.ns : std::int64_t{-1}}) {
      h = mix64(h ^ static_cast<std::uint64_t>(value));
    }
    h = mix64(h ^ emitter_.value);
    h = mix64(h ^ observer_.value);
    if (awaiting_) h = mix64(h ^ (asked_speaker_ ? asked_ + 1 : 0));
    if (holding_) h = mix64(h ^ held_->hash());
    if (redirected_) h = mix64(h ^ (std::uint64_t{serve_left_} << 4 | (ends_ ? 9 : 1)));
    if (spoken_) h = mix64(h ^ 2);
    if (left_out_) h = mix64(h ^ 4);
    return mix64(h ^ ticks_);
  }

 private:
  // Whether the emitter has been heard since it became ours; if not since we were away, it has had
  // the period more that it gets for that.
  enum class Heard : std::uint8_t { no, yes, awaited_longer };

  // Nobody else lives, so no silence becomes a verdict. Asked this way because a heartbeat would
  // touch `self_` for nothing else, and it lies on another line.
  bool alone() const { return deadline_ == Time::never(); }

  void hear(Time at) {
    deadline_ = at + timeout_;
    heard_ = Heard::yes;
  }

  // What goes out in the same turn as the heartbeat that it came with.
  DetectorAction send_pending() {
    if (pending_believed_ != kNoProcess) {
      const ProcessId process = std::exchange(pending_believed_, kNoProcess);
      pending_ = pending_probe_ != kNoProcess || pending_comparison_ != kNoProcess;
      return {DetectorAction::Kind::heartbeat, process, kNoDomain};
    }
    if (pending_probe_ != kNoProcess) {
      const ProcessId process = std::exchange(pending_probe_, kNoProcess);
      pending_ = pending_comparison_ != kNoProcess;
      return {DetectorAction::Kind::probe, process, kNoDomain};
    }
    pending_ = false;
    return {DetectorAction::Kind::heartbeat, std::exchange(pending_comparison_, kNoProcess),
            kNoDomain};
  }

  // The nearest live domain before us; one whose verdict is held counts as dead.
  DomainId domain_before(const Ring& ring) const {
    const Roster& roster = ring.roster();
    Position at = ring.previous_live(roster.position_of(self_));
    while (holding_ && held_->holds(roster.domain_at(at))) at = ring.previous_live(at);
    return roster.domain_at(at);
  }

  // A sign of life: if a verdict on this domain is held it is taken back. True if the domain is
  // our emitter again by that.
  bool taken_back(DomainId domain, const Ring& ring) {
    if (!holding_ || !held_->take_back(domain)) return false;
    const bool again = domain_before(ring) == domain;
    if (again) emitter_ = domain;
    return again;
  }

  // Besides the one who asked us, if the view knows another. One of them is mistaken about who is
  // alive, and until we know which, neither must miss us (4.5).
  ProcessId believed_observer(const Ring& ring) const {
    return redirected_ ? process_after(ring) : kNoProcess;
  }

  void serve_too(ProcessId observer) {
    observer_ = observer;
    redirected_ = true;
    // By then a verdict that it holds is told, and has come to light by a heartbeat of ours.
    const Duration least = timeout_ + (holding_ ? held_->longest() : Duration{0});
    serve_left_ =
        static_cast<std::uint32_t>(std::min<std::int64_t>(least / period_, UINT32_MAX - 1)) + 1;
  }

  void serve_believed(const Ring& ring) {
    redirected_ = ends_ = spoken_ = false;
    observer_ = process_after(ring);
  }

  // Whom we serve now that the view is another (4.5).
  void follow_view(Time now, const Ring& ring) {
    const ProcessId after = process_after(ring);
    if (after == observer_) {
      redirected_ = ends_ = false;
      return;
    }
    const bool lives = observer_ != kNoProcess && ring.view().live(observer_);
    if (redirected_ && lives && serve_left_ > 0) {
      ends_ = true;
      return;
    }
    const Roster& roster = ring.roster();
    const bool comes_between = !redirected_ && lives && after != kNoProcess &&
                               roster.domain_of(after) != roster.domain_of(observer_);
    if (comes_between) {
      serve_too(observer_);
      ends_ = true;
    } else {
      serve_believed(ring);
    }
    if (after != kNoProcess) send_at_once(now);
  }

  ProcessId process_after(const Ring& ring) const {
    const Roster& roster = ring.roster();
    const DomainId after = roster.domain_at(ring.next_live(roster.position_of(self_)));
    return after == self_ ? kNoProcess : ring.speaker(after);
  }

  // How many positions directly before us are believed dead.
  std::uint32_t dead_before(const Ring& ring) const {
    if (ring.view().exceptions().empty() && (!holding_ || held_->empty())) return 0;
    const Roster& roster = ring.roster();
    const std::uint32_t self = roster.position_of(self_).value;
    const std::uint32_t emitter = roster.position_of(emitter_).value;
    return (self + ring.size() - emitter - 1) % ring.size();
  }

  // Not later than now: a heartbeat that is late stays so, because `was_away` goes by that.
  void send_at_once(Time now) {
    if (now < next_send_) next_send_ = now;
    spoken_ = false;  // with somebody else
  }

  void grant_grace(Time now) {
    heard_ = Heard::no;
    deadline_ = emitter_ == self_ ? Time::never() : now + 2 * timeout_;
  }

  void watch_anew(Time now) {
    grant_grace(now);
    ask_emitter(now);
  }

  void ask_emitter(Time now) {
    awaiting_ = emitter_ != self_;
    next_ask_ = now;
    asked_speaker_ = false;
    asked_ = 0;
  }

  // The speaker first; if it does not answer within a period, it may have died a moment ago and
  // somebody else speak for its domain: then everyone there, every period.
  bool ask(Time now, const Ring& ring, DetectorAction& action) {
    const Roster& roster = ring.roster();
    const ProcessId speaker = ring.speaker(emitter_);
    if (!asked_speaker_) {
      asked_speaker_ = true;
      next_ask_ = now + period_;
      action = {DetectorAction::Kind::observe, speaker, kNoDomain};
      return true;
    }
    while (asked_ < roster.domain_size()) {
      const ProcessId process = roster.member(emitter_, asked_++);
      if (!ring.view().live(process)) continue;
      action = {DetectorAction::Kind::observe, process, kNoDomain};
      return true;
    }
    asked_ = 0;
    next_ask_ = now + period_;
    return false;
  }

  bool send(Time now, const Ring& ring, DetectorAction& action) {
    next_send_ += period_;
    const bool late = next_send_ <= now;
    if (late) was_away(now);
    ++ticks_;
    if (--until_probe_ == 0) {
      until_probe_ = probe_ticks_;
      if (probes_) choose_what_else(ring);
    }
    if (ends_ && serve_left_ == 0) serve_believed(ring);
    if (redirected_ && serve_left_ > 0) --serve_left_;
    if (const ProcessId believed = believed_observer(ring); believed != kNoProcess) {
      pending_believed_ = believed;
      pending_ = true;
    }
    left_out_ = spoken_ && leaves_out_ && !redirected_ && !left_out_ && !late;
    spoken_ = false;
    if (observer_ == kNoProcess || left_out_) return poll(now, ring, action);
    action = {DetectorAction::Kind::heartbeat, observer_, kNoDomain};
    return true;
  }

  // A heartbeat leaves a period or more late, and next_send_ is the one after it (4.6). Who has
  // been silent for a timeout is believed dead, and its emitter may have been called away; who has
  // not need only fear that its emitter was held up by the same thing. That once: a process that is
  // always late would never judge.
  void was_away(Time now) {
    const Time last_sent = next_send_ - (left_out_ ? 3 : 2) * period_;
    // One heartbeat is as good as the many that were missed.
    next_send_ += period_ * ((now - next_send_) / period_ + 1);
    if (now - last_sent >= timeout_) {
      watch_anew(now);
    } else if (heard_ != Heard::awaited_longer) {
      heard_ = Heard::awaited_longer;
      deadline_ = std::max(deadline_, now + rails_ * period_);  // the emitter's next may be lost
    }
  }

  void choose_what_else(const Ring& ring) {
    choose_probe(ring);
    choose_comparison(ring);
    pending_ = pending_probe_ != kNoProcess || pending_comparison_ != kNoProcess;
  }

  // The dead before us in turn, process by process. The turn follows from the ticks, so that
  // skipping quiet time needs no other state.
  void choose_probe(const Ring& ring) {
    const std::uint32_t dead = dead_before(ring);
    if (dead == 0) return;
    const Roster& roster = ring.roster();
    const std::uint32_t size = roster.domain_size();
    const std::uint64_t turn = ticks_ / probe_ticks_ % (std::uint64_t{dead} * size);
    const auto back = static_cast<std::uint32_t>(turn / size);
    const Position position = ring.moved(roster.position_of(self_), ring.size() - 1 - back);
    pending_probe_ =
        roster.member(roster.domain_at(position), static_cast<std::uint32_t>(turn % size));
  }

  // The others of the own domain in turn: nobody else sends them anything regularly.
  void choose_comparison(const Ring& ring) {
    const Roster& roster = ring.roster();
    const std::uint32_t others = roster.domain_size() - 1;
    if (others == 0) return;
    const auto turn = static_cast<std::uint32_t>(ticks_ / probe_ticks_ % others);
    const bool before_speaker = roster.member(self_, turn) < ring.speaker(self_);
    pending_comparison_ = roster.member(self_, before_speaker ? turn : turn + 1);
  }

  static DetectorAction about(DetectorAction::Kind kind, DomainId domain) {
    return {kind, kNoProcess, domain};
  }

  DetectorAction judge(Time now, const Ring& ring) {
    if (holding_) {
      const DomainId suspect = emitter_;
      held_->hold(suspect, now);
      emitter_ = domain_before(ring);
      watch_anew(now);
      return about(DetectorAction::Kind::suspicion, suspect);
    }
    // The membership merges the verdict, and view_changed finds the next emitter; this deadline is
    // only there in case the view knows better and keeps the emitter.
    deadline_ = now + 2 * timeout_;
    return about(DetectorAction::Kind::verdict, emitter_);
  }

  // What a heartbeat touches comes first: with the table of functions one cache line.
  Duration period_;
  Duration timeout_;
  Time next_send_ = Time::never();
  Time deadline_ = Time::never();    // when silence becomes a verdict
  std::uint64_t ticks_ = 0;          // heartbeats due so far
  DomainId emitter_ = kNoDomain;     // ourselves if nobody else lives
  ProcessId observer_ = kNoProcess;  // none if nobody else lives
  bool running_ : 1 = false;         // with the next ones in a byte, because the line is full
  bool holding_ : 1 = false;         // held_ is there
  bool redirected_ : 1 = false;      // the view says another observer, which is served, too
  bool ends_ : 1 = false;            // ... when serve_left_ does: the view has changed since
  bool leaves_out_ : 1 = false;      // other frames stand for heartbeats
  bool spoken_ : 1 = false;          // something else has left for the observer since the last one
  bool left_out_ : 1 = false;        // the last one was
  bool awaiting_ = false;            // we have asked the emitter and not heard it since
  Heard heard_ = Heard::no;
  bool pending_ = false;       // one of those below is due
  std::uint32_t until_probe_;  // ticks until the next one that probes and compares

  std::uint32_t probe_ticks_;  // from one of those to the next
  ProcessId pending_believed_ = kNoProcess;
  ProcessId pending_probe_ = kNoProcess;
  ProcessId pending_comparison_ = kNoProcess;
  DomainId self_;
  std::uint32_t asked_ = 0;        // while awaiting: members of the emitter, in the present round
  Time next_ask_ = Time::never();  // while awaiting
  bool asked_speaker_ = false;     // while awaiting: the first request is out
  bool probes_;
  std::uint8_t rails_;
  std::uint32_t serve_left_ = 0;        // while redirected: heartbeats that are still to be sent
  std::unique_ptr<HeldVerdicts> held_;  // null: verdicts are told at once
};

}  // namespace

void make_ring_detector(DetectorPlace& place, const DetectorOptions& options, DomainId self) {
  place.make<RingDetector>(options, self);
}

}  // namespace holdfast
