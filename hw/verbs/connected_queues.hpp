// What all connections of a fabric share: the completion queue, the receive queue, and how a queue
// pair of the reliable service is made, joined to another and stopped.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/verbs/handshake_frame.hpp"
#include "hw/verbs/resources.hpp"
#include "hw/verbs/verbs.hpp"

namespace holdfast::hw {

// The way to a host, as queue pairs and datagrams name it.
ibv_ah_attr way_to_host(const VerbsPort& from, const VerbsEndpoint& to);

class ConnectedQueues {
 public:
  // Null where the adapter has no shared receive queues or refuses. What is given must outlive it.
  static std::unique_ptr<ConnectedQueues> open(ibv_context& device, ibv_pd& domain,
                                               ibv_comp_channel& channel,
                                               const VerbsOptions& options);

  std::uint32_t message_bytes_max() const { return message_bytes_max_; }
  // Room for the bytes of each operation that is posted inline, and the key of that memory.
  std::uint32_t inline_bytes_max() const { return options_.port.datagram_bytes_max; }
  std::byte* inline_copy(std::size_t i) { return inline_copies_.data() + i * inline_bytes_max(); }
  std::uint32_t inline_key() const { return inline_region_->lkey; }

  // A queue pair that is not joined to any; null if the adapter refuses.
  Owned<ibv_qp> make_pair();
  // What the other end is told of it.
  QueuePairFacts facts_of(const ibv_qp& pair, std::uint32_t first_sequence) const;
  // From whatever state, as long as nothing is posted, to one that sends to and receives from the
  // peer's queue pair. False if the adapter refuses.
  bool link(ibv_qp& pair, const VerbsEndpoint& peer, const QueuePairFacts& own,
            const QueuePairFacts& theirs);
  bool unlink(ibv_qp& pair);
  // All that is posted ends with a completion.
  void stop(ibv_qp& pair);

  // False if the adapter refuses. `number` comes back in the completion as receive_number.
  bool post_receive(std::uint32_t number, const ibv_sge& piece);
  static bool is_receive(const ibv_wc& completion) { return (completion.wr_id & kReceive) != 0; }
  static std::uint32_t receive_number(const ibv_wc& completion) {
    return static_cast<std::uint32_t>(completion.wr_id);
  }

  // Of sends and receives, the oldest first.
  std::size_t poll(std::span<ibv_wc> completions);
  void arm() { ::ibv_req_notify_cq(completions_.get(), 0); }

 private:
  static constexpr std::uint64_t kReceive = std::uint64_t{1} << 63;  // of a request's number

  ConnectedQueues(ibv_pd& domain, const VerbsOptions& options)
      : domain_(domain),
        options_(options),
        inline_copies_(std::size_t{options.send_depth} * inline_bytes_max()) {}
  bool open(ibv_context& device, ibv_comp_channel& channel);

  ibv_pd& domain_;
  VerbsOptions options_;
  std::uint32_t message_bytes_max_ = 0;
  std::uint8_t packet_size_ = 1;
  std::uint8_t reads_ = 1;
  std::vector<std::byte> inline_copies_;
  Owned<ibv_mr> inline_region_;
  Owned<ibv_cq> completions_;
  Owned<ibv_srq> receives_;
};

}  // namespace holdfast::hw
