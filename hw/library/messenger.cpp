// Requests, turns, and who sleeps.
#include "hw/library/messenger.hpp"

#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "hw/library/as_chrono.hpp"
#include "hw/library/session.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/status/take_message_rails.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

// A waiting thread looks for so long before it sleeps: about what it takes to wake one.
constexpr Duration kPolls = microseconds(50);
// Then, after so many turns in vain, the clock is read again. Meanwhile the time that a turn is
// told is at most that much too early.
constexpr unsigned kTurnsAtOnce = 8;
// Others may run after so long in vain, and again after as long: who is in that system call when an
// answer comes out of shared memory hears of it late (docs/speed.md).
constexpr Duration kYieldsEach = microseconds(2);
// A thread that leaves the sleeping to another looks again by itself after so long at the latest.
constexpr Duration kNapMax = seconds(3600);
// That a process has left is told on other ways than its messages and acknowledgements, which may
// be late, or lost: so it is heard for so long, and answers for so long.
constexpr Duration kLeaverIsHeard = milliseconds(250);
// An acknowledgement is kept for an answer for about so long: then its sender has asked again.
constexpr Duration kKeptMax = milliseconds(1);
// And only if it is of no more bytes than these, and the answer has no more: to copy and to sum
// more takes longer than an acknowledgement of its own.
constexpr std::uint64_t kShortBytes = 4096;

std::string name_of(ProcessId process) {
  return "process " + std::to_string(process.value);
}

Outcome gone(ProcessId peer) {
  return {HOLDFAST_PEER_FAILED, name_of(peer) + " is believed dead, or has left"};
}

Outcome out_of_reach(ProcessId peer) {
  return {HOLDFAST_UNREACHABLE, name_of(peer) + " has not answered on any rail for too long"};
}

Outcome too_many_requests() {
  return {HOLDFAST_BUSY, std::to_string(Messenger::kRequestsMax) +
                             " requests have begun and have not been waited for to their ends, "
                             "which are as many as there may be: wait for one, then try again"};
}

Outcome outcome_of(const reliable::Completed& completed, std::uint64_t room) {
  switch (completed.outcome) {
    case reliable::Outcome::delivered:
      return {};
    case reliable::Outcome::truncated:
      return {HOLDFAST_TRUNCATED, "the message has " + std::to_string(completed.bytes) +
                                      " bytes, the memory for it " + std::to_string(room)};
    case reliable::Outcome::cancelled:
      return {HOLDFAST_CANCELLED, "the receive was cancelled before a message met it"};
    case reliable::Outcome::peer_failed:
      if (completed.envelope.source == kNoProcess) break;
      return gone(completed.envelope.source);
    case reliable::Outcome::unreachable:
      return out_of_reach(completed.envelope.source);
  }
  return {HOLDFAST_PEER_FAILED, "the others have believed this process dead"};
}

holdfast_message message_of(const reliable::Envelope& envelope, std::uint64_t bytes) {
  return {envelope.source.value, envelope.context, envelope.tag, bytes};
}

bool is_live(const holdfast_member& member) {
  return member.state < HOLDFAST_FAILED;
}

}  // namespace

Outcome Messenger::open(Duration unreachable_max) {
  bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell_.is_open()) {
    return {HOLDFAST_SYSTEM, std::string("cannot make an eventfd: ") + std::strerror(errno)};
  }
  options_.self = {session_.self()};
  options_.job = place_.job();
  options_.key = place_.key();
  options_.seal = "siphash128";
  options_.unreachable_max = unreachable_max;
  if (Status status = open_rails(); !status.is_ok()) return {HOLDFAST_SYSTEM, status.message()};
  if (rails_.empty()) {
    broken_ = {HOLDFAST_NO_MESSAGES,
               "this job has no messages: whoever has started it has given no addresses for them"};
  }
  return {};
}

