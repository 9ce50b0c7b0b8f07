// Joining step by step, the thread's loop, and the queue of verdicts.
#include "hw/library/session.hpp"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "hw/blocked_signals.hpp"
#include "hw/library/as_chrono.hpp"
#include "hw/library/settings.hpp"
#include "hw/monotonic_clock.hpp"
#include "stack/wire/header.hpp"

namespace holdfast::hw {

namespace {

void ring(const Descriptor& eventfd) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(eventfd.get(), &one, sizeof one);
}

}  // namespace

Outcome Session::join(std::unique_ptr<Place> place, Time until, std::unique_ptr<Session>& joined) {
  std::unique_ptr<Session> session(new Session(std::move(place)));
  if (Outcome outcome = session->prepare(until); !outcome.is_ok()) return outcome;
  if (Outcome outcome = session->place_->wait_for_start(until, session->start_at_);
      !outcome.is_ok()) {
    return outcome;
  }
  if (Outcome outcome = session->start_thread(); !outcome.is_ok()) return outcome;
  if (Outcome outcome = session->wait_until_active(until); !outcome.is_ok()) return outcome;
  joined = std::move(session);
  return {};
}

Outcome Session::prepare(Time until) {
  if (Outcome taken = place_->take(until, program_); !taken.is_ok()) return taken;
  bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  verdicts_ready_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell_.is_open() || !verdicts_ready_.is_open()) {
    return {HOLDFAST_SYSTEM, std::string("cannot make an eventfd: ") + std::strerror(errno)};
  }
  const Status opened =
      sleeper_.open({.signals = false, .lifeline = place_->lifeline(), .bell = bell_.get()});
  if (!opened.is_ok()) return {HOLDFAST_SYSTEM, opened.message()};
  const Membership& membership = program_->engine().membership();
  const Roster& roster = membership.roster();
  self_ = membership.self().value;
  shown_ = std::make_unique<ShownProcess>(place_->job(), membership.self(), roster.processes(),
                                          place_->counted_rails());
  if (Status shown =
          shown_->open(bell_.get(), [this](auto& rails) { messenger_.show_rails(rails); });
      !shown.is_ok()) {
    return {HOLDFAST_SYSTEM, shown.message()};
  }
  nodes_ = roster.nodes();
  for (std::uint32_t i = 0; i < roster.processes(); ++i) {
    members_.push_back({i, roster.node_of({i}).value, 0, HOLDFAST_ALIVE});
  }
  members_[self_].incarnation = membership.incarnation().value;
  waiting_.resize(members_.size());
  waits_.resize(members_.size());
  Duration unreachable_max = reliable::EndpointOptions{}.unreachable_max;
  if (std::string wrong = read_unreachable_max(unreachable_max); !wrong.empty()) {
    return {HOLDFAST_BAD_ASSIGNMENT, wrong};
  }
  return messenger_.open(unreachable_max);
}

// A new thread has its maker's signal mask: none is to be handled there.
Outcome Session::start_thread() {
  const BlockedSignals all;
  Outcome outcome;
  try {
    thread_ = std::thread([this] {
      run();
      has_parted_ = true;
      messenger_.ring();
    });
    ::pthread_setname_np(thread_.native_handle(), "holdfast");
  } catch (const std::system_error& error) {
    outcome = {HOLDFAST_SYSTEM, std::string("cannot start a thread: ") + error.what()};
  }
  return outcome;
}

Outcome Session::wait_until_active(Time until) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_until(lock, as_chrono(until), [this] { return active_; })) {
    return {HOLDFAST_TIMED_OUT, "the job has not answered in time"};
  }
  if (!unanswered_ || other_wire_version_ == 0) return {};
  return {HOLDFAST_WRONG_VERSION, "this build speaks wire version " +
                                      std::to_string(kFrameVersion) + ", the job speaks " +
                                      std::to_string(other_wire_version_) +
                                      "; use one release of the library in the whole job"};
}

// False once the job is over for us: then whoever keeps it together is gone, and no process
// outlives its job.
bool Session::sleep(Time until) {
  return sleeper_.sleep(until, place_->rails()) != Wake::abandoned;
}

