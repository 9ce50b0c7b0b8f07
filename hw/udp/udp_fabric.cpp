// Peers, posts, polls and sleep; see the header for what is promised.
#include "hw/udp/udp_fabric.hpp"

#include <linux/sock_diag.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {
constexpr std::uint32_t kRunsOfAPost = 2;
// Who has polled so often since it slept does not sleep.
constexpr std::uint32_t kPollsOfAPoller = 64;
}  // namespace

UdpFabric::UdpFabric(const UdpOptions& options, Descriptor socket, Descriptor epoll,
                     std::unique_ptr<PortWatch> port, const UdpEndpoint& local)
    : local_(local),
      socket_(std::move(socket)),
      epoll_(std::move(epoll)),
      port_(std::move(port)),
      queues_(options.send_depth, options.receive_depth),
      sender_({local, options.send_buffer_bytes, options.peers_max}),
      receiver_(queues_.slots(), options.receive_depth) {
  caps_.kind = "udp";
  caps_.frame_bytes_max = options.frame_bytes_max;
  caps_.inline_bytes_max = options.frame_bytes_max;
  caps_.send_depth = options.send_depth;
  caps_.receive_depth = options.receive_depth;
  caps_.datagram = true;
  caps_.gathers = true;
  // Runs that are as long as can be.
  caps_.post_bytes_best =
      kRunsOfAPost * UdpSender::frames_of_a_run(options.frame_bytes_max) * options.frame_bytes_max;
  caps_.post_frames_best = kRunsOfAPost * UdpSender::frames_of_a_run(1);
}

UdpCounters UdpFabric::counters() const {
  const UdpReceiver::Counters& received = receiver_.counters();
  return {frames_sent_,       received.frames, send_errors_, received.errors,
          received.truncated, sender_.runs(),  received.runs};
}

std::uint64_t UdpFabric::dropped_by_kernel() const {
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
  socklen_t size = sizeof memory;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_MEMINFO, memory.data(), &size);
  return memory[SK_MEMINFO_DROPS];
}

// An address of the other version is none of this socket's.
Peer UdpFabric::attach(const Address& address, Service service) {
  const std::optional<UdpEndpoint> endpoint = to_udp_endpoint(address);
  const bool reachable = endpoint && endpoint->ip.is_v6() == local_.ip.is_v6();
  return service == Service::datagram && reachable ? sender_.attach(*endpoint) : kNoPeer;
}

// Its own socket, if there is one, is about to be closed.
void UdpFabric::leave_own(Peer peer) {
  HOLDFAST_ASSERT(sender_.is_attached(peer));
  const int own = sender_.way_to(peer, socket_.get());
  if (own == watched_) watch_room_of(-1);
  if (own == full_) full_ = socket_.get();
}

void UdpFabric::detach(Peer peer) {
  leave_own(peer);
  sender_.detach(peer);
}

void UdpFabric::reset(Peer peer) {
  leave_own(peer);
  sender_.reset(peer);
}

Region UdpFabric::register_memory(std::span<std::byte>) {
  return Region{regions_++};
}

std::size_t UdpFabric::offer(std::span<const ReceiveSlot> slots) {
  const std::size_t room = queues_.slots().room() - receiver_.filled_slots();
  return queues_.offer(slots.first(std::min(slots.size(), room)));
}

bool UdpFabric::is_possible(const Operation& operation) const {
  return operation.kind == OperationKind::send &&
         operation.frame_bytes() <= caps_.frame_bytes_max && sender_.is_attached(operation.peer);
}

// The longest prefix that can be sent and whose completions have room.
std::size_t UdpFabric::possible(std::span<const Operation> operations) const {
  std::size_t completing = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!is_possible(operations[i])) return i;
    if (!operations[i].inline_data && ++completing > queues_.room()) return i;
  }
  return operations.size();
}

// Sends what is staged and completes it. False if the kernel has no room. `unreachable` becomes the
// first inline operation that no way leads to.
bool UdpFabric::send_staged(std::span<const Operation> operations, std::size_t& sent,
                            const Operation*& unreachable) {
  const bool completes = !std::all_of(operations.begin(), operations.end(),
                                      [](const Operation& one) { return one.inline_data; });
  const Time now = completes ? monotonic_now() : Time{};
  while (sender_.has_more()) {
    std::size_t frames = 0;
    const UdpSender::Outcome outcome = sender_.send(socket_.get(), frames);
    if (outcome == UdpSender::Outcome::full) {
      kernel_was_full_ = true;
      full_ = sender_.way_out(socket_.get());
      return false;
    }
    if (outcome == UdpSender::Outcome::unsegmented) return true;
    const bool went = outcome == UdpSender::Outcome::sent;
    (went ? frames_sent_ : send_errors_) += frames;
    for (const Operation& operation : operations.subspan(sent, frames)) {
      if (went) {
        queues_.complete(operation, Completion::ok, now);
      } else if (!operation.inline_data) {
        queues_.complete(operation, Completion::local_error, now);
      } else if (outcome == UdpSender::Outcome::unreachable && unreachable == nullptr) {
        unreachable = &operation;
      }
    }
    sent += frames;
  }
  return true;
}

