// Opening a queue pair step by step; each step that fails is named.
#include "hw/verbs/datagram_queue.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

#include "hw/monotonic_clock.hpp"
#include "hw/verbs/connected_queues.hpp"
#include "hw/verbs/handshake_frame.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

// Small frames are copied into the request, which spares the adapter a read of memory.
constexpr std::uint32_t kInlineBytesWanted = 128;

bool set_nonblocking(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

constexpr Duration kSearchAgain = seconds(1);  // after one in vain
// How long a stopped queue pair is left alone at least, and how long it may take to give back what
// was posted to receive.
constexpr Duration kStopped = milliseconds(10);
constexpr Duration kStoppedLongest = milliseconds(100);
constexpr std::uint64_t kHandshake = std::uint64_t{1} << 63;  // of a request's number

}  // namespace

DatagramQueue::DatagramQueue(const VerbsOptions& options)
    : port_(options.port),
      queue_key_(options.queue_key),
      datagram_bytes_max_(options.port.datagram_bytes_max),
      memory_(std::size_t{options.send_depth} * datagram_bytes_max_ +
              (std::size_t{options.receive_depth} + kHandshakesMax) *
                  (kRouteHeaderBytes + datagram_bytes_max_) +
              kHandshakesMax * kHandshakeBytes),
      receive_buffers_(memory_.data() + std::size_t{options.send_depth} * datagram_bytes_max_),
      handshake_buffers_(memory_.data() + memory_.size() - kHandshakesMax * kHandshakeBytes) {
  ways_.reserve(options.peers_max);
}

bool DatagramQueue::watch(int other) {
  epoll_event event{};
  event.events = EPOLLIN;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, other, &event) == 0;
}

Status DatagramQueue::open(const VerbsOptions& options, std::unique_ptr<DatagramQueue>& opened) {
  std::unique_ptr<DatagramQueue> queue(new DatagramQueue(options));
  errno = 0;
  const char* refused = queue->open_device();
  if (refused == nullptr) refused = queue->open_queues(options);
  if (refused != nullptr) {
    return Status::error("verbs: port " + std::to_string(options.port.number) + " of " +
                         options.port.device + ": cannot " + refused + ": " +
                         (errno == 0 ? "it is not there" : std::strerror(errno)));
  }
  opened = std::move(queue);
  return Status::ok();
}

// What was refused, or null.
const char* DatagramQueue::open_device() {
  for (ibv_device* device : DeviceList()) {
    if (port_.device == ::ibv_get_device_name(device)) context_.reset(::ibv_open_device(device));
  }
  if (context_ == nullptr) return "open the device";
  domain_.reset(::ibv_alloc_pd(context_.get()));
  if (domain_ == nullptr) return "make a protection domain";
  region_.reset(::ibv_reg_mr(domain_.get(), memory_.data(), memory_.size(), kLocalWrite));
  if (region_ == nullptr) return "register memory (see ulimit -l)";
  channel_.reset(::ibv_create_comp_channel(context_.get()));
  epoll_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  if (channel_ == nullptr || !epoll_.is_open() || !set_nonblocking(channel_->fd) ||
      !set_nonblocking(context_->async_fd) || !watch(channel_->fd) || !watch(context_->async_fd)) {
    return "watch its completions";
  }
  return nullptr;
}

const char* DatagramQueue::open_queues(const VerbsOptions& options) {
  const auto make_queue = [this](std::uint32_t depth) {
    return ::ibv_create_cq(context_.get(), static_cast<int>(depth + kHandshakesMax), nullptr,
                           channel_.get(), 0);
  };
  sends_.reset(make_queue(options.send_depth));
  receives_.reset(make_queue(options.receive_depth));
  if (sends_ == nullptr || receives_ == nullptr) return "make completion queues";
  ibv_qp_init_attr wanted{};
  wanted.send_cq = sends_.get();
  wanted.recv_cq = receives_.get();
  wanted.cap.max_send_wr = options.send_depth + kHandshakesMax;
  wanted.cap.max_recv_wr = options.receive_depth + kHandshakesMax;
  wanted.cap.max_send_sge = 1;
  wanted.cap.max_recv_sge = 1;
  wanted.cap.max_inline_data = kInlineBytesWanted;
  wanted.qp_type = IBV_QPT_UD;
  pair_.reset(::ibv_create_qp(domain_.get(), &wanted));
  if (pair_ == nullptr) return "make a queue pair";
  inline_bytes_max_ = wanted.cap.max_inline_data;
  return restart() ? nullptr : "make its queue pair ready";
}

