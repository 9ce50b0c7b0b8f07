// One process's part in the membership of its job: what it believes (view), how it notices deaths
// (detector, and the operating system for its own node), how it tells others (propagation,
// dissemination), and how it comes back (join, refutation). A function of its inputs: no clock, no
// socket; the engine encodes what it wants to send (specification, sections 3 to 7).
#pragma once

#include <cstdint>
#include <forward_list>
#include <memory>
#include <span>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/pool.hpp"
#include "stack/base/time.hpp"
#include "stack/collect.hpp"
#include "stack/detect/detector.hpp"
#include "stack/propagate/dissemination.hpp"
#include "stack/propagate/heard_broadcasts.hpp"
#include "stack/propagate/propagation.hpp"
#include "stack/view/roster.hpp"
#include "stack/view/view.hpp"
#include "stack/wire/frame.hpp"

namespace holdfast {

struct MembershipOptions {
  ProcessId self;
  Incarnation incarnation;               // of this boot: first_incarnation_of_boot
  bool rejoining = false;                // started into a running job
  Duration phase;                        // of the first heartbeat, in [0, period)
  std::string_view detector = "ring";    // must be registered
  std::string_view propagation = "bmg";  // must be registered
  DetectorOptions detection;
  // Digests, acknowledgements, repetition and probes below every propagation. Without it the
  // algorithms are what the papers have, and who is missed stays missed.
  bool backstop = true;
  Duration retransmission_timeout = milliseconds(100);  // > 0
};

// Frames by purpose, counted when they are handed to the engine.
struct FrameCounts {
  std::uint64_t heartbeats = 0;
  std::uint64_t observes = 0;
  std::uint64_t notices = 0;        // first transmissions along the propagation topology
  std::uint64_t local_notices = 0;  // first transmissions within the domain
  std::uint64_t repeats = 0;
  std::uint64_t acknowledgements = 0;
  std::uint64_t differences = 0;  // with probes and joins

  FrameCounts& operator+=(const FrameCounts& more) {
    heartbeats += more.heartbeats;
    observes += more.observes;
    notices += more.notices;
    local_notices += more.local_notices;
    repeats += more.repeats;
    acknowledgements += more.acknowledgements;
    differences += more.differences;
    return *this;
  }
  friend bool operator==(const FrameCounts&, const FrameCounts&) = default;
};

// A belief that changed. Suspicions come as changes too, though they are no part of the view (4.9):
// the record that the view has, but suspected; and that record again when the suspicion is over
// because the process was heard.
struct BeliefChange {
  ProcessId process;
  Record record;
  bool own_verdict = false;  // by this process: its detector, or its operating system, saw it

  friend bool operator==(const BeliefChange&, const BeliefChange&) = default;
};

// What a process has under way while there is news: nothing of it is left when all is quiet.
struct Pending {
  // Something owed to one receiver: small, so that a few hundred are nothing.
  struct Answer {
    FrameType type = FrameType::acknowledgement;
    ProcessId to;
    std::uint64_t after = 0;  // acknowledgement
    std::uint64_t upto = 0;
    ProcessId next{0};  // difference: the first process not yet covered
    bool answer_wanted = false;
    Broadcast broadcast;     // acknowledgement
    Incarnation receiver{};  // difference: a life of it that has been heard of, believed or not
  };

  std::vector<BeliefChange> changes;  // since they were cleared last
  std::vector<ProcessId> to_watch;
  std::vector<Answer> answers;  // oldest first, at most kAnswersMax
  Dissemination dissemination;
  // While joining:
  std::uint32_t join_attempts = 0;
  ProcessId asked = kNoProcess;  // by the last join
  Time next_join = Time::never();
  Time join_until = Time::never();
  // While leaving:
  std::uint64_t left_by = 0;          // the change of the view by which we left
  bool leave_known = false;           // somebody has acknowledged it
  Time silence_ends = Time::never();  // whoever has not answered then is not waited for
};

// What is the same for every process of a job.
struct MembershipSettings {
  const Propagation* propagation;
  Duration retransmission_timeout;
  Duration detection_timeout;

  friend bool operator==(const MembershipSettings&, const MembershipSettings&) = default;
};

// What the memberships of one thread share.
struct MembershipMemory {
  // Stays where it is.
  const MembershipSettings& shared(const MembershipSettings& settings);

