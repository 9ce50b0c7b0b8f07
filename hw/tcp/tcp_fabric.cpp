// One epoll for what arrives, one for what waits to leave; see the header for what is promised.
#include "hw/tcp/tcp_fabric.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hw/listener_rest.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/tcp/framing.hpp"
#include "hw/tcp/open_socket.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

// Between two attempts to reach somebody who is not there.
constexpr Duration kAgain = milliseconds(20);
// Events that are told of without a look for others. A frame that is placed is told of alone.
constexpr std::size_t kToldAtMost = 8;

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
  sockets.listener = open_listener(options.local);
  if (!sockets.listener.is_open()) return socket_failure("cannot listen at", "TCP", options.local);
  const int listener = sockets.listener.get();
  sockets.arrivals = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  sockets.departures = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  sockets.all = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  if (!sockets.arrivals.is_open() || !sockets.departures.is_open() || !sockets.all.is_open() ||
      !control(sockets.arrivals, EPOLL_CTL_ADD, listener, EPOLLIN, kListener) ||
      !control(sockets.all, EPOLL_CTL_ADD, sockets.arrivals.get(), 0, 0) ||
      !control(sockets.all, EPOLL_CTL_ADD, sockets.departures.get(), EPOLLIN, 1)) {
    return socket_failure("cannot watch", "TCP", options.local);
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
      send_buffer_bytes_(
          std::max<std::size_t>(options.send_buffer_bytes, stream_bytes(options.frame_bytes_max))),
      receivers_(options.peers_max),
      handles_(options.peers_max),
      queues_(options.send_depth, options.receive_depth),
      places_(std::size_t{options.peers_max} + options.incoming_max),
      from_others_max_(options.incoming_max),
      ready_(places_.size()) {
  caps_.kind = "tcp";
  caps_.frame_bytes_max = options.frame_bytes_max;
  caps_.inline_bytes_max = options.frame_bytes_max;
  caps_.send_depth = options.send_depth;
  caps_.receive_depth = options.receive_depth;
  caps_.datagram = true;
  caps_.gathers = true;
  caps_.post_bytes_best = Outgoing::kBytesBest;
  free_places_.reserve(places_.size());
  for (std::size_t i = places_.size(); i > 0; --i)
    free_places_.push_back(static_cast<std::uint32_t>(i - 1));
}

TcpFabric::~TcpFabric() {
  // Whoever else has the socket, nobody listens any more.
  ::shutdown(sockets_.listener.get(), SHUT_RDWR);
  for (Place& place : places_) {
    if (place.connection != nullptr) place.connection->finish();
    place.connection.reset();
  }
}

Peer TcpFabric::attach(const Address& address, Service service) {
  const auto endpoint = to_udp_endpoint(address);
  if (service != Service::datagram || !endpoint || handles_.full()) return kNoPeer;
  if (endpoint->ip.is_v6() != local_.ip.is_v6()) return kNoPeer;
  std::uint32_t unused = 0;  // there are enough
  for (std::uint32_t place = 0; place < receivers_.size(); ++place) {
    if (!handles_.is_used(place)) {
      unused = place;
    } else if (receivers_[place].endpoint == *endpoint) {
      return handles_.give(place);
    }
  }
  receivers_[unused].frames = std::make_unique<Outgoing>(send_buffer_bytes_);
  receivers_[unused].endpoint = *endpoint;
  lead_from_other(unused);
  return handles_.give(unused);
}

void TcpFabric::detach(Peer peer) {
  const std::uint32_t receiver = handles_.place_of(peer);
  handles_.take_back(peer);
  if (handles_.is_used(receiver)) return;
  // In place of one that is closed there may be another.
  while (receivers_[receiver].connection != kNone) leave(receivers_[receiver].connection);
  receivers_[receiver] = {};
}

// Nothing is sent over that connection any more.
void TcpFabric::leave(std::uint32_t at) {
  Place& place = places_[at];
  Receiver& receiver = receivers_[place.receiver];
  const bool is_between_frames = place.connection->is_made() && receiver.frames->is_empty();
  const bool is_ours = !place.is_from_other;
  if (!is_between_frames || !hand_to_others(at)) return close(at, Time{});
  place.receiver = receiver.connection = kNone;
  // What has left arrives, and so does what the other side sends over it until it hears of the end.
  if (is_ours) place.connection->send_no_more();
}

// It takes nothing any more. What has come over it and was not read yet is read to its end.
void TcpFabric::stop_sending(std::uint32_t at, Time now) {
  Place& place = places_[at];
  if (!hand_to_others(at)) return close(at, now);
  watch(at, false);
  place.connection->send_no_more();
  lose_connection(std::exchange(place.receiver, kNone), true, now);
}

// A connection that is not ours to send over, whoever made it. False: there are too many.
bool TcpFabric::hand_to_others(std::uint32_t at) {
  Place& place = places_[at];
  if (place.is_from_other) return true;
  if (from_others_ == from_others_max_) return false;
  place.is_from_other = true;
  ++from_others_;
  return true;
}

void TcpFabric::reset(Peer peer) {
  HOLDFAST_ASSERT(handles_.is_given(peer));
}

Region TcpFabric::register_memory(std::span<std::byte>) {
  return Region{regions_++};
}

bool TcpFabric::is_possible(const Operation& operation) const {
  return operation.kind == OperationKind::send &&
         operation.frame_bytes() <= caps_.frame_bytes_max && handles_.is_given(operation.peer);
}

std::uint32_t TcpFabric::add(Descriptor socket, const UdpEndpoint& peer, Connection::Stage stage) {
  const std::uint32_t at = free_places_.back();
  if (!control(sockets_.arrivals, EPOLL_CTL_ADD, socket.get(), EPOLLIN, at)) return kNone;
  free_places_.pop_back();
  places_[at].connection =
      std::make_unique<Connection>(std::move(socket), peer, stage, caps_.frame_bytes_max);
  return at;
}

// The receiver is sent to over that connection from now on.
void TcpFabric::lead(std::uint32_t place, std::uint32_t receiver) {
  places_[place].receiver = receiver;
  receivers_[receiver].connection = place;
}

// If it has made a connection by which it can be told.
void TcpFabric::lead_from_other(std::uint32_t receiver) {
  for (std::uint32_t at = 0; at < places_.size(); ++at) {
    const Place& place = places_[at];
    if (place.connection == nullptr || place.receiver != kNone) continue;
    const bool leads = place.connection->peer() == receivers_[receiver].endpoint;
    if (leads && place.connection->may_send()) return lead(at, receiver);
  }
}

// False: there is none, and none is to be had now.
bool TcpFabric::connect(std::uint32_t receiver, Time now) {
  Receiver& to = receivers_[receiver];
  if (to.connection != kNone) return true;
  if (now < to.again) return false;
  to.again = now + kAgain;
  // It may have come to us meanwhile.
  accept_all(now);
  if (to.connection != kNone) return true;
  const bool from_any = to.has_broken || to.endpoint == local_;
  Begun begun =
      begin_connection(local_, to.endpoint, from_any ? LeavesFrom::any_port : LeavesFrom::own_port);
  if (!begun.socket.is_open()) return false;
  using Stage = Connection::Stage;
  const std::uint32_t place =
      add(std::move(begun.socket), to.endpoint, begun.is_made ? Stage::made : Stage::connecting);
  if (place == kNone) return false;
  lead(place, receiver);
  return true;
}

// Where the other side's kernel believes in an earlier connection between the same two ports the
// next attempt would be a second away. Nothing of what waits has left.
void TcpFabric::connect_otherwise(std::uint32_t receiver, Time now) {
  Receiver& to = receivers_[receiver];
  remove(std::exchange(to.connection, kNone));
  to.has_broken = true;
  if (connect(receiver, now)) return watch(to.connection, true);
  counters_.lost += to.frames->lose();
}

void TcpFabric::close(std::uint32_t at, Time now) {
  const std::uint32_t receiver = places_[at].receiver;
  const bool was_made = places_[at].connection->is_made();
  remove(at);
  if (receiver != kNone) lose_connection(receiver, was_made, now);
}

void TcpFabric::remove(std::uint32_t at) {
  watch(at, false);
  Place& place = places_[at];
  // Where a child has the socket, too, the kernel would tell of it for ever.
  control(sockets_.arrivals, EPOLL_CTL_DEL, place.connection->descriptor(), 0, at);
  place.receiver = kNone;
  place.connection.reset();
  dialogue_.end_with(at);
  if (std::exchange(place.is_from_other, false)) --from_others_;
  free_places_.push_back(at);
}

void TcpFabric::lose_connection(std::uint32_t receiver, bool was_made, Time now) {
  Receiver& to = receivers_[receiver];
  to.connection = kNone;
  counters_.lost += to.frames->lose();
  // One that was made may be made again at once; one that was refused may not.
  if (was_made) {
    to.again = now;
    to.has_broken = true;
  }
  lead_from_other(receiver);
}

// The kernel tells of a connection that is made, or has room again.
void TcpFabric::watch(std::uint32_t at, bool wanted) {
  Place& place = places_[at];
  if (wanted == place.is_watched) return;
  place.is_watched = wanted;
  control(sockets_.departures, wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
          place.connection->descriptor(), EPOLLOUT, at);
  watched_ = wanted ? watched_ + 1 : watched_ - 1;
}

// Who waits for the listener stays there, and would wake us again and again.
void TcpFabric::rest(Time now) {
  rests_until_ = now + kListenerRest;
  control(sockets_.arrivals, EPOLL_CTL_MOD, sockets_.listener.get(), 0, kListener);
}

// If it is over.
void TcpFabric::end_rest(Time now) {
  if (now < rests_until_) return;
  rests_until_ = Time::never();
  control(sockets_.arrivals, EPOLL_CTL_MOD, sockets_.listener.get(), EPOLLIN, kListener);
}

// Frames for one receiver; what finds no room is lost.
void TcpFabric::send(std::uint32_t receiver, std::span<const Outgoing::Frame> frames, Time now) {
  std::size_t sent = 0;
  if (connect(receiver, now)) {
    Outgoing& waiting = *receivers_[receiver].frames;
    Connection& connection = *places_[receivers_[receiver].connection].connection;
    // From where they lie, if nothing is to leave before them.
    if (waiting.is_empty() && connection.look() == Connection::Stage::made)
      sent = waiting.send(connection.descriptor(), frames);
  }
  for (; sent < frames.size(); ++sent) {
    const auto takes = [&] {
      return connect(receiver, now) && receivers_[receiver].frames->take(frames[sent]);
    };
    bool taken = takes();
    if (!taken && receivers_[receiver].connection != kNone) {
      flush(receiver, now);
      taken = takes();
    }
    if (!taken) break;
  }
  counters_.frames_sent += sent;
  counters_.lost += frames.size() - sent;
  flush(receiver, now);
}

void TcpFabric::flush(std::uint32_t receiver, Time now) {
  const std::uint32_t at = receivers_[receiver].connection;
  if (at == kNone) return;
  Connection& connection = *places_[at].connection;
  Outgoing& frames = *receivers_[receiver].frames;
  switch (connection.look()) {
    case Connection::Stage::connecting:
      if (now >= receivers_[receiver].again && !receivers_[receiver].has_broken) {
        connect_otherwise(receiver, now);
      } else {
        watch(at, true);
      }
      return;
    case Connection::Stage::failed:
      return close(at, now);
    case Connection::Stage::made:
      break;
  }
  if (!frames.flush(connection.descriptor())) return stop_sending(at, now);
  watch(at, !frames.is_empty());
}

std::size_t TcpFabric::post(std::span<const Operation> operations) {
  const Time now = monotonic_now();
  std::array<Outgoing::Frame, Outgoing::kGathered> frames;
  std::size_t count = 0;  // of `frames`, all for one receiver
  std::uint32_t receiver = kNone;
  const auto send_them = [&] {
    if (count > 0) send(receiver, std::span(frames).first(std::exchange(count, 0)), now);
  };
  std::size_t accepted = 0;
  for (; accepted < operations.size(); ++accepted) {
    const Operation& operation = operations[accepted];
    const bool possible = is_possible(operation);
    if ((!possible || !operation.inline_data) && queues_.room() == 0) {
      queues_.owe_writable();
      break;
    }
    if (possible) {
      const std::uint32_t to = handles_.place_of(operation.peer);
      if (to != receiver || count == frames.size()) send_them();
      receiver = to;
      frames[count++] = Outgoing::frame_of(operation);
    }
    queues_.complete(operation, possible ? Completion::ok : Completion::local_error, now);
  }
  send_them();
  return accepted;
}

void TcpFabric::look_after_waiting() {
  if (watched_ == 0) return;
  std::array<epoll_event, kReadyBatch> events;
  const int count = ::epoll_wait(sockets_.departures.get(), events.data(), kReadyBatch, 0);
  if (count <= 0) return;
  const Time now = monotonic_now();
  for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(count))) {
    const Place& place = places_[event.data.u32];
    if (place.is_watched) flush(place.receiver, now);
  }
}