Status Messenger::open_rails() {
  fabrics_.clear();  // of an attempt that failed
  rails_.clear();
  if (Status status = place_.open_message_rails(fabrics_); !status.is_ok()) return status;
  for (const std::unique_ptr<Fabric>& fabric : fabrics_) rails_.push_back(fabric.get());
  // All rails of a job are of one kind.
  const std::string_view kind = rails_.empty() ? "" : rails_.front()->caps().kind;
  options_.limits = reliable::limits_for(kind);
  // In shared memory it is slower to keep them (docs/speed.md).
  may_keep_ = kind == "udp" || kind == "tcp";
  options_.limits.peers = std::max(session_.processes(), 2u) - 1;
  options_.limits.requests = kRequestsMax;
  sleeper_ = std::make_unique<Sleeper>();
  return sleeper_->open({.signals = false, .bell = bell_.get()});
}

// The endpoint of one incarnation of this process. Nobody but who has left is connected before the
// view is followed.
void Messenger::begin_life(const holdfast_member& self, Time now) {
  const bool is_first = has_first_rails_;  // else they went with the life before
  has_first_rails_ = false;
  broken_ = {HOLDFAST_SYSTEM, "there is no memory for the messages of this life"};
  if (!is_first) {
    if (Status status = open_rails(); !status.is_ok()) {
      broken_.message = status.message();
      return;
    }
  }
  options_.incarnation = {self.incarnation};
  members_.assign(session_.processes(), holdfast_member{0, 0, 0, HOLDFAST_LEFT});
  members_[self.process] = self;
  endpoint_ = std::make_unique<reliable::Endpoint>(options_, rails_, place_.message_addresses());
  broken_ = {};
  look_at_view();
  if (is_first) hear_leavers(now);
  follow_view(now);
}

// What the others have begun with this incarnation is over for them, so it is for us. Rails go
// too: they hold slots of the endpoint.
void Messenger::end_life() {
  if (endpoint_ != nullptr) {  // what has ended by now does not end so
    endpoint_->settle();
    collect();
  }
  for (Record& record : records_) {
    if (!record.is_used || record.is_done) continue;
    record.is_done = true;
    record.completed.outcome = reliable::Outcome::peer_failed;
    record.completed.envelope.source = kNoProcess;
  }
  leavers_.clear();
  habit_ = {};
  endpoint_.reset();
  rails_.clear();
  fabrics_.clear();
  sleeper_.reset();
}

// Nobody sleeps with the rails when it returns, and there is an endpoint unless it says why not.
Outcome Messenger::enter(Lock& lock) {
  if (is_asleep_) {
    ++entering_;
    ring();
    changed_.wait(lock, [this] { return !is_asleep_; });
    if (--entering_ == 0) changed_.notify_all();
  }
  // What the system has refused it may give now; any other reason is for good.
  const bool may_begin = broken_.is_ok() || broken_.code == HOLDFAST_SYSTEM;
  if (endpoint_ == nullptr && may_begin) {
    begin_life(session_.member(session_.self()), monotonic_now());
  }
  return broken_;
}

// Who rang to get in goes first.
void Messenger::sleep(Lock& lock, Time until) {
  const auto all_in = [this] { return entering_ == 0; };
  if (!all_in()) return changed_.wait(lock, all_in);
  is_asleep_ = true;
  lock.unlock();
  (void)sleeper_->sleep(until, rails_);
  lock.lock();
  is_asleep_ = false;
  changed_.notify_all();
  changed_.wait(lock, all_in);
}

// Who polls lets others in between two turns, if there are any.
Messenger::Lock Messenger::lock() {
  Lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) return lock;
  ++knocking_;
  lock.lock();
  --knocking_;
  return lock;
}

