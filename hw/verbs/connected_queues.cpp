// The attributes of each step are those of the table in the InfiniBand architecture; one that is
// missing or too many is refused (kernel, ib_modify_qp_is_ok).
#include "hw/verbs/connected_queues.hpp"

#include <algorithm>
#include <cstring>

namespace holdfast::hw {

namespace {

constexpr std::uint8_t kHopLimit = 64;
constexpr std::uint8_t kReadsWanted = 16;
// The adapter gives up when the time for an acknowledgement is over once more than this. The most
// is 7, which Soft-RoCE takes for ever.
constexpr std::uint8_t kRetries = 6;
constexpr std::uint8_t kWaitForEver = 7;       // for a slot of the peer's
constexpr std::uint8_t kNoSlotYet = 12;        // 0.64 ms until it is tried again
constexpr std::uint32_t kBytesMax = 1u << 30;  // of one operation, whatever the adapter says

// The least n with 4.096 us * 2^n >= time.
std::uint8_t time_code(Duration time) {
  std::uint8_t code = 1;
  while (code < 31 && (std::int64_t{4096} << code) < time.ns) ++code;
  return code;
}

bool modify(ibv_qp& pair, ibv_qp_state state, ibv_qp_attr& to, int mask) {
  to.qp_state = state;
  return ::ibv_modify_qp(&pair, &to, mask | IBV_QP_STATE) == 0;
}

}  // namespace

ibv_ah_attr way_to_host(const VerbsPort& from, const VerbsEndpoint& to) {
  ibv_ah_attr way{};
  std::memcpy(way.grh.dgid.raw, to.gid.data(), to.gid.size());
  way.grh.sgid_index = from.gid_index;
  way.grh.hop_limit = kHopLimit;
  way.is_global = 1;
  way.dlid = to.lid;
  way.port_num = from.number;
  return way;
}

std::unique_ptr<ConnectedQueues> ConnectedQueues::open(ibv_context& device, ibv_pd& domain,
                                                       ibv_comp_channel& channel,
                                                       const VerbsOptions& options) {
  std::unique_ptr<ConnectedQueues> queues(new ConnectedQueues(domain, options));
  if (!queues->open(device, channel)) return nullptr;
  return queues;
}

bool ConnectedQueues::open(ibv_context& device, ibv_comp_channel& channel) {
  ibv_port_attr port{};
  ibv_device_attr limits{};
  if (::ibv_query_port(&device, options_.port.number, &port) != 0 ||
      ::ibv_query_device(&device, &limits) != 0) {
    return false;
  }
  message_bytes_max_ = std::min(port.max_msg_sz, kBytesMax);
  packet_size_ = static_cast<std::uint8_t>(port.active_mtu);
  reads_ = static_cast<std::uint8_t>(std::clamp(
      std::min(limits.max_qp_rd_atom, limits.max_qp_init_rd_atom), 1, int{kReadsWanted}));
  const auto depth = static_cast<int>(options_.send_depth + options_.receive_depth);
  completions_.reset(::ibv_create_cq(&device, depth, nullptr, &channel, 0));
  ibv_srq_init_attr wanted{};
  wanted.attr.max_wr = options_.receive_depth;
  wanted.attr.max_sge = 1;
  receives_.reset(::ibv_create_srq(&domain_, &wanted));
  inline_region_.reset(
      ::ibv_reg_mr(&domain_, inline_copies_.data(), inline_copies_.size(), kLocalWrite));
  return completions_ != nullptr && receives_ != nullptr && inline_region_ != nullptr;
}

Owned<ibv_qp> ConnectedQueues::make_pair() {
  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = completions_.get();
  wanted.srq = receives_.get();
  wanted.cap.max_send_wr = options_.send_depth;
  wanted.cap.max_send_sge = 1;
  wanted.qp_type = IBV_QPT_RC;
  wanted.sq_sig_all = 1;
  Owned<ibv_qp> pair(::ibv_create_qp(&domain_, &wanted));
  if (pair != nullptr && !unlink(*pair)) pair.reset();
  return pair;
}

QueuePairFacts ConnectedQueues::facts_of(const ibv_qp& pair, std::uint32_t first_sequence) const {
  return {pair.qp_num, first_sequence, packet_size_, reads_};
}

bool ConnectedQueues::unlink(ibv_qp& pair) {
  ibv_qp_attr to{};
  to.port_num = options_.port.number;
  to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  return modify(pair, IBV_QPS_RESET, to, 0) &&
         modify(pair, IBV_QPS_INIT, to, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

// The kernel may ask the network for the neighbour here too; it knows it, from the datagrams.
bool ConnectedQueues::link(ibv_qp& pair, const VerbsEndpoint& peer, const QueuePairFacts& own,
                           const QueuePairFacts& theirs) {
  ibv_qp_attr to{};
  to.ah_attr = way_to_host(options_.port, peer);
  to.path_mtu = static_cast<ibv_mtu>(std::min(own.packet_size, theirs.packet_size));
  to.dest_qp_num = theirs.number;
  to.rq_psn = theirs.first_sequence;
  to.max_dest_rd_atomic = own.reads_served;
  to.min_rnr_timer = kNoSlotYet;
  to.timeout = time_code(options_.acknowledged_within);
  to.retry_cnt = kRetries;
  to.rnr_retry = kWaitForEver;
  to.sq_psn = own.first_sequence;
  to.max_rd_atomic = std::min(own.reads_served, theirs.reads_served);
  return unlink(pair) &&
         modify(pair, IBV_QPS_RTR, to,
                IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) &&
         modify(pair, IBV_QPS_RTS, to,
                IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                    IBV_QP_MAX_QP_RD_ATOMIC);
}

void ConnectedQueues::stop(ibv_qp& pair) {
  ibv_qp_attr to{};
  modify(pair, IBV_QPS_ERR, to, 0);
}

bool ConnectedQueues::post_receive(std::uint32_t number, const ibv_sge& piece) {
  ibv_sge copy = piece;
  ibv_recv_wr request{};
  request.wr_id = kReceive | number;
  request.sg_list = &copy;
  request.num_sge = 1;
  ibv_recv_wr* refused = nullptr;
  return ::ibv_post_srq_recv(receives_.get(), &request, &refused) == 0;
}

std::size_t ConnectedQueues::poll(std::span<ibv_wc> completions) {
  const int count =
      ::ibv_poll_cq(completions_.get(), static_cast<int>(completions.size()), completions.data());
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace holdfast::hw
