// One queue pair, rings of buffers on both sides; see the header for what is promised.
#include "hw/verbs/verbs_fabric.hpp"

#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "hw/verbs/completion_of.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

Status VerbsFabric::open(const VerbsOptions& options, std::unique_ptr<VerbsFabric>& opened) {
  KeptQueue kept;
  return open(options, kept, opened);
}

Status VerbsFabric::open(const VerbsOptions& given, KeptQueue& kept,
                         std::unique_ptr<VerbsFabric>& opened) {
  VerbsOptions options = given;
  if (kept != nullptr) options.port = kept->port();
  HOLDFAST_ASSERT(options.send_depth >= 1 && options.receive_depth >= 1 && options.peers_max >= 1);
  HOLDFAST_ASSERT(options.queue_key < 1u << 31);
  if (kept != nullptr) {
    HOLDFAST_ASSERT(kept.use_count() == 1);  // no fabric uses it
    if (!kept->renew()) {
      return Status::error("verbs: port " + std::to_string(options.port.number) + " of " +
                           options.port.device +
                           ": cannot make its queue pair ready again: " + std::strerror(errno));
    }
  } else {
    std::unique_ptr<DatagramQueue> queue;
    if (Status status = DatagramQueue::open(options, queue); !status.is_ok()) return status;
    kept = std::move(queue);
  }
  opened.reset(new VerbsFabric(options, kept));
  return Status::ok();
}

Status open_verbs(const VerbsOptions& options, std::unique_ptr<Fabric>& opened) {
  KeptQueue kept;
  return open_verbs_at(options, kept, opened);
}

Status open_verbs_at(const VerbsOptions& options, KeptQueue& kept,
                     std::unique_ptr<Fabric>& opened) {
  std::unique_ptr<VerbsFabric> fabric;
  Status status = VerbsFabric::open(options, kept, fabric);
  opened = std::move(fabric);
  return status;
}

VerbsFabric::VerbsFabric(const VerbsOptions& options, std::shared_ptr<DatagramQueue> queue)
    : local_{options.port.gid, options.port.lid, queue->number()},
      port_(options.port),
      queue_(std::move(queue)),
      receivers_(options.peers_max),
      queues_(options.send_depth, options.receive_depth),
      sends_(options.send_depth),
      arrived_(options.receive_depth),
      is_free_(options.receive_depth + kHandshakesMax),
      regions_(*queue_->domain()) {
  caps_.kind = "verbs";
  caps_.frame_bytes_max = options.port.datagram_bytes_max;
  caps_.inline_bytes_max = caps_.frame_bytes_max;
  caps_.send_depth = options.send_depth;
  caps_.receive_depth = options.receive_depth;
  caps_.datagram = true;
  open_connections(options);
  free_peers_.reserve(options.peers_max);
  for (std::uint32_t i = options.peers_max; i > 0; --i) free_peers_.push_back(i - 1);
  post_free_buffers();
  if (!queue_->is_port_active()) set_port_change(EventKind::port_down);
}

Peer VerbsFabric::attach(const Address& address, Service service) {
  const auto endpoint = to_verbs_endpoint(address);
  const bool is_known = service == Service::datagram
                            ? !free_peers_.empty()
                            : service == Service::connected && connections_;
  if (!endpoint || !is_known) return kNoPeer;
  ibv_ah* const way = queue_->way_to(*endpoint);
  if (way == nullptr) return kNoPeer;
  if (service == Service::connected) return connections_->attach(*endpoint, *way);
  const Peer peer{free_peers_.back()};
  free_peers_.pop_back();
  receivers_[peer.value] = {way, endpoint->queue_pair};
  return peer;
}

void VerbsFabric::detach(Peer peer) {
  HOLDFAST_ASSERT(is_attached(peer));
  if (Connections::is_connection(peer)) {
    connections_->detach(peer);
    return;
  }
  receivers_[peer.value] = {};
  free_peers_.push_back(peer.value);
}

void VerbsFabric::reset(Peer peer) {
  HOLDFAST_ASSERT(is_attached(peer));
  if (Connections::is_connection(peer)) connections_->reset(peer);
}

Region VerbsFabric::register_memory(std::span<std::byte> memory) {
  return regions_.add(memory);
}

RemoteMemory VerbsFabric::expose(Region region) {
  return caps_.one_sided ? regions_.expose(region) : RemoteMemory{};
}

bool VerbsFabric::is_attached(Peer peer) const {
  if (Connections::is_connection(peer)) return connections_ && connections_->is_attached(peer);
  return peer.value < receivers_.size() && receivers_[peer.value].way != nullptr;
}

bool VerbsFabric::is_possible(const Operation& operation) const {
  return operation.kind == OperationKind::send && operation.size <= caps_.frame_bytes_max &&
         is_attached(operation.peer);
}