// Takes turns until it is over (true), or the time is.
template <class Over>
bool Messenger::drive(Lock& lock, Time until, const Over& over) {
  if (over()) return true;
  Time now = monotonic_now();
  const Time poll_until = now + kPolls;
  Time yield_at = now + kYieldsEach;
  for (unsigned in_vain = 1;; ++in_vain) {
    if (is_asleep_) {
      if (now >= until) return false;
      const Time nap_until = std::min(until, now + kNapMax);
      changed_.wait_until(lock, as_chrono(nap_until), [&] { return !is_asleep_ || over(); });
    } else {
      const Time next = turn(now);
      if (over()) return true;
      if (now >= until) return false;
      if (knocking_ == 0 && in_vain % kTurnsAtOnce != 0) continue;
      if (now >= poll_until && next > now) {
        sleep(lock, std::min(next, until));
      } else if (knocking_ != 0 || now >= yield_at) {
        yield_at = now + kYieldsEach;
        lock.unlock();
        ::sched_yield();
        lock.lock();
      }
    }
    if (over()) return true;
    now = monotonic_now();
  }
}

// What had come when a belief was looked at counts before the belief: what a process has sent or
// acknowledged before it left or died is received.
Time Messenger::turn(Time now) {
  if (endpoint_ == nullptr) return Time::never();
  if (habit_.keeps()) habit_.gave_up();  // a turn acknowledges
  const bool is_news = session_.version() != followed_;
  const bool parts = is_time_to_part(now);
  if (is_news) look_at_view();
  if (is_news || parts) look_anew();
  Time next = endpoint_->turn(now);
  if (is_news || parts) {
    if (is_news) follow_view(now);
    if (endpoint_ == nullptr) return Time::never();
    part_with_leavers(now);
    next = endpoint_->turn(now);
  }
  collect();
  return leavers_.empty() ? next : std::min(next, leavers_.front().until);
}

// Before a call returns to a program that may compute for long: who has sent something need not
// wait for the next call, unless that is likely to be the answer. Nobody falls asleep before he has
// acknowledged.
void Messenger::acknowledge() {
  if (endpoint_ == nullptr || is_asleep_) return;
  const reliable::Debts debts = may_keep_ ? endpoint_->debts() : reliable::Debts{};
  const bool can_wait = debts.peers == 1 && debts.bytes <= kShortBytes && !debts.is_overdue;
  if (habit_.keeps()) {
    if (!can_wait) give_up_keeping(monotonic_now());  // a receive has made room for another peer
    return;
  }
  const bool is_kept = can_wait && habit_.expects_answer();
  if (!is_kept) endpoint_->acknowledge();
  if (!can_wait) return;
  const Time now = monotonic_now();
  habit_.returned(debts.peer, is_kept, now);
  if (is_kept) remind(now + kKeptMax);
}

void Messenger::give_up_keeping(Time now) {
  habit_.gave_up();
  endpoint_->acknowledge(now);
}

void Messenger::remind(Time at) {
  has_kept_ = true;
  if (reminded_at_ != Time::never()) return;
  reminded_at_ = at;
  session_.wake();
}

// A program that answers on and on is looked at every so often, and rings for none of its answers.
Time Messenger::acknowledge_kept(Time now) {
  const Time at = reminded_at_;
  if (now < at) return at;
  const Lock lock(mutex_, std::try_to_lock);
  Time next = now + kKeptMax;
  if (lock.owns_lock()) {  // else somebody is in a call, and acknowledges or keeps it at its end
    const Time due = habit_.since() + kKeptMax;
    if (habit_.keeps() && due <= now) give_up_keeping(now);
    if (habit_.keeps()) {
      next = due;
    } else if (!has_kept_) {
      next = Time::never();
    }
    has_kept_ = false;
  }
  return reminded_at_ = next;
}

void Messenger::look_at_view() {
  believed_.resize(session_.processes());
  followed_ = session_.view(believed_.data());
}

