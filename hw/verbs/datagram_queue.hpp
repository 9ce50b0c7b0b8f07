// A queue pair of the unreliable datagram service with what belongs to it: device, completion
// queues, their channel, and one piece of registered memory.
//
// The fabric's own frames, of the handshake, bear an immediate number, which those of the process
// never do, and have buffers of their own.
//
// The memory is cut into buffers. A receive buffer begins with the 40 bytes that the adapter puts
// before every datagram (the global route header, or nothing of meaning).
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/verbs/resources.hpp"
#include "hw/verbs/verbs.hpp"
#include "hw/verbs/verbs_address.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

constexpr std::uint32_t kRouteHeaderBytes = 40;
// As many can be on their way, and more buffers than the process asks for receive, so that what
// waits for a slot of its does not hold up the handshake.
constexpr std::uint32_t kHandshakesMax = 16;

class DatagramQueue {
 public:
  // An error names the port, what was refused and why.
  static Status open(const VerbsOptions& options, std::unique_ptr<DatagramQueue>& opened);

  std::uint32_t number() const { return pair_->qp_num; }
  const VerbsPort& port() const { return port_; }
  ibv_context* device() const { return context_.get(); }
  ibv_pd* domain() const { return domain_.get(); }
  ibv_comp_channel* channel() const { return channel_.get(); }
  // Readable when a queue that was armed has a completion, or the device has an event.
  int descriptor() const { return epoll_.get(); }

  // Of so many bytes as a datagram may have.
  std::byte* send_buffer(std::size_t i) { return memory_.data() + i * datagram_bytes_max_; }
  // What came, without the header.
  const std::byte* received(std::size_t i) { return receive_buffer(i) + kRouteHeaderBytes; }

  // A datagram out of send buffer i; the rest of the request is the caller's.
  void fill(std::size_t i, std::uint32_t bytes, ibv_sge& piece, ibv_send_wr& request);
  // Sends a frame of the handshake, or loses it if too many are on their way or the queue pair is
  // stopped. At most kHandshakeBytes.
  void send_handshake(ibv_ah& way, std::uint32_t to, std::span<const std::byte> bytes);
  static bool is_handshake(const ibv_wc& received) {
    return (received.wc_flags & IBV_WC_WITH_IMM) != 0;
  }
  // Whether the completion of a send is that of a handshake's frame, which is over then.
  bool ends_handshake(const ibv_wc& sent);
  // To the host of an endpoint; found once, which may wait for an answer of the network. Null if
  // the kernel does not know one, or those of peers_max hosts are known already. Who asks again
  // does not wait: it is looked for beside, and found when it is asked for once more.
  ibv_ah* way_to(VerbsEndpoint host);
  // Null: it was never looked for, or there is none.
  ibv_ah* known_way_to(const VerbsEndpoint& host);
  // How many of the chained requests the adapter took.
  std::size_t post(std::span<ibv_send_wr> chained);
  [[nodiscard]] bool post_receive(std::size_t i);

  // Completions, the oldest first; how many.
  std::size_t poll_sends(std::span<ibv_wc> completions) { return poll(*sends_, completions); }
  std::size_t poll_receives(std::span<ibv_wc> completions);

  // The descriptor becomes readable when the other one is, too.
  bool watch(int other);
  // The next completion of either queue makes the descriptor readable; what it said before is
  // forgotten.
  void arm();
  // Whether the device says that this queue pair has failed.
  bool is_about(const ibv_async_event& seen) const {
    return seen.event_type == IBV_EVENT_QP_FATAL && seen.element.qp == pair_.get();
  }
  bool is_port_active() const;
  // The next event of the device, if there is one.
  bool take_event(ibv_async_event& event);

  // A queue pair is stopped before it is made ready again: reset while datagrams arrive, one of
  // Linux's Soft-RoCE (6.1) may be deaf from then on, whatever is done to it.
  //
  // Ends all that is posted. What has come is still there to be polled; nothing is to be posted. It
  // may have been stopped already.
  void stop();
  // Of one that stops: when it may be started, which becomes earlier as its completions are polled.
  Time stopped_at() const;
  // Makes a new or a stopped one ready to send and to receive, under its number: all that was
  // posted is gone. False if the adapter refuses; then it is to be stopped again.
  bool restart();
  // All of this, which takes some 10 ms.
  bool renew();

 private:
  struct Way {
    VerbsEndpoint host;    // without a queue pair
    Owned<ibv_ah> handle;  // null: not found
    Time again_at{};       // then it may be looked for again
  };
  // On a thread of its own, as the kernel may wait a second for the neighbour's answer.
  struct Search {
    VerbsEndpoint host;
    std::future<Owned<ibv_ah>> found;
  };

  explicit DatagramQueue(const VerbsOptions& options);
  const char* open_device();
  const char* open_queues(const VerbsOptions& options);
  std::byte* receive_buffer(std::size_t i) {
    return receive_buffers_ + i * (kRouteHeaderBytes + datagram_bytes_max_);
  }
  std::vector<Way>::iterator find_way(VerbsEndpoint host);
  void begin_search(const VerbsEndpoint& host);
  void end_search();
  static std::size_t poll(ibv_cq& queue, std::span<ibv_wc> completions);

  VerbsPort port_;
  std::uint32_t queue_key_;
  std::uint32_t datagram_bytes_max_;
  std::uint32_t inline_bytes_max_ = 0;
  std::vector<std::byte> memory_;
  std::byte* receive_buffers_;
  std::byte* handshake_buffers_;
  std::uint64_t handshakes_begun_ = 0;
  std::uint64_t handshakes_ended_ = 0;
  std::size_t receives_posted_ = 0;
  Time stopping_since_ = Time::never();  // never: it is not stopped
  // In the order in which they depend on each other.
  Owned<ibv_context> context_;
  Owned<ibv_pd> domain_;
  Owned<ibv_mr> region_;
  Owned<ibv_comp_channel> channel_;
  Owned<ibv_cq> sends_;
  Owned<ibv_cq> receives_;
  Owned<ibv_qp> pair_;
  std::vector<Way> ways_;
  std::optional<Search> search_;  // one at a time
  Descriptor epoll_;
};

}  // namespace holdfast::hw
