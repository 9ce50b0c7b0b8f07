// Each change of a connection's state does its work in `advance`, and nowhere else.
#include "hw/verbs/connections.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cstring>

#include "hw/monotonic_clock.hpp"
#include "hw/verbs/completion_of.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

// Between two questions; twice as long each time, up to the longest.
constexpr Duration kAskAgainFirst = milliseconds(20);
constexpr Duration kAskAgainLongest = milliseconds(640);
// How long a stopped queue pair is kept at least, and how long it may take to end what was posted.
constexpr Duration kStopped = milliseconds(20);
constexpr Duration kStoppedLongest = seconds(2);

// Not 0. The kernel's random numbers are there long before adapters are.
std::uint64_t random_number() {
  std::uint64_t number = 0;
  while (number == 0) HOLDFAST_ASSERT(::getrandom(&number, sizeof number, 0) == sizeof number);
  return number;
}

bool is_stopped(ConnectionState state) {
  return state == ConnectionState::failing || state == ConnectionState::restarting ||
         state == ConnectionState::leaving;
}

}  // namespace

Connections::Connections(const VerbsOptions& options, const VerbsEndpoint& self,
                         ConnectedQueues& queues, DatagramQueue& datagrams, const Regions& regions,
                         FabricQueues& completions)
    : self_(self),
      queues_(queues),
      datagrams_(datagrams),
      regions_(regions),
      patience_(options.attached_within),
      connections_(options.connections_max),
      pair_numbers_(options.connections_max),
      works_(options.send_depth, completions),
      slots_(options.receive_depth),
      happened_(options.receive_depth + 2 * std::size_t{options.connections_max}) {
  free_slots_.reserve(options.receive_depth);
  for (std::uint32_t i = options.receive_depth; i > 0; --i) free_slots_.push_back(i - 1);
}

Connections::~Connections() {
  for (const Connection& connection : connections_) {
    if (connection.state != ConnectionState::free) bid_farewell(connection);
  }
}

// One that is leaving does not stand in the way of the next.
std::uint32_t Connections::find(const VerbsEndpoint& peer) const {
  for (std::uint32_t i = 0; i < connections_.size(); ++i) {
    const ConnectionState state = connections_[i].state;
    if (state != ConnectionState::free && state != ConnectionState::leaving &&
        connections_[i].peer == peer) {
      return i;
    }
  }
  return kNone;
}

std::uint32_t Connections::place_of_pair(std::uint32_t number) const {
  const auto found = std::find(pair_numbers_.begin(), pair_numbers_.end(), number);
  return found == pair_numbers_.end() ? kNone
                                      : static_cast<std::uint32_t>(found - pair_numbers_.begin());
}

bool Connections::is_attached(Peer peer) const {
  if (!is_connection(peer) || (peer.value & ~kPeerBit) >= connections_.size()) return false;
  const ConnectionState state = connections_[peer.value & ~kPeerBit].state;
  return state != ConnectionState::free && state != ConnectionState::leaving;
}

Peer Connections::attach(const VerbsEndpoint& endpoint, ibv_ah& way) {
  if (endpoint == self_ || find(endpoint) != kNone) return kNoPeer;
  const auto vacant = std::find_if(
      connections_.begin(), connections_.end(),
      [](const Connection& connection) { return connection.state == ConnectionState::free; });
  if (vacant == connections_.end()) return kNoPeer;
  vacant->peer = endpoint;
  vacant->way = &way;
  vacant->gives_up_at = monotonic_now() + patience_;
  const auto place = static_cast<std::uint32_t>(vacant - connections_.begin());
  advance(place, ConnectionEvent::attach);
  return peer_of(place);
}

void Connections::detach(Peer peer) {
  reap_completions();
  forget_events(peer);
  advance(peer.value & ~kPeerBit, ConnectionEvent::detach);
}

void Connections::reset(Peer peer) {
  reap_completions();
  forget_events(peer);
  const std::uint32_t place = peer.value & ~kPeerBit;
  connections_[place].gives_up_at = monotonic_now() + patience_;
  if (connections_[place].state != ConnectionState::restarting)
    advance(place, ConnectionEvent::reset);
}