// As it was looked at. What has ended by the end of a life is judged by it, too.
void Messenger::follow_view(Time now) {
  const holdfast_member self = believed_[session_.self()];
  if (self.state == HOLDFAST_COMMITTED) {
    members_ = believed_;
    end_life();
    broken_ = {HOLDFAST_PEER_FAILED, "the others have agreed that this process is over"};
  } else if (self.incarnation != options_.incarnation.value) {
    members_ = believed_;
    end_life();
    begin_life(self, now);
  } else {
    for (const holdfast_member& member : believed_) {
      if (member.process != self.process) follow(members_[member.process], member, now);
    }
    members_ = believed_;
  }
}

// Who left before this process called for the first time may have sent something before that.
void Messenger::hear_leavers(Time now) {
  for (const holdfast_member& member : believed_) {
    if (member.process == options_.self.value || member.state != HOLDFAST_LEFT) continue;
    const bool connected = endpoint_->connect({member.process}, {member.incarnation}, now);
    HOLDFAST_ASSERT(connected);
    leavers_.push_back({{member.process}, {member.incarnation}, now + kLeaverIsHeard});
  }
}

void Messenger::follow(const holdfast_member& before, const holdfast_member& member, Time now) {
  const ProcessId peer{member.process};
  if (is_live(member)) {
    if (is_live(before) && before.incarnation == member.incarnation) return;
    const bool connected = endpoint_->connect(peer, {member.incarnation}, now);
    HOLDFAST_ASSERT(connected);  // there is room for all
  } else if (is_live(before) && member.state == HOLDFAST_LEFT) {
    leavers_.push_back({peer, {member.incarnation}, now + kLeaverIsHeard});
  } else if (is_live(before)) {
    endpoint_->fail(peer, {member.incarnation}, now);
  }
}

bool Messenger::is_time_to_part(Time now) const {
  return !leavers_.empty() && leavers_.front().until <= now;
}

// A connection with a later life of the peer goes on.
void Messenger::part_with_leavers(Time now) {
  while (is_time_to_part(now)) {
    endpoint_->fail(leavers_.front().peer, leavers_.front().incarnation, now);
    leavers_.erase(leavers_.begin());
  }
}

void Messenger::collect() {
  std::size_t count = 0;
  do {
    count = endpoint_->completed(ended_);
    for (const reliable::Completed& one : std::span(ended_).first(count)) {
      Record& record = records_[one.cookie];
      record.is_done = true;
      record.completed = one;
      const bool is_silent = one.outcome == reliable::Outcome::unreachable;
      if (is_silent && is_gone(one.envelope.source)) {
        record.completed.outcome = reliable::Outcome::peer_failed;
      }
    }
  } while (count == ended_.size());
}

// Who sleeps with the rails changes nothing that is read here.
void Messenger::show_rails(std::vector<MessageRailStatus>& rails) {
  const Lock lock = this->lock();
  rails.clear();
  if (endpoint_ != nullptr) take_message_rails(*endpoint_, rails_, session_.processes(), rails);
}

std::uint32_t Messenger::take_record() {
  if (free_records_.empty()) {
    if (records_.size() == kRequestsMax) return kRequestsMax;
    free_records_.push_back(static_cast<std::uint32_t>(records_.size()));
    records_.emplace_back();
  }
  const std::uint32_t i = free_records_.back();
  free_records_.pop_back();
  Record next;
  next.uses = std::max(records_[i].uses + 1, 1u);
  next.is_used = true;
  records_[i] = std::move(next);
  return i;
}

void Messenger::give_record(std::uint32_t i) {
  records_[i].is_used = false;
  records_[i].segments.reset();
  free_records_.push_back(i);
}

Messenger::Record* Messenger::find(std::uint64_t number) {
  const std::uint64_t i = number & 0xffff'ffff;
  if (i >= records_.size()) return nullptr;
  Record& record = records_[i];
  return record.is_used && record.uses == number >> 32 ? &record : nullptr;
}

bool Messenger::is_gone(ProcessId peer) const {
  return peer != kNoProcess && peer != options_.self && !is_live(members_[peer.value]);
}