std::size_t VerbsFabric::post(std::span<const Operation> operations) {
  reap();
  std::size_t accepted = 0;
  while (accepted < operations.size()) {
    const std::span<const Operation> rest = operations.subspan(accepted);
    if (Connections::is_connection(rest[0].peer) && is_attached(rest[0].peer)) {
      if (!has_room()) break;
      connections_->post(rest[0]);
      ++accepted;
      continue;
    }
    const std::uint64_t first = next_;
    const std::size_t some = accept(rest);
    if (some == 0) break;
    accepted += some;
    submit(first);
  }
  if (accepted < operations.size()) queues_.owe_writable();
  return accepted;
}

// Takes datagrams while there is room, at most a batch; what cannot succeed has ended already.
std::size_t VerbsFabric::accept(std::span<const Operation> operations) {
  std::size_t accepted = 0;
  for (; accepted < operations.size() && accepted < kBatch && has_room(); ++accepted) {
    const Operation& operation = operations[accepted];
    if (Connections::is_connection(operation.peer) && is_attached(operation.peer)) break;
    Send& send = send_of(next_);
    send = {operation, {}, false, true, Completion::local_error};
    const bool possible = is_possible(operation);
    send.silent = possible && operation.inline_data;
    if (possible && !failed_) {
      send.ended = false;
      send.receiver = receivers_[operation.peer.value];
      if (operation.size > 0)
        std::memcpy(queue_->send_buffer(next_ % sends_.size()), operation.data, operation.size);
    } else if (possible) {
      send.completion = Completion::flushed;
      ++counters_.send_errors;
    }
    ++next_;
  }
  return accepted;
}

// Hands the accepted ones, from number `first` on, to the adapter in one chain.
void VerbsFabric::submit(std::uint64_t first) {
  std::array<ibv_send_wr, kBatch> requests;
  std::array<ibv_sge, kBatch> pieces;
  std::size_t count = 0;
  for (std::uint64_t number = first; number < next_; ++number) {
    const Send& send = send_of(number);
    if (send.ended) continue;
    ibv_send_wr& request = requests[count] = {};
    queue_->fill(number % sends_.size(), send.operation.size, pieces[count], request);
    request.wr_id = number;
    request.wr.ud.ah = send.receiver.way;
    request.wr.ud.remote_qpn = send.receiver.queue_pair;
    if (count > 0) requests[count - 1].next = &request;
    ++count;
  }
  if (count == 0) return;
  for (std::size_t i = queue_->post({requests.data(), count}); i < count; ++i)
    end(send_of(requests[i].wr_id), Completion::local_error);
}

void VerbsFabric::end(Send& send, Completion completion) {
  send.ended = true;
  send.completion = completion;
  ++(completion == Completion::ok ? counters_.frames_sent : counters_.send_errors);
}

void VerbsFabric::reap() {
  reap_sends();
  reap_receives();
  if (connections_) connections_->reap();
  if (failed_) bring_back();
  const Time now = monotonic_now();
  for (; oldest_ < next_ && send_of(oldest_).ended; ++oldest_) {
    const Send& send = send_of(oldest_);
    if (!send.silent) queues_.complete(send.operation, send.completion, now);
  }
}

void VerbsFabric::reap_sends() {
  std::array<ibv_wc, kBatch> completions;
  for (std::size_t count = kBatch; count == kBatch;) {
    count = queue_->poll_sends(completions);
    for (const ibv_wc& completion : std::span(completions).first(count)) {
      if (completion.status != IBV_WC_SUCCESS) failed_ = true;
      if (queue_->ends_handshake(completion)) continue;
      const std::uint64_t number = completion.wr_id;
      if (number < oldest_ || number >= next_ || send_of(number).ended) continue;
      end(send_of(number), completion_of(completion.status));
    }
  }
}

void VerbsFabric::reap_receives() {
  const Time now = monotonic_now();
  std::array<ibv_wc, kBatch> completions;
  for (std::size_t count = kBatch; count == kBatch;) {
    count = queue_->poll_receives(completions);
    for (const ibv_wc& completion : std::span(completions).first(count)) {
      take_arrival(completion, now);
    }
  }
}

// What the adapter says of a datagram is checked before it is used: the length is the network's.
void VerbsFabric::take_arrival(const ibv_wc& completion, Time now) {
  const auto buffer = static_cast<std::uint32_t>(completion.wr_id);
  HOLDFAST_ASSERT(buffer < is_free_.size());
  if (completion.status != IBV_WC_SUCCESS) {
    failed_ = true;
    return;
  }
  if (completion.byte_len < kRouteHeaderBytes ||
      completion.byte_len > kRouteHeaderBytes + caps_.frame_bytes_max) {
    ++counters_.malformed;
  } else if (const std::uint32_t bytes = completion.byte_len - kRouteHeaderBytes;
             DatagramQueue::is_handshake(completion)) {
    take_handshake({queue_->received(buffer), bytes}, completion.src_qp);
  } else if (!arrived_.full()) {
    arrived_.push({buffer, bytes, now});
    return;
  }
  give_back(buffer);
}

// While the queue pair stops, buffers are kept until it is ready again.
void VerbsFabric::give_back(std::size_t buffer) {
  if (!failed_ && !queue_->post_receive(buffer)) failed_ = true;
}