void Session::run() {
  const auto abandoned = [] { ::kill(::getpid(), SIGKILL); };
  // The rails are not polled yet: frames of those who started a moment earlier wait in the socket.
  while (monotonic_now() < start_at_) {
    if (sleeper_.sleep(start_at_, {}) == Wake::abandoned) return abandoned();
  }
  Engine& engine = program_->engine();
  engine.start(monotonic_now());
  while (true) {
    const Time now = monotonic_now();
    bool leaving = false;
    Time leave_until = Time::never();
    {
      const std::lock_guard lock(mutex_);
      leaving = leave_wanted_;
      if (leaving) leave_until = leave_until_;
    }
    if (leaving) engine.leave(now);
    const Time next = std::min(engine.turn(now), messenger_.acknowledge_kept(now));
    publish(now);
    if (leaving && (engine.membership().told() || now >= leave_until)) return;
    if (!sleep(std::min(next, leave_until))) return abandoned();
  }
}

void Session::wake() const {
  ring(bell_);
}

void Session::publish(Time now) {
  Engine& engine = program_->engine();
  const Membership& membership = engine.membership();
  shown_->watcher().turned(now, engine);
  const std::lock_guard lock(mutex_);
  const std::uint64_t version_before = version_;
  version_ = std::max(version_, membership.view().sequence());
  for (const Membership::Change& change : engine.changes()) believe(now, change);
  if (membership.fenced() && members_[self()].state != HOLDFAST_COMMITTED) {
    ++version_;  // the view itself has nothing of it
    believe(now, {membership.self(), {membership.incarnation(), MemberState::committed}});
  }
  engine.clear_changes();
  told_ = membership.leaving() && membership.told();
  unanswered_ = membership.unanswered();
  other_wire_version_ = engine.other_wire_version();
  const bool is_news = version_ != version_before;
  version_shown_ = version_;
  if (is_news) messenger_.ring();
  const bool wakes = is_news || active_ == membership.joining();
  active_ = !membership.joining();
  if (wakes) changed_.notify_all();  // and not after every heartbeat
}

// With the mutex held.
void Session::believe(Time now, const Membership::Change& change) {
  static_assert(static_cast<int>(MemberState::committed) == HOLDFAST_COMMITTED &&
                static_cast<int>(MemberState::left) == HOLDFAST_LEFT &&
                static_cast<int>(MemberState::failed) == HOLDFAST_FAILED);
  const std::uint32_t process = change.process.value;
  members_[process].incarnation = change.record.incarnation.value;
  members_[process].state = static_cast<std::int32_t>(change.record.state);
  if (process == self() && change.record.state != MemberState::committed) return;
  waiting_[process] = {members_[process], version_, now.ns};
  if (waits_[process]) return;
  if (order_.empty()) ring(verdicts_ready_);
  order_.push_back(process);
  waits_[process] = true;
}

bool Session::next_verdict(Time until, holdfast_verdict& verdict) {
  std::unique_lock lock(mutex_);
  const auto any = [this] { return !order_.empty(); };
  if (until == Time::never()) {
    changed_.wait(lock, any);
  } else if (!changed_.wait_until(lock, as_chrono(until), any)) {
    return false;
  }
  const std::uint32_t process = order_.front();
  order_.pop_front();
  waits_[process] = false;
  verdict = waiting_[process];
  if (order_.empty()) {
    std::uint64_t rung = 0;
    [[maybe_unused]] const ssize_t got = ::read(verdicts_ready_.get(), &rung, sizeof rung);
  }
  return true;
}

holdfast_member Session::member(std::uint32_t process) const {
  const std::lock_guard lock(mutex_);
  return members_[process];
}

std::uint64_t Session::view(holdfast_member* members) const {
  const std::lock_guard lock(mutex_);
  if (members != nullptr) std::copy(members_.begin(), members_.end(), members);
  return version_;
}

bool Session::leave(Time until) {
  messenger_.finish();
  {
    const std::lock_guard lock(mutex_);
    leave_wanted_ = true;
    leave_until_ = until;
  }
  ring(bell_);
  messenger_.linger(until);
  thread_.join();
  place_->left();
  return told_;
}

Session::~Session() {
  if (!thread_.joinable()) return;
  (void)leave(monotonic_now());
}

}  // namespace holdfast::hw