  ViewStore views;
  Pool<Pending> pending;
  std::forward_list<MembershipSettings> settings;  // that are different
  ChangesForMany told;                             // by the last notice
  // For one call each.
  std::vector<View::Exception> fresh;
  std::vector<Target> targets;
  std::vector<ProcessId> receivers;
};

// One thing that the membership wants done.
struct MembershipAction {
  enum class Kind : std::uint8_t {
    frame,  // send `type` with `body` to `to`
    watch,  // have the operating system tell when `to`, a process of this node, ends
  };
  Kind kind = Kind::frame;
  FrameType type = FrameType::heartbeat;
  ProcessId to = kNoProcess;
  // Of the types that have one. Its runs lie in the scratch given to poll, or in what memberships
  // share, and stay until one of them is asked for something else.
  Body body;
  Incarnation
      receiver{};  // the frame is to name this life of `to`, or a later one that is believed
};

class Membership {
 public:
  using Change = BeliefChange;

  // The roster and the memory must outlive the membership; the memberships of one thread share
  // them.
  Membership(const MembershipOptions& options, const Roster& roster, MembershipMemory& memory);
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;
  ~Membership();

  void start(Time now);
  // A frame that arrived at `at` <= now, decoded and verified. False: it was meant for an earlier
  // boot of this process, so it may be an old one, and nothing of it counts (2.8). `newest`: it is
  // newer than every sign of life of its sender that was handled before (2.5).
  bool handle(Time now, Time at, const Header& header, const Body& body, bool newest);
  // Says that this process takes no further part (7.5). After it the process must go on handling
  // and polling until told(), or for as long as it has patience.
  void leave(Time now);
  bool leaving() const { return leaving_; }
  // Whether everybody who is there has acknowledged all that this process had to tell.
  bool told() const {
    return rest_->pending == nullptr ||
           (rest_->pending->answers.empty() && rest_->pending->dissemination.idle());
  }
  // The operating system says that a process of this node has ended.
  void process_ended(Time now, ProcessId process);

  // Writes the next thing to do; false if there is none, and then `action` means nothing. `scratch`
  // must hold kRunsMax runs. The body is written only for types that have one.
  bool poll(Time now, std::span<Run> scratch, MembershipAction& action) {
    return due_ <= now && poll_due(now, scratch, action);
  }
  // When to poll at the latest; a time that is past means: now.
  Time next_deadline() const { return due_; }

  // See Detector::steady. A steady membership sends nothing but heartbeats and probes.
  bool steady() const;
  // Moves a steady membership forward; returns how many frames it would have sent.
  std::uint64_t advance(std::uint64_t periods);

  const Roster& roster() const { return roster_; }
  const View& view() const { return view_; }
  ProcessId self() const { return self_; }
  Incarnation incarnation() const { return incarnation_; }
  bool agent() const { return agent_; }
  bool joining() const { return joining_; }
  // Whether nobody answered its joins, so that it went on without (7.3).
  bool unanswered() const { return rest_->unanswered; }
  // The survivors have agreed that this life is over: it must not act any more.
  bool fenced() const { return fenced_; }
  FrameCounts counts() const;
  // Of an agent; nobody otherwise.
  Watching watching() const { return agent_ ? detector_->watching() : Watching{}; }

  // Beliefs that changed since they were last cleared, in order.
  std::span<const Change> changes() const {
    return changed_ ? std::span<const Change>(rest_->pending->changes) : std::span<const Change>();
  }
  bool changed() const { return changed_; }
  void clear_changes();

  // Whether frames that bring news are signs of life as well (2.5).
  bool hears_news() const { return hears_news_; }

  std::uint64_t hash() const;
  // The same without what has only been counted.
  std::uint64_t state_hash() const;

  // Behind the last byte of this object that a heartbeat touches.
  const void* hot_end() const {
    return reinterpret_cast<const char*>(&detector_) + Detector::kHotBytes;
  }

 private:
  using Answer = Pending::Answer;

  // Of a process of the own domain: whether it runs, as far as its system says, and whether it has
  // said that it is active (7.1).
  enum class LocalState : std::uint8_t { active, down, starting };

  Ring ring() const { return Ring(roster_, view_); }
  DomainId domain() const { return roster_.domain_of(self_); }
  bool is_local(ProcessId process) const {
    return process != self_ && roster_.domain_of(process) == domain();
  }
  std::uint32_t local_index(ProcessId process) const;
  LocalState local_state(std::uint32_t local) const {
    return rest_->local ? rest_->local[local] : LocalState::active;
  }
  bool runs(std::uint32_t local) const { return local_state(local) != LocalState::down; }
  bool up(ProcessId local) const { return runs(local_index(local)); }
  void set_local(ProcessId local, LocalState state);
  DisseminationOptions dissemination_options() const;
  Pending& pending();
  void settle();
  HeardBroadcasts& heard_broadcasts();
  ProcessId local_agent() const;
  bool handing_over() const;
  void note_told(ProcessId process);
  // Whether what this process hears is its to pass on to the other domains.
  bool relays() const { return agent_ || (leaving_ && local_agent() == kNoProcess); }
  bool takes_us_for_joining(ProcessId sender) const;
  bool hear_local(const Header& header, const Body& body);
  void greet_domain(bool answer_wanted);

