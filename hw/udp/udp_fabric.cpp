// sendmmsg and recvmmsg over arrays that are prepared once; see the header for what is promised.
#include "hw/udp/udp_fabric.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

UdpFabric::UdpFabric(const UdpOptions& options, Descriptor socket, Descriptor epoll,
                     UdpEndpoint local)
    : local_(local),
      socket_(std::move(socket)),
      epoll_(std::move(epoll)),
      arrivals_(monotonic_now()),
      peers_(options.peers_max),
      queues_(options.send_depth, options.receive_depth) {
  caps_.kind = "udp";
  caps_.frame_bytes_max = options.frame_bytes_max;
  caps_.inline_bytes_max = options.frame_bytes_max;
  caps_.send_depth = options.send_depth;
  caps_.receive_depth = options.receive_depth;
  caps_.datagram = true;
  free_peers_.reserve(options.peers_max);
  for (std::uint32_t i = options.peers_max; i > 0; --i) free_peers_.push_back(i - 1);
  for (std::size_t i = 0; i < kBatch; ++i) {
    send_headers_[i].msg_hdr.msg_iov = &send_vectors_[i];
    send_headers_[i].msg_hdr.msg_iovlen = 1;
    send_headers_[i].msg_hdr.msg_namelen = sizeof(sockaddr_in);
    receive_headers_[i].msg_hdr.msg_iov = &receive_vectors_[i];
    receive_headers_[i].msg_hdr.msg_iovlen = 1;
    receive_headers_[i].msg_hdr.msg_control = &receive_controls_[i];
  }
}

Peer UdpFabric::attach(const Address& address, Service service) {
  const std::optional<UdpEndpoint> endpoint = to_udp_endpoint(address);
  if (service != Service::datagram || !endpoint || free_peers_.empty()) return kNoPeer;
  const Peer peer{free_peers_.back()};
  free_peers_.pop_back();
  peers_[peer.value] = to_socket_name(*endpoint);
  return peer;
}

void UdpFabric::detach(Peer peer) {
  HOLDFAST_ASSERT(peer.value < peers_.size() && peers_[peer.value].sin_family == AF_INET);
  peers_[peer.value] = sockaddr_in{};
  free_peers_.push_back(peer.value);
}

void UdpFabric::reset(Peer peer) {
  HOLDFAST_ASSERT(peer.value < peers_.size() && peers_[peer.value].sin_family == AF_INET);
}

Region UdpFabric::register_memory(std::span<std::byte>) {
  return Region{regions_++};
}

bool UdpFabric::is_possible(const Operation& operation) const {
  return operation.kind == OperationKind::send && operation.size <= caps_.frame_bytes_max &&
         operation.peer.value < peers_.size() && peers_[operation.peer.value].sin_family == AF_INET;
}

// Prepares the longest prefix that one system call may send and whose completions have room.
std::size_t UdpFabric::stage(std::span<const Operation> operations) {
  const std::size_t limit = std::min(operations.size(), kBatch);
  std::size_t completing = 0;
  for (std::size_t i = 0; i < limit; ++i) {
    const Operation& operation = operations[i];
    if (!is_possible(operation)) return i;
    if (!operation.inline_data && ++completing > queues_.room()) return i;
    send_vectors_[i] = {operation.data, operation.size};
    send_headers_[i].msg_hdr.msg_name = &peers_[operation.peer.value];
  }
  return limit;
}

// Sends what stage() prepared; returns how many the kernel dealt with. An error may be one that an
// earlier frame left on the socket, so each frame has a second try; a second error is its own.
std::size_t UdpFabric::send_staged(std::span<const Operation> operations) {
  const Time now = monotonic_now();
  std::size_t done = 0;
  bool tried = false;
  while (done < operations.size()) {
    const int sent = ::sendmmsg(socket_.get(), &send_headers_[done],
                                static_cast<unsigned>(operations.size() - done), MSG_NOSIGNAL);
    if (sent > 0) {
      for (int i = 0; i < sent; ++i) queues_.complete(operations[done++], Completion::ok, now);
      counters_.frames_sent += static_cast<std::uint64_t>(sent);
      tried = false;
    } else if (errno == EINTR) {
      continue;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      kernel_was_full_ = true;
      return done;
    } else if (!tried) {
      tried = true;
    } else {
      const Operation& lost = operations[done++];
      ++counters_.send_errors;
      if (!lost.inline_data) queues_.complete(lost, Completion::local_error, now);
      tried = false;
    }
  }
  return done;
}