std::vector<DatagramQueue::Way>::iterator DatagramQueue::find_way(VerbsEndpoint host) {
  host.queue_pair = 0;
  return std::ranges::find(ways_, host, &Way::host);
}

ibv_ah* DatagramQueue::known_way_to(const VerbsEndpoint& host) {
  const auto known = find_way(host);
  return known == ways_.end() ? nullptr : known->handle.get();
}

ibv_ah* DatagramQueue::way_to(VerbsEndpoint host) {
  host.queue_pair = 0;
  end_search();
  const auto known = find_way(host);
  if (known != ways_.end()) {
    if (known->handle == nullptr) begin_search(host);
    return known->handle.get();
  }
  if (ways_.size() == ways_.capacity()) return nullptr;
  ibv_ah_attr to = way_to_host(port_, host);
  ways_.push_back({host, Owned<ibv_ah>(::ibv_create_ah(domain_.get(), &to)), {}});
  return ways_.back().handle.get();
}

void DatagramQueue::begin_search(const VerbsEndpoint& host) {
  if (search_ || monotonic_now() < find_way(host)->again_at) return;
  const auto look = [domain = domain_.get(), to = way_to_host(port_, host)]() mutable {
    return Owned<ibv_ah>(::ibv_create_ah(domain, &to));
  };
  try {
    search_.emplace(Search{host, std::async(std::launch::async, look)});
  } catch (const std::system_error&) {
    // There is no thread left now.
  }
}