  bool hear_sender(const Header& header);
  bool is_for_earlier_boot(const Header& header) const {
    return boot_of(header.receiver_incarnation) < boot_of(incarnation_);
  }
  void introduce(const Header& header);
  bool handle_rare(Time now, Time at, const Header& header, const Body& body, bool newest);
  void handle_any(Time now, Time at, const Header& header, const Body& body, bool newest);
  void hear_answer(Time now, ProcessId sender, const Body& body);
  void hear_acknowledgement(Time now, ProcessId sender, const Body& body);
  void note_change(ProcessId process, Record record, bool own_verdict = false);
  void note_suspicion(DomainId domain, bool suspected);
  void merge(ProcessId process, Record record, bool own_verdict = false);
  void merge_runs(std::span<const Run> runs);
  bool concerns_domain(const Run& run) const;
  void merge_elsewhere(const Run& run, Record record);
  void refute(Record record);
  std::span<const View::Exception> changed_since(std::uint64_t before);
  void on_news(Time now, std::uint64_t before, ProcessId source, bool own_verdict,
               const Broadcast& brought_by = {});
  void tell_domain(std::uint64_t before, ProcessId source);
  void tell_speaker(std::uint64_t after, const Broadcast& broadcast = {});
  void hand_on(std::uint64_t after);
  void start_spreading(std::uint64_t before);
  void pass_on(const Body& body, bool news);
  void tell_targets(const Course& course, std::uint64_t after, std::uint64_t upto,
                    const Broadcast& broadcast);
  void update_role(Time now);
  void wait_for_answers(Time now);
  void owe(const Answer& answer);
  void tell(std::span<const ProcessId> receivers, std::uint64_t after, std::uint64_t upto,
            const Broadcast& broadcast = {});
  void watch(ProcessId process);
  void refresh_due();
  void judge(Time now, DomainId dead);
  void become_active(Time now);

  bool poll_due(Time now, std::span<Run> scratch, MembershipAction& action);
  bool poll_all(Time now, std::span<Run> scratch, MembershipAction& action);
  void poll_join(Time now);
  bool poll_answers(std::span<Run> scratch, MembershipAction& action);
  bool poll_notices(Time now, MembershipAction& action);
  bool poll_detector(Time now, MembershipAction& action);
  ProcessId join_candidate() const;

  // What only news, a join or a question from outside touches. Apart, so that what a heartbeat
  // touches lies close together for many processes.
  struct Rest {
    Rest(const MembershipOptions& from, MembershipMemory& shared);

    FrameCounts counts;  // but for heartbeats_
    MembershipMemory& memory;
    const MembershipSettings& settings;
    Pending* pending = nullptr;                         // null: nothing is under way
    std::unique_ptr<HeardBroadcasts> heard_broadcasts;  // null: none
    std::unique_ptr<LocalState[]> local;                // by process of the domain; null: active
    Duration phase;                                     // until start
    std::uint64_t evicted = 0;     // from the dissemination, while that is not under way
    std::uint32_t broadcasts = 0;  // begun by this boot
    bool rejoining;                // until start
    bool unanswered = false;       // the join ended without an answer
  };

  // What a heartbeat touches comes first.
  const Roster& roster_;
  Time due_ = Time::never();
  ProcessId self_;
  Incarnation incarnation_;
  bool quiet_ = true;   // nothing is pending but changes; neither joining_ nor fenced_ nor
                        // handing_over()
  bool agent_ = false;  // speaks for its domain
  bool joining_ = false;
  bool fenced_ = false;
  bool leaving_ = false;
  bool changed_ = false;  // there are pending changes
  bool hears_news_;
  bool backstop_;  // news is acknowledged, and views are compared
  std::uint64_t heartbeats_ = 0;
  View view_;
  DetectorPlace detector_;

  std::unique_ptr<Rest> rest_;
};

// Nearly every frame is a heartbeat of a life that is known, with a view like ours, to one who has
// nothing to say: of all that handle_any may do, only the detector hears of it
// (3.6, 3.7, 4.2, 6.5).
inline bool Membership::handle(Time now, Time at, const Header& header, const Body& body,
                               bool newest) {
  const Record sender = view_.of(header.sender);
  if (!quiet_ || header.type != FrameType::heartbeat || header.digest != view_.digest() ||
      header.receiver_incarnation != incarnation_ ||
      header.sender_incarnation != sender.incarnation || !is_live(sender)) {
    return handle_rare(now, at, header, body, newest);
  }
  detector_->heartbeat(at, header.sender, ring());
  due_ = detector_->next_deadline();
  return true;
}

}  // namespace holdfast