// And what it sent before it left is not waited for any more.
bool Messenger::is_over(ProcessId peer) const {
  return is_gone(peer) && !endpoint_->is_connected(peer);
}

// It lives, and one of the two has given the other up.
bool Messenger::is_out_of_reach(ProcessId peer) const {
  return peer != kNoProcess && peer != options_.self && !is_gone(peer) &&
         !endpoint_->is_connected(peer);
}

Outcome Messenger::refusal(ProcessId peer) const {
  if (!broken_.is_ok()) return broken_;
  if (is_gone(peer)) return gone(peer);
  if (is_out_of_reach(peer)) return out_of_reach(peer);
  switch (endpoint_->refusal()) {
    case reliable::Refusal::waiting:
      return {HOLDFAST_BUSY, std::to_string(options_.limits.unexpected_messages) +
                                 " messages wait in this process to be received, which are as many "
                                 "as may: receive some, then send to itself again"};
    default:
      return too_many_requests();
  }
}

// Where nothing can begin, that is why.
Outcome Messenger::no_such_request() const {
  if (broken_.code == HOLDFAST_NO_MESSAGES) return broken_;
  return {HOLDFAST_INVALID, "there is no such request, or it has been waited for before"};
}

// `begin` asks the endpoint for a request of that record, whose index is its cookie. It goes at
// once; one that was refused is none. What is kept for an answer is still kept when a receive has
// started: an answer may follow that.
template <class Begin>
Outcome Messenger::start(ProcessId peer, const Sends& sends, std::uint64_t& number,
                         const Begin& begin) {
  Lock lock = this->lock();
  if (Outcome outcome = enter(lock); !outcome.is_ok()) return outcome;
  const Time now = monotonic_now();
  const bool is_short = sends.bytes <= kShortBytes;
  if (habit_.keeps() && !is_short) give_up_keeping(now);
  if (session_.version() != followed_ || is_time_to_part(now)) turn(now);
  if (endpoint_ == nullptr) return broken_;
  const std::uint32_t i = take_record();
  if (i == kRequestsMax) {
    acknowledge();
    return too_many_requests();
  }
  const reliable::Request request = begin(records_[i], i, now);
  if (request == reliable::kNoRequest) {
    give_record(i);
    acknowledge();
    return refusal(peer);
  }
  records_[i].request = request;
  number = number_of(i);
  if (!is_short) {
    habit_.gave_up();
  } else if (sends.any) {
    habit_.sent(peer, now);
  }
  if (habit_.keeps()) {  // and a receive may have met what was there
    endpoint_->flush();
    collect();
  } else {
    turn(now);
  }
  acknowledge();
  return {};
}

Outcome Messenger::start_send(ProcessId to, std::uint32_t context, std::uint64_t tag,
                              std::span<const std::byte> message, std::uint64_t& number) {
  return start(to, {true, message.size()}, number, [&](Record&, std::uint32_t cookie, Time now) {
    if (is_gone(to)) return reliable::kNoRequest;
    return endpoint_->send(to, context, tag, message, cookie, now);
  });
}

Outcome Messenger::start_send(ProcessId to, std::uint32_t context, std::uint64_t tag,
                              std::unique_ptr<const SegmentList> message, std::uint64_t& number) {
  const Sends sends{true, message->bytes()};
  return start(to, sends, number, [&](Record& record, std::uint32_t cookie, Time now) {
    if (is_gone(to)) return reliable::kNoRequest;
    record.segments = std::move(message);
    return endpoint_->send(to, context, tag, *record.segments, cookie, now);
  });
}

Outcome Messenger::start_receive(const reliable::Pattern& pattern, std::span<std::byte> memory,
                                 std::uint64_t& number) {
  return start(pattern.source, {}, number, [&](Record& record, std::uint32_t cookie, Time now) {
    record.room = memory.size();
    return endpoint_->receive(pattern, memory, cookie, now);
  });
}