void VerbsFabric::bring_back() {
  queue_->stop();
  for (std::uint64_t number = oldest_; number < next_; ++number) {
    if (!send_of(number).ended) end(send_of(number), Completion::flushed);
  }
  if (monotonic_now() < queue_->stopped_at()) return;
  failed_ = !queue_->restart();
  ++counters_.restarts;
  if (!failed_) post_free_buffers();
}

// All but those that hold what has arrived.
void VerbsFabric::post_free_buffers() {
  std::fill(is_free_.begin(), is_free_.end(), true);
  for (std::size_t i = 0; i < arrived_.size(); ++i) is_free_[arrived_[i].buffer] = false;
  for (std::size_t i = 0; i < is_free_.size(); ++i) {
    if (is_free_[i]) failed_ = !queue_->post_receive(i) || failed_;
  }
}

void VerbsFabric::look_at_port() {
  ibv_async_event seen{};
  while (queue_->take_event(seen)) {
    if (queue_->is_about(seen))
      failed_ = true;
    else if (connections_)
      connections_->handle(seen);
    const bool up = seen.event_type == IBV_EVENT_PORT_ACTIVE;
    if ((!up && seen.event_type != IBV_EVENT_PORT_ERR) || seen.element.port_num != port_.number) {
      continue;
    }
    set_port_change(up ? EventKind::port_up : EventKind::port_down);
  }
}

void VerbsFabric::set_port_change(EventKind kind) {
  port_change_.emplace();
  port_change_->kind = kind;
  port_change_->at = monotonic_now();
}

std::size_t VerbsFabric::poll(std::span<Event> events) {
  reap();
  std::size_t count = queues_.poll(events, [this] { return has_room(); });
  if (count == 0) look_at_port();
  if (count < events.size() && port_change_) {
    events[count++] = *std::exchange(port_change_, std::nullopt);
  }
  if (connections_) count += connections_->poll(events.subspan(count));
  return count + deliver(events.subspan(count));
}

std::size_t VerbsFabric::offer(std::span<const ReceiveSlot> slots) {
  std::size_t accepted = 0;
  for (const ReceiveSlot& slot : slots) {
    const bool taken = slot.service == Service::connected
                           ? connections_ && connections_->offer(slot)
                           : queues_.offer({&slot, 1}) == 1;
    if (!taken) break;
    ++accepted;
  }
  return accepted;
}

// Without an adapter's help there are no connections; datagrams do without.
void VerbsFabric::open_connections(const VerbsOptions& options) {
  if (options.connections_max == 0) return;
  timer_ = Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer_.is_open() || !queue_->watch(timer_.get())) return;
  connected_ =
      ConnectedQueues::open(*queue_->device(), *queue_->domain(), *queue_->channel(), options);
  if (!connected_) return;
  connections_.emplace(options, local_, *connected_, *queue_, regions_, queues_);
  caps_.connected = caps_.one_sided = true;
  caps_.connected_bytes_max = connected_->message_bytes_max();
}

void VerbsFabric::take_handshake(std::span<const std::byte> bytes, std::uint32_t from) {
  if (!connections_) return;
  connections_->handle(bytes, from,
                       [this](const VerbsEndpoint& host) { return queue_->known_way_to(host); });
}

// The descriptor becomes readable when something is due. False if it is due already.
bool VerbsFabric::wakes_in_time() {
  const Time due = connections_ ? connections_->next_due() : Time::never();
  if (due != Time::never() && due <= monotonic_now()) return false;
  if (due == wakes_at_) return true;
  wakes_at_ = due;
  itimerspec at{};
  if (due != Time::never()) at.it_value = {due.ns / 1'000'000'000, due.ns % 1'000'000'000};
  return ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr) == 0;
}

std::size_t VerbsFabric::deliver(std::span<Event> events) {
  std::size_t count = 0;
  while (count < events.size() && !arrived_.empty() && !queues_.slots().empty()) {
    const Arrival arrival = arrived_.pop();
    const ReceiveSlot slot = queues_.slots().pop();
    if (arrival.bytes > slot.size) {
      ++counters_.truncated;
      queues_.slots().push(slot);
    } else {
      if (arrival.bytes > 0)
        std::memcpy(slot.data, queue_->received(arrival.buffer), arrival.bytes);
      ++counters_.frames_received;
      Event& event = events[count++] = {};
      event.kind = EventKind::received;
      event.size = arrival.bytes;
      event.cookie = slot.cookie;
      event.at = arrival.at;
    }
    give_back(arrival.buffer);
  }
  return count;
}

Armed VerbsFabric::arm() {
  queue_->arm();
  if (connections_) connections_->arm();
  reap();  // what came before the queues were armed makes no noise
  look_at_port();
  if (failed_) queue_->stop();
  const bool can_write = queues_.owes_writable() && has_room();
  const bool can_deliver = !arrived_.empty() && !queues_.slots().empty();
  if (queues_.has_completions() || can_write || can_deliver || port_change_ ||
      (connections_ && connections_->has_events()) || !wakes_in_time()) {
    return {false, -1};
  }
  return {true, queue_->descriptor(), failed_ ? queue_->stopped_at() : Time::never()};
}

}  // namespace holdfast::hw