std::size_t UdpFabric::post(std::span<const Operation> operations) {
  std::size_t accepted = 0;
  const Operation* unreachable = nullptr;
  while (accepted < operations.size()) {
    const auto left = operations.subspan(accepted);
    if (sender_.stage(left.first(possible(left))) > 0) {
      std::size_t sent = 0;
      const bool has_room = send_staged(left, sent, unreachable);
      accepted += sent;
      if (!has_room) break;
    } else if (queues_.room() == 0) {
      break;
    } else {
      queues_.complete(operations[accepted++], Completion::local_error, monotonic_now());
    }
  }
  // After all others, for whom the room is kept.
  if (unreachable != nullptr && queues_.room() > 0) {
    queues_.complete(*unreachable, Completion::local_error, monotonic_now());
  }
  if (accepted < operations.size()) queues_.owe_writable();
  return accepted;
}

bool UdpFabric::kernel_has_room() {
  if (kernel_was_full_) {
    pollfd socket{full_, POLLOUT, 0};
    kernel_was_full_ = ::poll(&socket, 1, 0) <= 0 || (socket.revents & POLLOUT) == 0;
  }
  return !kernel_was_full_;
}

std::size_t UdpFabric::poll(std::span<Event> events) {
  if (interest_ && ++polls_ == kPollsOfAPoller) watch_ours(std::nullopt);
  std::size_t count = 0;
  if (port_ != nullptr && !events.empty() && port_->look(monotonic_now(), events[0])) ++count;
  count += queues_.poll(events.subspan(count), [this] { return kernel_has_room(); });
  return count + receiver_.poll(socket_.get(), events.subspan(count));
}

// An error alone would keep a descriptor readable for ever; reading it clears it.
void UdpFabric::clear_error(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  receiver_.count_error();
}

// Absent: not at all. False: the kernel refuses.
bool UdpFabric::watch_ours(std::optional<std::uint32_t> interest) {
  if (interest == interest_) return true;
  epoll_event event{};
  event.events = interest.value_or(0);
  const int action = !interest ? EPOLL_CTL_DEL : !interest_ ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  const bool done = ::epoll_ctl(epoll_.get(), action, socket_.get(), &event) == 0;
  if (done) interest_ = interest;
  return done;
}

// `socket`: a peer's own, or -1. Not for longer than it is needed: where a child has it, too, the
// kernel would tell of it for ever. False: the kernel refuses.
bool UdpFabric::watch_room_of(int socket) {
  if (socket == watched_) return true;
  epoll_event event{};
  event.events = EPOLLOUT;
  if (watched_ >= 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, std::exchange(watched_, -1), &event);
  if (socket < 0) return true;
  const bool done = ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event) == 0;
  if (done) watched_ = socket;
  return done;
}

Armed UdpFabric::arm() {
  if (queues_.has_completions() || (queues_.owes_writable() && !kernel_was_full_) ||
      receiver_.has_frames()) {
    return {false, -1};
  }
  if (port_ != nullptr) port_->look_at_once();
  const bool wants_read = !queues_.slots().empty();
  const bool wants_write = queues_.owes_writable();
  const bool is_ours = full_ == socket_.get();
  const auto of_ours =
      static_cast<short>((wants_read ? POLLIN : 0) | (wants_write && is_ours ? POLLOUT : 0));
  std::array<pollfd, 2> ends{pollfd{socket_.get(), of_ours, 0},
                             {wants_write && !is_ours ? full_ : -1, POLLOUT, 0}};
  if (::poll(ends.data(), ends.size(), 0) > 0) {
    for (const pollfd& end : ends) {
      if ((end.revents & (POLLIN | POLLOUT)) != 0) return {false, -1};
      if (end.revents != 0) clear_error(end.fd);
    }
  }
  const std::uint32_t interest =
      (wants_read ? EPOLLIN : 0u) | (wants_write && is_ours ? EPOLLOUT : 0u);
  polls_ = 0;
  sender_.note_sleep();
  const bool is_woken = watch_ours(interest) && watch_room_of(ends[1].fd);
  return {true, is_woken ? epoll_.get() : -1};
}

}  // namespace holdfast::hw