Outcome Messenger::start_receive(const reliable::Pattern& pattern,
                                 std::unique_ptr<const SegmentList> memory, std::uint64_t& number) {
  return start(pattern.source, {}, number, [&](Record& record, std::uint32_t cookie, Time now) {
    record.room = memory->bytes();
    record.segments = std::move(memory);
    return endpoint_->receive(pattern, *record.segments, cookie, now);
  });
}

bool Messenger::wait(std::uint64_t number, Time until, Outcome& outcome,
                     holdfast_message& message) {
  Lock lock = this->lock();
  const auto over = [&] {
    const Record* const record = find(number);
    return record == nullptr || record->is_done;
  };
  const bool is_over = drive(lock, until, over);
  acknowledge();
  if (!is_over) return false;
  const Record* const record = find(number);
  if (record == nullptr) {
    outcome = no_such_request();
    return true;
  }
  outcome = outcome_of(record->completed, record->room);
  message = message_of(record->completed.envelope, record->completed.bytes);
  give_record(static_cast<std::uint32_t>(number));
  return true;
}

Outcome Messenger::cancel(std::uint64_t number) {
  Lock lock = this->lock();
  (void)enter(lock);  // what has begun may be asked for whatever has become of this process
  const Record* const record = find(number);
  if (record == nullptr) return no_such_request();
  if (record->is_done || endpoint_ == nullptr) return {};
  (void)endpoint_->cancel(record->request, monotonic_now());
  collect();
  return {};
}

bool Messenger::probe(const reliable::Pattern& pattern, Time until, Outcome& outcome,
                      holdfast_message& message) {
  Lock lock = this->lock();
  if (outcome = enter(lock); !outcome.is_ok()) return false;
  reliable::Waiting waiting;
  const auto found = [&] { return endpoint_ != nullptr && endpoint_->probe(pattern, waiting); };
  const bool over = drive(lock, until, [&] {
    return endpoint_ == nullptr || found() || is_over(pattern.source) ||
           is_out_of_reach(pattern.source);
  });
  acknowledge();
  if (found()) {
    message = message_of(waiting.envelope, waiting.bytes);
    return true;
  }
  if (over) outcome = refusal(pattern.source);
  return false;
}

void Messenger::look_anew() {
  for (Fabric* const rail : rails_) rail->look_anew();
}

// One turn reads what had come by now. Nobody answers any more.
void Messenger::finish() {
  Lock lock = this->lock();
  may_keep_ = false;
  look_anew();
  turn(monotonic_now());
  acknowledge();
}

// The others' time with a leaver begins before all of them know. Nothing meets a receive any more,
// so that no send ends as delivered that has only begun by now to be received.
void Messenger::linger(Time until) {
  Lock lock = this->lock();
  take_receives_back();
  const auto is_nobody_left = [this] { return endpoint_ == nullptr || !is_anybody_live(); };
  const bool goes_on =
      drive(lock, until, [&] { return session_.has_parted() || is_nobody_left(); });
  acknowledge();
  if (!goes_on || endpoint_ == nullptr || endpoint_->counts().acknowledgements_sent == 0) return;
  (void)drive(lock, std::min(until, monotonic_now() + kLeaverIsHeard), is_nobody_left);
  acknowledge();
}

void Messenger::take_receives_back() {
  if (endpoint_ == nullptr) return;
  for (const Record& record : records_) {
    if (record.is_used && !record.is_done) (void)endpoint_->cancel(record.request, monotonic_now());
  }
  collect();
}

bool Messenger::is_anybody_live() const {
  return std::ranges::any_of(members_, [this](const holdfast_member& member) {
    return member.process != options_.self.value && is_live(member);
  });
}

void Messenger::ring() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(bell_.get(), &one, sizeof one);
}

}  // namespace holdfast::hw
