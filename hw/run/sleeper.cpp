// One epoll set for everything that wakes; instants come from a timerfd, which no timer slack
// delays.
#include "hw/run/sleeper.hpp"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "hw/monotonic_clock.hpp"

namespace holdfast::hw {

namespace {

// What an entry of the epoll set is for.
enum Source : std::uint32_t { kAlarm, kSignals, kLifeline, kBell, kRail };

// Of a rail without a descriptor, or with one that the system does not watch for us now.
constexpr int kNapMs = 1;

bool add(int epoll, int descriptor, std::uint32_t events, Source source) {
  epoll_event event{};
  event.events = events;
  event.data.u32 = source;
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace

Status Sleeper::open(const WakeSources& sources) {
  if (sources.signals) {
    held_.emplace();
    signals_ = Descriptor(::signalfd(-1, &held_->set(), SFD_CLOEXEC | SFD_NONBLOCK));
  }
  bell_ = sources.bell;
  polls_ = sources.polls;
  epoll_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  alarm_ = Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const auto add_if = [this](bool wanted, int descriptor, std::uint32_t events, Source source) {
    return !wanted || add(epoll_.get(), descriptor, events, source);
  };
  const bool made = add_if(true, alarm_.get(), EPOLLIN, kAlarm) &&
                    add_if(sources.signals, signals_.get(), EPOLLIN, kSignals) &&
                    add_if(bell_ >= 0, bell_, EPOLLIN, kBell) &&
                    add_if(sources.lifeline >= 0, sources.lifeline, EPOLLRDHUP, kLifeline);
  if (made) return Status::ok();
  return Status::error(std::string("the process cannot make what it sleeps with: ") +
                       std::strerror(errno));
}

// False if a rail has events, so that there is no sleep. A rail may have to be polled before
// `until`.
bool Sleeper::arm(std::span<Fabric* const> rails, Time& until, int& longest_ms) {
  for (Fabric* rail : rails) {
    const Armed armed = rail->arm();
    if (!armed.idle) return false;
    until = std::min(until, armed.until);
    if (std::find(armed_.begin(), armed_.end(), armed.descriptor) != armed_.end()) continue;
    if (armed.descriptor >= 0 && add(epoll_.get(), armed.descriptor, EPOLLIN, kRail)) {
      armed_.push_back(armed.descriptor);
    } else {
      longest_ms = kNapMs;
    }
  }
  return true;
}

// An alarm that has gone off is set anew, since the next instant is a later one; that also makes
// its descriptor unreadable again.
void Sleeper::set_alarm(Time until) {
  if (until == alarm_at_) return;
  alarm_at_ = until;
  itimerspec at{};  // zero: no alarm
  if (until < Time::never()) {
    at.it_value.tv_sec = until.ns / 1'000'000'000;
    at.it_value.tv_nsec = until.ns % 1'000'000'000;
  }
  ::timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

// For `longest_ms`, below zero until something wakes us; how many have. All rails are idle then: an
// armed one wakes.
int Sleeper::wait(std::span<epoll_event> woken, Time until, int longest_ms) {
  const auto look = [&](int how_long_ms) {
    return ::epoll_wait(epoll_.get(), woken.data(), static_cast<int>(woken.size()), how_long_ms);
  };
  if (!polls_ || longest_ms == 0) return look(longest_ms);
  int count = look(0);
  while (count == 0 && longest_ms < 0 && monotonic_now() < until) count = look(0);
  return count;
}

Wake Sleeper::sleep(Time until, std::span<Fabric* const> rails) {
  int longest_ms = -1;
  if (until <= monotonic_now() || !arm(rails, until, longest_ms)) {
    longest_ms = 0;  // no sleep, but signals must be seen even by a busy process
  } else if (!polls_) {
    set_alarm(until);
  }
  std::array<epoll_event, 8> woken;
  const int count = wait(woken, until, longest_ms);
  Wake wake = Wake::work;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t source = woken[static_cast<std::size_t>(i)].data.u32;
    if (source == kSignals) {
      // Taken out, or it would end the process when the mask is restored.
      signalfd_siginfo received;
      if (::read(signals_.get(), &received, sizeof received) > 0) wake = Wake::signal;
    }
    if (source == kBell) {
      std::uint64_t rung = 0;
      [[maybe_unused]] const ssize_t got = ::read(bell_, &rung, sizeof rung);
    }
    if (source == kLifeline && wake == Wake::work) wake = Wake::abandoned;
  }
  return wake;
}

}  // namespace holdfast::hw