void Connections::advance(std::uint32_t place, ConnectionEvent event) {
  Connection& connection = connections_[place];
  const ConnectionState from = connection.state;
  const std::optional<ConnectionState> to = after(from, event);
  HOLDFAST_ASSERT(to.has_value());
  connection.state = *to;
  switch (*to) {
    case ConnectionState::asking:
      if (from != ConnectionState::linked) {
        begin_attempt(place);
      } else if (!queues_.unlink(*connection.pair)) {
        advance(place, ConnectionEvent::breaks);
      }
      break;
    case ConnectionState::linked:
      if (!queues_.link(*connection.pair, connection.peer, connection.handshake.own(),
                        connection.handshake.peer())) {
        advance(place, ConnectionEvent::breaks);
      }
      break;
    case ConnectionState::attached:
      connection.due = Time::never();
      tell(place, EventKind::attached);
      break;
    case ConnectionState::failing:
    case ConnectionState::restarting:
    case ConnectionState::leaving:
      stop(connection);
      break;
    case ConnectionState::down:
      tell(place, EventKind::peer_down);
      [[fallthrough]];
    case ConnectionState::free:
      connection.due = Time::never();
      break;
  }
}

void Connections::begin_attempt(std::uint32_t place) {
  Connection& connection = connections_[place];
  connection.pair = queues_.make_pair();
  if (connection.pair == nullptr) {
    connection.reason = Completion::local_error;
    advance(place, ConnectionEvent::breaks);
    return;
  }
  connection.reason = Completion::retry_exceeded;
  pair_numbers_[place] = connection.pair->qp_num;
  const auto first_sequence = static_cast<std::uint32_t>(random_number() & 0xff'ffff);
  // By the clock of the day, so that who starts again goes on counting.
  last_order_ =
      std::max(last_order_ + 1, static_cast<std::uint64_t>(read_clock_ns(CLOCK_REALTIME)));
  connection.handshake.begin(self_, random_number(), last_order_,
                             queues_.facts_of(*connection.pair, first_sequence));
  connection.asks_again_after = kAskAgainFirst;
  ask(connection, monotonic_now());
}

void Connections::ask(Connection& connection, Time now) {
  send(connection.handshake.repeated(connection.state), *connection.way,
       connection.peer.queue_pair);
  connection.due = std::min(now + connection.asks_again_after, connection.gives_up_at);
  due_ = std::min(due_, connection.due);
  connection.asks_again_after = std::min(2 * connection.asks_again_after, kAskAgainLongest);
}

// Best effort: who does not hear it finds out when it sends, or when it is asked anew.
void Connections::bid_farewell(const Connection& connection) {
  if (const auto farewell = connection.handshake.farewell())
    send(*farewell, *connection.way, connection.peer.queue_pair);
}

void Connections::stop(Connection& connection) {
  bid_farewell(connection);
  const Time now = monotonic_now();
  if (connection.pair != nullptr) queues_.stop(*connection.pair);
  connection.due = now + kStopped;
  connection.forced_at = now + kStoppedLongest;
  due_ = std::min(due_, connection.due);
}

void Connections::tell(std::uint32_t place, EventKind kind) {
  Happened happened;
  happened.event.kind = kind;
  happened.event.peer = peer_of(place);
  happened.event.at = monotonic_now();
  if (kind == EventKind::peer_down) happened.event.completion = connections_[place].reason;
  happened_.push(happened);
}

// What the process has not heard of a connection that it has given up it does not hear any more.
void Connections::forget_events(Peer peer) {
  happened_.remove_if([this, peer](const Happened& happened) {
    if (happened.event.peer != peer) return false;
    if (happened.slot != kNone) give_back(happened.slot);
    return true;
  });
}

void Connections::handle(std::uint32_t place, const HandshakeFrame& frame) {
  Connection& connection = connections_[place];
  const Handshake::Reaction reaction = connection.handshake.handle(connection.state, frame);
  for (const auto& event : {reaction.first, reaction.second}) {
    if (!event) continue;
    if (*event == ConnectionEvent::ends) connection.reason = Completion::flushed;
    advance(place, *event);
    if (is_stopped(connection.state)) return;  // the adapter has refused, or it is over
  }
  if (reaction.answer) send(*reaction.answer, *connection.way, connection.peer.queue_pair);
}

void Connections::handle(const ibv_async_event& seen) {
  if (seen.event_type != IBV_EVENT_QP_FATAL && seen.event_type != IBV_EVENT_QP_REQ_ERR &&
      seen.event_type != IBV_EVENT_QP_ACCESS_ERR) {
    return;
  }
  const std::uint32_t place = place_of_pair(seen.element.qp->qp_num);
  if (place == kNone) return;
  Connection& connection = connections_[place];
  if (connection.state == ConnectionState::attached) {
    connection.reason = Completion::flushed;
    advance(place, ConnectionEvent::ends);
  } else if (connection.state == ConnectionState::linked) {
    advance(place, ConnectionEvent::breaks);
  }
}

void Connections::send(const HandshakeFrame& frame, ibv_ah& way, std::uint32_t to) {
  datagrams_.send_handshake(way, to, encode(frame));
}

// What cannot succeed for a reason of this end's.
bool Connections::is_possible(const Operation& operation) const {
  if (operation.kind == OperationKind::fetch_add) return false;
  if (operation.inline_data)
    return operation.kind != OperationKind::read && operation.size <= queues_.inline_bytes_max();
  return operation.size <= queues_.message_bytes_max() &&
         (operation.size == 0 || regions_.holds(operation.region, operation.data, operation.size));
}

void Connections::post(const Operation& operation) {
  Connection& connection = connections_[operation.peer.value & ~kPeerBit];
  WorkPool::Work& work = works_.add(connection.works, operation);
  if (!is_possible(operation)) {
    work.end(Completion::local_error);
  } else if (connection.state != ConnectionState::attached) {
    work.end(Completion::flushed);
  } else if (!submit(*connection.pair, work)) {
    work.end(Completion::local_error);
  }
  if (work.ended) works_.complete(connection.works, monotonic_now());
}

bool Connections::submit(ibv_qp& pair, const WorkPool::Work& work) {
  const Operation& operation = work.operation;
  ibv_sge piece{};
  piece.length = operation.size;
  if (operation.inline_data) {
    std::byte* const copy = queues_.inline_copy(work.place);
    if (operation.size > 0) std::memcpy(copy, operation.data, operation.size);
    piece.addr = reinterpret_cast<std::uintptr_t>(copy);
    piece.lkey = queues_.inline_key();
  } else if (operation.size > 0) {
    piece.addr = reinterpret_cast<std::uintptr_t>(operation.data);
    piece.lkey = regions_.local_key(operation.region);
  }
  ibv_send_wr request{};
  request.wr_id = work.request();
  request.sg_list = &piece;
  request.num_sge = operation.size > 0 ? 1 : 0;
  request.opcode = operation.kind == OperationKind::send    ? IBV_WR_SEND
                   : operation.kind == OperationKind::write ? IBV_WR_RDMA_WRITE
                                                            : IBV_WR_RDMA_READ;
  request.wr.rdma.remote_addr = operation.remote_address;
  request.wr.rdma.rkey = static_cast<std::uint32_t>(operation.remote_key);
  ibv_send_wr* refused = nullptr;
  return ::ibv_post_send(&pair, &request, &refused) == 0;
}

bool Connections::offer(const ReceiveSlot& slot) {
  if (free_slots_.empty() || slot.region == kNoRegion) return false;
  HOLDFAST_ASSERT(regions_.holds(slot.region, slot.data, slot.size));
  const std::uint32_t place = free_slots_.back();
  const ibv_sge piece{reinterpret_cast<std::uintptr_t>(slot.data), slot.size,
                      regions_.local_key(slot.region)};
  if (!queues_.post_receive(place, piece)) return false;
  free_slots_.pop_back();
  slots_[place] = slot;
  return true;
}

void Connections::give_back(std::uint32_t place) {
  // There is room, as it has just come from there. An adapter that refuses is broken, and keeps it.
  const ReceiveSlot& slot = slots_[place];
  (void)queues_.post_receive(place, {reinterpret_cast<std::uintptr_t>(slot.data), slot.size,
                                     regions_.local_key(slot.region)});
}

void Connections::reap() {
  reap_completions();
  if (due_ == Time::never()) return;
  const Time now = monotonic_now();
  if (due_ > now) return;
  due_ = Time::never();
  for (std::uint32_t i = 0; i < connections_.size(); ++i) {
    if (connections_[i].due <= now) look_at(i, now);
    due_ = std::min(due_, connections_[i].due);
  }
}

// A connection for which something is due.
void Connections::look_at(std::uint32_t place, Time now) {
  Connection& connection = connections_[place];
  if (!is_stopped(connection.state)) {
    if (now >= connection.gives_up_at) {
      connection.reason = Completion::retry_exceeded;
      advance(place, ConnectionEvent::gives_up);
    } else {
      ask(connection, now);
    }
    return;
  }
  if (!connection.works.empty() && now < connection.forced_at) {
    connection.due = now + kStopped;
    return;
  }
  connection.pair.reset();
  pair_numbers_[place] = 0;
  reap_completions();
  works_.flush(connection.works, now);
  const bool too_late =
      connection.state == ConnectionState::restarting && now >= connection.gives_up_at;
  advance(place, too_late ? ConnectionEvent::gives_up : ConnectionEvent::drained);
}

void Connections::reap_completions() {
  std::array<ibv_wc, 32> completions;
  for (std::size_t count = completions.size(); count == completions.size();) {
    count = queues_.poll(completions);
    for (const ibv_wc& completion : std::span(completions).first(count)) {
      if (ConnectedQueues::is_receive(completion)) {
        take_received(completion);
      } else {
        take_sent(completion);
      }
    }
  }
}

void Connections::take_sent(const ibv_wc& completion) {
  WorkPool::Work* const work = works_.find(completion.wr_id);
  if (work == nullptr) return;
  work->end(completion_of(completion.status));
  const std::uint32_t place = work->operation.peer.value & ~kPeerBit;
  Connection& connection = connections_[place];
  if (work->completion != Completion::ok && connection.state == ConnectionState::attached) {
    connection.reason = work->completion;
    advance(place, ConnectionEvent::ends);
  }
  works_.complete(connection.works, monotonic_now());
}

// A frame for a connection that the process has given up is as if it had not come.
void Connections::take_received(const ibv_wc& completion) {
  const std::uint32_t slot = ConnectedQueues::receive_number(completion);
  const std::uint32_t place = place_of_pair(completion.qp_num);
  if (completion.status != IBV_WC_SUCCESS || place == kNone) {
    give_back(slot);
    return;
  }
  Connection& connection = connections_[place];
  // Who sends is attached, so its last word of the handshake has been overtaken.
  if (connection.state == ConnectionState::linked) advance(place, ConnectionEvent::confirms);
  if (connection.state != ConnectionState::attached &&
      connection.state != ConnectionState::failing) {
    give_back(slot);
    return;
  }
  Happened happened;
  happened.event.kind = EventKind::received;
  happened.event.peer = peer_of(place);
  happened.event.size = completion.byte_len;
  happened.event.cookie = slots_[slot].cookie;
  happened.event.at = monotonic_now();
  happened.slot = slot;
  happened_.push(happened);
}

std::size_t Connections::poll(std::span<Event> events) {
  std::size_t count = 0;
  while (count < events.size() && !happened_.empty()) {
    const Happened happened = happened_.pop();
    if (happened.slot != kNone) free_slots_.push_back(happened.slot);
    events[count++] = happened.event;
  }
  return count;
}

}  // namespace holdfast::hw
