// A pidfd becomes readable when its process ends, also before anyone has waited for it
// (pidfd_open(2)).
#include "hw/watch/watch_fabric.hpp"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

constexpr std::size_t kBatch = 64;  // endings of one system call

// What pidfd_open says of a number that no process has, or by now a thread: EINVAL for that, and
// since Linux 6.16 ENOENT.
bool is_nobody(int error) {
  return error == ESRCH || error == EINVAL || error == ENOENT;
}

// By its number: glibc 2.36 declares pidfd_open for C only.
Descriptor open_process(std::int32_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

// For errno, and how it is mended if it is not for want of descriptors.
Status refused(const char* what, const char* mend) {
  const int reason = errno;
  if (reason == EMFILE || reason == ENFILE) mend = "raise the limit of open files (ulimit -n)";
  return Status::error(std::string("the ends of processes cannot be watched: ") + what + ": " +
                       std::strerror(reason) + "; " + mend);
}

}  // namespace

Status WatchFabric::open(std::uint32_t peers_max, std::unique_ptr<WatchFabric>& opened) {
  HOLDFAST_ASSERT(peers_max >= 1);
  Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.is_open()) return refused("epoll_create1", "the system has no memory for it");
  const auto self = identify(::getpid());
  if (!self) return refused("/proc/self/stat cannot be read", "mount /proc");
  opened.reset(new WatchFabric(std::move(epoll), *self, peers_max));
  return Status::ok();
}

Status WatchFabric::try_watching() {
  if (open_process(::getpid()).is_open()) return Status::ok();
  return refused("pidfd_open", "it needs Linux 5.3, and a container that allows the call");
}

WatchFabric::WatchFabric(Descriptor epoll, ProcessIdentity self, std::uint32_t peers_max)
    : epoll_(std::move(epoll)), self_(self), peers_(peers_max), ended_(peers_max) {
  caps_.kind = "watch";
  caps_.watch = true;
  free_.reserve(peers_max);
  for (std::uint32_t i = peers_max; i > 0; --i) free_.push_back(i - 1);
}

Peer WatchFabric::attach(const Address& address, Service service) {
  const std::optional<ProcessIdentity> wanted = to_process_identity(address);
  if (service != Service::watch || !wanted || free_.empty()) return kNoPeer;
  Descriptor process = open_process(wanted->pid);
  // No descriptors left is our fault, not the process's end.
  if (!process.is_open() && !is_nobody(errno)) return kNoPeer;
  const Peer peer{free_.back()};
  // Asked after the number is pinned: if the identity is the wanted one now, the pinned process is
  // it, because it started before we were told of it.
  ProcessIdentity now;
  const Found found = process.is_open() ? find_process(wanted->pid, now) : Found::nobody;
  if (found == Found::unknown) return kNoPeer;
  if (found == Found::process && now == *wanted) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = peer.value;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, process.get(), &event) != 0) return kNoPeer;
    peers_[peer.value].process = std::move(process);
  } else {
    ended_.push(peer);
  }
  free_.pop_back();
  peers_[peer.value].attached = true;
  return peer;
}

void WatchFabric::detach(Peer peer) {
  HOLDFAST_ASSERT(peer.value < peers_.size() && peers_[peer.value].attached);
  forget(peers_[peer.value].process);
  peers_[peer.value].attached = false;
  ended_.remove_if([peer](Peer other) { return other == peer; });
  free_.push_back(peer.value);
}

// Closing alone is not enough if a fork has inherited the descriptor.
void WatchFabric::forget(Descriptor& process) {
  if (!process.is_open()) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, process.get(), nullptr);
  process.close();
}

std::size_t WatchFabric::poll(std::span<Event> events) {
  std::size_t count = 0;
  const auto tell = [&](Peer peer) {
    Event event;
    event.kind = EventKind::peer_down;
    event.peer = peer;
    event.at = monotonic_now();
    events[count++] = event;
  };
  while (count < events.size() && !ended_.empty()) tell(ended_.pop());
  std::array<epoll_event, kBatch> ready;
  while (count < events.size()) {
    const std::size_t wanted = std::min(events.size() - count, kBatch);
    const int got = ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(wanted), 0);
    for (int i = 0; i < got; ++i) {
      const Peer peer{ready[static_cast<std::size_t>(i)].data.u32};
      forget(peers_[peer.value].process);  // an ending is told once
      tell(peer);
    }
    if (got < static_cast<int>(wanted)) break;
  }
  return count;
}

Armed WatchFabric::arm() {
  if (!ended_.empty()) return {false, -1};
  std::array<epoll_event, 1> ready;
  if (::epoll_wait(epoll_.get(), ready.data(), 1, 0) > 0) return {false, -1};
  return {true, epoll_.get()};
}

}  // namespace holdfast::hw