std::size_t UdpFabric::post(std::span<const Operation> operations) {
  std::size_t accepted = 0;
  while (accepted < operations.size()) {
    const std::size_t staged = stage(operations.subspan(accepted));
    if (staged > 0) {
      const std::size_t dealt_with = send_staged(operations.subspan(accepted, staged));
      accepted += dealt_with;
      if (dealt_with < staged) break;
    } else if (queues_.room() == 0) {
      break;
    } else {
      queues_.complete(operations[accepted++], Completion::local_error, monotonic_now());
    }
  }
  if (accepted < operations.size()) queues_.owe_writable();
  return accepted;
}

bool UdpFabric::kernel_has_room() {
  if (kernel_was_full_) {
    pollfd socket{socket_.get(), POLLOUT, 0};
    kernel_was_full_ = ::poll(&socket, 1, 0) <= 0 || (socket.revents & POLLOUT) == 0;
  }
  return !kernel_was_full_;
}

std::size_t UdpFabric::poll(std::span<Event> events) {
  std::size_t count = queues_.poll(events, [this] { return kernel_has_room(); });
  bool emptied = false;
  while (count < events.size() && !queues_.slots().empty() && !emptied) {
    count += receive_batch(events.subspan(count), emptied);
  }
  return count;
}

void UdpFabric::prepare_receive(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    receive_vectors_[i] = {queues_.slots()[i].data, queues_.slots()[i].size};
    receive_headers_[i].msg_hdr.msg_controllen = sizeof(Control);
    receive_headers_[i].msg_hdr.msg_flags = 0;
  }
}

// One system call. `emptied` says that the socket had no more, or is out of order.
std::size_t UdpFabric::receive_batch(std::span<Event> events, bool& emptied) {
  constexpr int kErrorsMax = 8;
  const std::size_t wanted = std::min({events.size(), queues_.slots().size(), kBatch});
  prepare_receive(wanted);
  const Time began = monotonic_now();
  int got = -1;
  for (int errors = 0; got < 0 && errors < kErrorsMax;) {
    got = ::recvmmsg(socket_.get(), receive_headers_.data(), static_cast<unsigned>(wanted),
                     MSG_DONTWAIT, nullptr);
    if (got >= 0 || errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) break;
    ++errors;
    ++counters_.receive_errors;
  }
  std::size_t count = 0;
  if (got > 0) {
    const ClockPair now = read_clocks();
    for (std::size_t i = 0; i < static_cast<std::size_t>(got); ++i) {
      const ReceiveSlot slot = queues_.slots().pop();
      if ((receive_headers_[i].msg_hdr.msg_flags & MSG_TRUNC) != 0) {
        ++counters_.truncated;
        queues_.slots().push(slot);
      } else {
        events[count++] = received(i, slot, now);
      }
    }
  }
  emptied = got < static_cast<int>(wanted);
  if (emptied) arrivals_.emptied(began);
  return count;
}

Event UdpFabric::received(std::size_t i, const ReceiveSlot& slot, const ClockPair& now) {
  ++counters_.frames_received;
  Event event;
  event.kind = EventKind::received;
  event.size = receive_headers_[i].msg_len;
  event.cookie = slot.cookie;
  const auto stamp = arrival_stamp(receive_headers_[i].msg_hdr);
  event.at = arrivals_.arrival(stamp.value_or(now.wall_ns), now);
  return event;
}

Armed UdpFabric::arm() {
  if (queues_.has_completions() || (queues_.owes_writable() && !kernel_was_full_))
    return {false, -1};
  const bool wants_read = !queues_.slots().empty();
  const bool wants_write = queues_.owes_writable();
  pollfd socket{socket_.get(),
                static_cast<short>((wants_read ? POLLIN : 0) | (wants_write ? POLLOUT : 0)), 0};
  if (::poll(&socket, 1, 0) > 0) {
    if ((socket.revents & (POLLIN | POLLOUT)) != 0) return {false, -1};
    // An error alone would keep the descriptor readable for ever; reading it clears it.
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    ++counters_.receive_errors;
  }
  const std::uint32_t interest = (wants_read ? EPOLLIN : 0u) | (wants_write ? EPOLLOUT : 0u);
  if (interest != interest_) {
    epoll_event event{};
    event.events = interest;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_.get(), &event);
    interest_ = interest;
  }
  return {true, epoll_.get()};
}

}  // namespace holdfast::hw
