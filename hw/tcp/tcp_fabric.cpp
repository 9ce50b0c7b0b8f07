// Two epolls, one for each direction; see the header for what is promised.
#include "hw/tcp/tcp_fabric.hpp"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "hw/tcp/framing.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

constexpr std::uint32_t kListener = 0xffff'ffff;
constexpr std::size_t kReadyBatch = 64;

// A sender whose machine has died is noticed after a while, so that its connection is not kept.
constexpr int kKeepIdleS = 10, kKeepIntervalS = 5, kKeepProbes = 3;

Status failure(const char* what, const TcpOptions& options) {
  return socket_failure(what, "TCP", options.local);
}

bool set_option(int socket, int level, int name, int value) {
  return ::setsockopt(socket, level, name, &value, sizeof value) == 0;
}

bool control(const Descriptor& epoll, int action, int socket, std::uint32_t interest,
             std::uint32_t data) {
  epoll_event event{};
  event.events = interest;
  event.data.u32 = data;
  return ::epoll_ctl(epoll.get(), action, socket, &event) == 0;
}

}  // namespace

Status TcpFabric::open(const TcpOptions& options, std::unique_ptr<TcpFabric>& opened) {
  HOLDFAST_ASSERT(options.frame_bytes_max >= 1 && options.frame_bytes_max <= 1u << 24);
  HOLDFAST_ASSERT(options.send_depth >= 1 && options.receive_depth >= 1 && options.peers_max >= 1);
  HOLDFAST_ASSERT(options.incoming_max >= 1);
  Sockets sockets;
  sockets.listener =
      Descriptor(::socket(family_of(options.local), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int listener = sockets.listener.get();
  if (!sockets.listener.is_open()) return failure("cannot create", options);
  // Who comes back finds connections of its earlier life still being taken down.
  set_option(listener, SOL_SOCKET, SO_REUSEADDR, 1);
  const SocketName name(options.local);
  if (::bind(listener, &name.any, name.size) != 0 || ::listen(listener, SOMAXCONN) != 0) {
    return failure("cannot listen at", options);
  }
  sockets.arrivals = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  sockets.departures = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  sockets.all = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  if (!sockets.arrivals.is_open() || !sockets.departures.is_open() || !sockets.all.is_open() ||
      !control(sockets.arrivals, EPOLL_CTL_ADD, listener, EPOLLIN, kListener) ||
      !control(sockets.all, EPOLL_CTL_ADD, sockets.arrivals.get(), 0, 0) ||
      !control(sockets.all, EPOLL_CTL_ADD, sockets.departures.get(), EPOLLIN, 1)) {
    return failure("cannot watch", options);
  }
  const UdpEndpoint local = local_name(listener);
  std::unique_ptr<PortWatch> port;
  if (Status status = PortWatch::open(options.port, local, sockets.all, port); !status.is_ok())
    return status;
  opened.reset(new TcpFabric(options, std::move(sockets), std::move(port), local));
  return Status::ok();
}

TcpFabric::TcpFabric(const TcpOptions& options, Sockets sockets, std::unique_ptr<PortWatch> port,
                     const UdpEndpoint& local)
    : local_(local),
      sockets_(std::move(sockets)),
      port_(std::move(port)),
      arrivals_(monotonic_now()),
      send_buffer_bytes_(std::max<std::uint32_t>(options.send_buffer_bytes,
                                                 options.frame_bytes_max + kFramePrefixBytes)),
      receivers_(options.peers_max),
      handles_(options.peers_max),
      queues_(options.send_depth, options.receive_depth),
      incoming_(options.incoming_max),
      is_ready_(options.incoming_max),
      ready_(options.incoming_max) {
  caps_.kind = "tcp";
  caps_.frame_bytes_max = options.frame_bytes_max;
  caps_.inline_bytes_max = options.frame_bytes_max;
  caps_.send_depth = options.send_depth;
  caps_.receive_depth = options.receive_depth;
  caps_.datagram = true;
  for (std::uint32_t i = options.incoming_max; i > 0; --i) free_incoming_.push_back(i - 1);
}

Peer TcpFabric::attach(const Address& address, Service service) {
  const auto endpoint = to_udp_endpoint(address);
  if (service != Service::datagram || !endpoint || handles_.full()) return kNoPeer;
  if (endpoint->ip.is_v6() != local_.ip.is_v6()) return kNoPeer;
  std::uint32_t unused = 0;  // there are enough
  for (std::uint32_t place = 0; place < receivers_.size(); ++place) {
    if (!handles_.is_used(place)) {
      unused = place;
    } else if (receivers_[place].connection->endpoint() == *endpoint) {
      return handles_.give(place);
    }
  }
  receivers_[unused] = {std::make_unique<Outgoing>(local_.ip, *endpoint, send_buffer_bytes_), 0};
  return handles_.give(unused);
}

void TcpFabric::detach(Peer peer) {
  const std::uint32_t place = handles_.place_of(peer);
  handles_.take_back(peer);
  if (handles_.is_used(place)) return;
  waiting_ -= (receivers_[place].interest & EPOLLOUT) != 0 ? 1 : 0;
  receivers_[place] = {};
}

void TcpFabric::reset(Peer peer) {
  HOLDFAST_ASSERT(handles_.is_given(peer));
}

Region TcpFabric::register_memory(std::span<std::byte>) {
  return Region{regions_++};
}

bool TcpFabric::is_possible(const Operation& operation) const {
  return operation.kind == OperationKind::send && operation.size <= caps_.frame_bytes_max &&
         handles_.is_given(operation.peer);
}

// The kernel tells of a connection that is made, that has room again, or that has gone.
void TcpFabric::watch(std::uint32_t receiver, bool is_new) {
  Receiver& place = receivers_[receiver];
  const bool is_open = place.connection->is_open();
  const std::uint32_t wanted =
      (is_open ? EPOLLRDHUP : 0u) | (place.connection->is_waiting() ? EPOLLOUT : 0u);
  if (!is_new && wanted == place.interest) return;
  if (is_open) {
    control(sockets_.departures, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD,
            place.connection->descriptor(), wanted, receiver);
  }
  waiting_ -= (place.interest & EPOLLOUT) != 0 ? 1 : 0;
  waiting_ += (wanted & EPOLLOUT) != 0 ? 1 : 0;
  place.interest = wanted;
}

void TcpFabric::send(std::uint32_t receiver, const Operation& operation, Time now) {
  Outgoing& connection = *receivers_[receiver].connection;
  bool opened = false;
  bool taken = connection.take(operation.data, operation.size, now, opened);
  if (opened) watch(receiver, true);
  if (!taken && connection.is_waiting()) {
    counters_.lost += connection.flush(now);
    taken = connection.take(operation.data, operation.size, now, opened);
    if (opened) watch(receiver, true);
  }
  ++(taken ? counters_.frames_sent : counters_.lost);
}

void TcpFabric::flush(std::uint32_t receiver, Time now) {
  counters_.lost += receivers_[receiver].connection->flush(now);
  watch(receiver, false);
}

std::size_t TcpFabric::post(std::span<const Operation> operations) {
  const Time now = monotonic_now();
  std::size_t accepted = 0;
  for (; accepted < operations.size(); ++accepted) {
    const Operation& operation = operations[accepted];
    const bool possible = is_possible(operation);
    if ((!possible || !operation.inline_data) && queues_.room() == 0) {
      queues_.owe_writable();
      break;
    }
    if (possible) send(handles_.place_of(operation.peer), operation, now);
    queues_.complete(operation, possible ? Completion::ok : Completion::local_error, now);
  }
  // Once for all frames of a batch to one receiver.
  for (const Operation& operation : operations.first(accepted)) {
    if (is_possible(operation)) flush(handles_.place_of(operation.peer), now);
  }
  return accepted;
}

// Connections that are made, have room again, or have gone.
void TcpFabric::look_after_connections() {
  // All is well with most of them at most times; what has gone is also noticed by who sends.
  constexpr std::uint32_t kLooksApart = 64;
  const bool is_urgent = std::exchange(slept_, false) || waiting_ > 0;
  if (!is_urgent && ++polls_ % kLooksApart != 0) return;
  std::array<epoll_event, kReadyBatch> events;
  const int count = ::epoll_wait(sockets_.departures.get(), events.data(), kReadyBatch, 0);
  if (count <= 0) return;
  const Time now = monotonic_now();
  for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(count))) {
    const std::uint32_t receiver = event.data.u32;
    if ((event.events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0) {
      counters_.lost += receivers_[receiver].connection->close(now);
      watch(receiver, false);
    } else {
      flush(receiver, now);
    }
  }
}

void TcpFabric::accept_all() {
  for (;;) {
    Descriptor socket(
        ::accept4(sockets_.listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    if (free_incoming_.empty()) {
      ++counters_.refused;
      continue;
    }
    set_option(socket.get(), SOL_SOCKET, SO_TIMESTAMPNS, 1);
    set_option(socket.get(), SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdleS);
    set_option(socket.get(), IPPROTO_TCP, TCP_KEEPINTVL, kKeepIntervalS);
    set_option(socket.get(), IPPROTO_TCP, TCP_KEEPCNT, kKeepProbes);
    const std::uint32_t place = free_incoming_.back();
    if (!control(sockets_.arrivals, EPOLL_CTL_ADD, socket.get(), EPOLLIN, place)) continue;
    free_incoming_.pop_back();
    incoming_[place] = std::make_unique<Incoming>(std::move(socket), caps_.frame_bytes_max);
  }
}

// False if nothing has come. `more`: not all that may have come was told of, or connections are
// new.
bool TcpFabric::look_for_arrivals(bool& more) {
  const Time began = monotonic_now();
  std::array<epoll_event, kReadyBatch> events;
  const int count = ::epoll_wait(sockets_.arrivals.get(), events.data(), kReadyBatch, 0);
  if (count <= 0) {
    arrivals_.emptied(began);
    return false;
  }
  more = static_cast<std::size_t>(count) == events.size();
  for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(count))) {
    const std::uint32_t place = event.data.u32;
    if (place == kListener) {
      accept_all();
      more = true;
    } else if (!is_ready_[place]) {
      is_ready_[place] = true;
      ready_.push(place);
    }
  }
  return true;
}

void TcpFabric::end(std::uint32_t incoming) {
  incoming_[incoming].reset();
  free_incoming_.push_back(incoming);
}

// Frames of one connection; `more` tells that there may be others for which there was no room.
std::size_t TcpFabric::receive(std::uint32_t incoming, std::span<Event> events, bool& more) {
  Incoming& connection = *incoming_[incoming];
  const ClockPair now = read_clocks();
  std::size_t count = 0;
  more = false;
  for (;;) {
    std::span<const std::byte> frame;
    const Incoming::Next next = connection.next(frame);
    if (next == Incoming::Next::incomplete) {
      const Incoming::Read read = connection.read();
      if (read == Incoming::Read::some) continue;
      if (read == Incoming::Read::ended) end(incoming);
      return count;
    }
    if (next == Incoming::Next::impossible) {
      ++counters_.impossible;
      end(incoming);
      return count;
    }
    if (count == events.size() || queues_.slots().empty()) {
      more = true;
      return count;
    }
    if (frame.size() > queues_.slots()[0].size) {
      ++counters_.truncated;
    } else {
      const ReceiveSlot slot = queues_.slots().pop();
      std::copy(frame.begin(), frame.end(), slot.data);
      Event& event = events[count++] = Event{};
      event.kind = EventKind::received;
      event.size = static_cast<std::uint32_t>(frame.size());
      event.cookie = slot.cookie;
      const std::int64_t stamp = connection.wall_ns();
      event.at = arrivals_.arrival(stamp != 0 ? stamp : now.wall_ns, now);
      ++counters_.frames_received;
    }
    connection.drop();
  }
}

std::size_t TcpFabric::poll(std::span<Event> events) {
  look_after_connections();
  std::size_t count = 0;
  if (port_ != nullptr && !events.empty() && port_->look(monotonic_now(), events[0])) ++count;
  count += queues_.poll(events.subspan(count), [] { return true; });
  // Once, unless it is told of as many as can be told at once: what was told of is read until it
  // has no more, so that nothing is left of what had come by then.
  bool may_have_more = true;
  while (count < events.size() && !queues_.slots().empty()) {
    if (ready_.empty() && (!may_have_more || !look_for_arrivals(may_have_more))) break;
    if (ready_.empty()) continue;  // new connections, and nothing on them yet
    const std::uint32_t incoming = ready_[0];
    bool more = false;
    count += receive(incoming, events.subspan(count), more);
    if (more) break;
    ready_.pop();
    is_ready_[incoming] = false;
  }
  return count;
}

Armed TcpFabric::arm() {
  if (queues_.has_completions() || queues_.owes_writable()) return {false, -1};
  const bool wants_arrivals = !queues_.slots().empty();
  if (wants_arrivals && !ready_.empty()) return {false, -1};
  if (wants_arrivals != wakes_for_arrivals_) {
    control(sockets_.all, EPOLL_CTL_MOD, sockets_.arrivals.get(), wants_arrivals ? EPOLLIN : 0u, 0);
    wakes_for_arrivals_ = wants_arrivals;
  }
  slept_ = true;
  if (port_ != nullptr) port_->look_at_once();
  pollfd all{sockets_.all.get(), POLLIN, 0};
  if (::poll(&all, 1, 0) > 0) return {false, -1};
  return {true, sockets_.all.get()};
}

}  // namespace holdfast::hw