void DatagramQueue::end_search() {
  if (!search_ || search_->found.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return;
  const auto way = find_way(search_->host);
  way->handle = search_->found.get();
  way->again_at = monotonic_now() + kSearchAgain;
  search_.reset();
}

// In its error state it takes no datagrams and ends what is posted (InfiniBand volume 1, 10.3.1).
void DatagramQueue::stop() {
  if (stopping_since_ != Time::never()) return;
  stopping_since_ = monotonic_now();
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_ERR;
  const bool stops = ::ibv_modify_qp(pair_.get(), &to, IBV_QP_STATE) == 0;
  if (!stops) receives_posted_ = 0;  // an adapter that is gone gives nothing back
}

Time DatagramQueue::stopped_at() const {
  HOLDFAST_ASSERT(stopping_since_ != Time::never());
  return stopping_since_ + (receives_posted_ == 0 ? kStopped : kStoppedLongest);
}

bool DatagramQueue::renew() {
  stop();
  while (monotonic_now() < stopped_at()) {
    std::array<ibv_wc, 16> dropped;
    if (poll_receives(dropped) == 0) ::poll(nullptr, 0, 1);
  }
  return restart();
}

bool DatagramQueue::restart() {
  stopping_since_ = Time::never();
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RESET;
  if (const int error = ::ibv_modify_qp(pair_.get(), &to, IBV_QP_STATE); error != 0) {
    errno = error;
    return false;
  }
  std::array<ibv_wc, 16> dropped;
  while (poll_sends(dropped) > 0 || poll_receives(dropped) > 0) {
  }
  receives_posted_ = 0;
  handshakes_ended_ = handshakes_begun_;
  to.port_num = port_.number;
  to.qkey = queue_key_;
  const auto go = [&](ibv_qp_state state, int mask) {
    to.qp_state = state;
    const int error = ::ibv_modify_qp(pair_.get(), &to, mask);
    if (error != 0) errno = error;
    return error == 0;
  };
  return go(IBV_QPS_INIT, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY) &&
         go(IBV_QPS_RTR, IBV_QP_STATE) && go(IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

void DatagramQueue::fill(std::size_t i, std::uint32_t bytes, ibv_sge& piece, ibv_send_wr& request) {
  piece = {reinterpret_cast<std::uintptr_t>(send_buffer(i)), bytes, region_->lkey};
  request.sg_list = &piece;
  request.num_sge = bytes == 0 ? 0 : 1;
  request.opcode = IBV_WR_SEND;
  request.send_flags = IBV_SEND_SIGNALED;
  if (bytes <= inline_bytes_max_) request.send_flags |= IBV_SEND_INLINE;
  request.wr.ud.remote_qkey = queue_key_;
}

void DatagramQueue::send_handshake(ibv_ah& way, std::uint32_t to,
                                   std::span<const std::byte> bytes) {
  const bool has_room = handshakes_begun_ - handshakes_ended_ < kHandshakesMax;
  if (stopping_since_ != Time::never() || !has_room) return;
  std::byte* const buffer =
      handshake_buffers_ + handshakes_begun_ % kHandshakesMax * kHandshakeBytes;
  std::memcpy(buffer, bytes.data(), bytes.size());
  ibv_sge piece{reinterpret_cast<std::uintptr_t>(buffer), static_cast<std::uint32_t>(bytes.size()),
                region_->lkey};
  ibv_send_wr request{};
  request.wr_id = kHandshake;
  request.sg_list = &piece;
  request.num_sge = 1;
  request.opcode = IBV_WR_SEND_WITH_IMM;
  request.send_flags = IBV_SEND_SIGNALED;
  request.wr.ud.ah = &way;
  request.wr.ud.remote_qpn = to;
  request.wr.ud.remote_qkey = queue_key_;
  ibv_send_wr* refused = nullptr;
  if (::ibv_post_send(pair_.get(), &request, &refused) == 0) ++handshakes_begun_;
}

bool DatagramQueue::ends_handshake(const ibv_wc& sent) {
  if ((sent.wr_id & kHandshake) == 0) return false;
  if (handshakes_ended_ < handshakes_begun_) ++handshakes_ended_;
  return true;
}

std::size_t DatagramQueue::post(std::span<ibv_send_wr> chained) {
  ibv_send_wr* refused = nullptr;
  if (::ibv_post_send(pair_.get(), chained.data(), &refused) == 0) return chained.size();
  if (refused == nullptr) return 0;
  return static_cast<std::size_t>(refused - chained.data());
}

bool DatagramQueue::post_receive(std::size_t i) {
  ibv_sge piece{reinterpret_cast<std::uintptr_t>(receive_buffer(i)),
                kRouteHeaderBytes + datagram_bytes_max_, region_->lkey};
  ibv_recv_wr request{};
  request.wr_id = i;
  request.sg_list = &piece;
  request.num_sge = 1;
  ibv_recv_wr* refused = nullptr;
  if (::ibv_post_recv(pair_.get(), &request, &refused) != 0) return false;
  ++receives_posted_;
  return true;
}

std::size_t DatagramQueue::poll_receives(std::span<ibv_wc> completions) {
  const std::size_t count = poll(*receives_, completions);
  receives_posted_ -= std::min(count, receives_posted_);
  return count;
}

std::size_t DatagramQueue::poll(ibv_cq& queue, std::span<ibv_wc> completions) {
  const int count = ::ibv_poll_cq(&queue, static_cast<int>(completions.size()), completions.data());
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

void DatagramQueue::arm() {
  ibv_cq* woke = nullptr;
  void* ours = nullptr;
  while (::ibv_get_cq_event(channel_.get(), &woke, &ours) == 0) ::ibv_ack_cq_events(woke, 1);
  ::ibv_req_notify_cq(sends_.get(), 0);
  ::ibv_req_notify_cq(receives_.get(), 0);
}

bool DatagramQueue::is_port_active() const {
  ibv_port_attr attributes{};
  return ::ibv_query_port(context_.get(), port_.number, &attributes) == 0 &&
         attributes.state == IBV_PORT_ACTIVE;
}

bool DatagramQueue::take_event(ibv_async_event& event) {
  if (::ibv_get_async_event(context_.get(), &event) != 0) return false;
  ::ibv_ack_async_event(&event);
  return true;
}

}  // namespace holdfast::hw