std::size_t TcpFabric::poll(std::span<Event> events) {
  look_after_waiting();
  std::size_t count = 0;
  if (port_ != nullptr && !events.empty() && port_->look(monotonic_now(), events[0])) ++count;
  count += queues_.poll(events.subspan(count), [] { return true; });
  // Once, unless it is told of as many as can be told at once: what was told of is read until it
  // has no more, so that nothing is left of what had come by then. Who never has no more does not
  // keep the others waiting: they come before its next turn.
  bool may_have_more = true;
  if (!ready_.empty() && told_ >= kToldAtMost) look_for_arrivals(may_have_more);
  while (count < events.size() && !queues_.slots().empty()) {
    if (ready_.empty() && (!may_have_more || !look_for_arrivals(may_have_more))) break;
    if (ready_.empty()) continue;  // new connections, and nothing on them yet
    const std::uint32_t place = ready_[0];
    bool more = false;
    receive(place, events, count, more);
    ready_.pop();
    // Who has more waits for the others next time.
    places_[place].is_ready = more;
    if (more) {
      ready_.push(place);
      break;
    }
  }
  told_ += count;
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
  if (port_ != nullptr) port_->look_at_once();
  pollfd all{sockets_.all.get(), POLLIN, 0};
  if (::poll(&all, 1, 0) > 0) return {false, -1};
  return {true, sockets_.all.get(), wants_arrivals ? rests_until_ : Time::never()};
}

}  // namespace holdfast::hw
